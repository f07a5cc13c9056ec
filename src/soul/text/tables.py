"""Tables of words and numbers in YAML files that people edit."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from soul.text.resources import resource


class TableUnreadable(ValueError):
    """A table that cannot be read or does not hold what it should."""


def read_table(path: Path) -> dict[str, Any]:
    """Read a table of names.

    Raises
    ------
    TableUnreadable
        Naming the file and what is wrong with it.
    """
    try:
        raw = _parsed(path, path.stat().st_mtime_ns)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise TableUnreadable(f'{path} cannot be read: {error}') from None
    if not isinstance(raw, dict):
        raise TableUnreadable(f'{path} is not a table of names')
    return dict(raw)


@lru_cache(maxsize=64)
def _parsed(path: Path, changed: int) -> Any:
    return quick_yaml(path.read_text(encoding='utf-8'))


def quick_yaml(text: str) -> Any:
    """Return what a YAML text says.

    Raises
    ------
    yaml.YAMLError
        If it is none.
    """
    # libyaml, where it is there, is ten times as fast: it is felt at the start
    return yaml.load(text, getattr(yaml, 'CSafeLoader', yaml.SafeLoader))


def language_file(folder: str, language: str) -> Path:
    """Find the words of one language.

    Parameters
    ----------
    folder
        Folder below `config/`, one file a language.
    language
        Name of a file there without .yaml, or the path of a YAML file.

    Raises
    ------
    TableUnreadable
        Naming the languages there are.
    """
    if language.endswith(('.yaml', '.yml')):
        return Path(language).expanduser()
    there = resource(folder)
    path = there / f'{language}.yaml'
    if not path.is_file():
        known = ', '.join(sorted(file.stem for file in there.glob('*.yaml')))
        raise TableUnreadable(f'language is {language!r}, known are {known}, or give a file')
    return path


def problems(error: ValidationError) -> str:
    """Say in one line what is wrong."""
    return '; '.join(
        f'{".".join(str(part) for part in problem["loc"])}: {problem["msg"]}'.lstrip(': ')
        for problem in error.errors()
    )
