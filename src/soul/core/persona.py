"""Who she is in the beginning: a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from soul.text.resources import resource
from soul.text.tables import TableUnreadable, problems, read_table

FOLDER = 'persona'
Seeded = Literal['SELF.md', 'ASPIRATIONS.md', 'DIARY.md', 'MIND.md', 'ACHIEVEMENTS.md']


class Person(BaseModel):
    """Somebody she knows, with a name and whether she trusts whoever proves to be that."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    name: str = Field(min_length=1)
    trusted: bool = False


class Persona(BaseModel):
    """Who she is at her birth: character, language, people, first pages."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    name: str = Field('Mira', min_length=1, description='Her name.')
    character: str = Field(
        'You are Mira, a small robot with a life of your own.',
        min_length=1,
        description='Who she is, in a few sentences to her.',
    )
    people: tuple[Person, ...] = Field((), description='Whom she knows.')
    voice: str = Field('', description='Name of a voice for speech; empty: the body chooses.')
    language: str = Field('en', min_length=1, description='Language of her pages.')
    seeds: dict[Seeded, str] = Field(
        default_factory=dict, description='What stands in her files in the beginning.'
    )
    canon: str = Field(
        '', description='Folder of Markdown texts about her world, relative to this file.'
    )


def load(persona: str) -> Persona:
    """Read a persona.

    Parameters
    ----------
    persona
        Name of a file in `config/persona` without .yaml, or the path of a YAML file.

    Raises
    ------
    TableUnreadable
        Naming the file and every field that is wrong, or the personas there are.
    """
    path = _find(persona)
    table = read_table(path)
    try:
        found = Persona.model_validate(table)
    except ValidationError as error:
        raise TableUnreadable(f'{path}: {problems(error)}') from None
    if not found.canon:
        return found
    canon = (path.parent / Path(found.canon).expanduser()).absolute()
    if not canon.is_dir():
        raise TableUnreadable(f'{path}: canon: there is no folder {canon}')
    return found.model_copy(update={'canon': str(canon)})


def _find(persona: str) -> Path:
    if persona.endswith(('.yaml', '.yml')):
        return Path(persona).expanduser()
    folder = resource(FOLDER)
    path = folder / f'{persona}.yaml'
    if not path.is_file() or Path(persona).name != persona:
        known = ', '.join(sorted(file.stem for file in folder.glob('*.yaml')))
        raise TableUnreadable(f'persona is {persona!r}, known are {known}, or give a file')
    return path
