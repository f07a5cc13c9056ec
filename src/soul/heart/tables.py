"""Drives, events and sensations as data: read from YAML and checked.

The standard tables come with the package (`config/drives.yaml`, `config/sensations/`); a file of
one's own is laid over them entry by entry, so that a new drive is a few lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from soul.text.resources import resource

#: The entry of `events` that stands for every kind that is not listed.
OTHER = 'other'


class TableRefused(Exception):
    """A table of drives or sensations that she cannot live with."""


class DriveKind(BaseModel):
    """One drive; `config/drives.yaml` says what each field means.

    The bounds of tau and weight are those within which Heart and Twin lets the model tune itself.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')

    source: Literal['time', 'contact', 'wakings', 'open_loops', 'energy'] = 'time'
    tau_hours: float = Field(6.0, ge=0.5, le=48.0)
    full_at: float = Field(1.0, gt=0.0, le=1e6)
    weight: float = Field(0.0, ge=0.0, le=3.0)
    initial: float = Field(0.0, ge=0.0, le=1e6)
    after_waking: float | None = Field(None, ge=0.0, le=1.0)
    after_declined: float | None = Field(None, ge=0.0, le=1.0)
    eased_by: dict[str, float] = {}
    settled_by: tuple[str, ...] = ()
    felt: tuple[float, ...] = ()

    @model_validator(mode='after')
    def _consistent(self) -> DriveKind:
        if list(self.felt) != sorted(set(self.felt)):
            raise ValueError(f'felt is {list(self.felt)}, it has to rise')
        if self.source == 'time' and self.initial > 1.0:
            raise ValueError(f'initial is {self.initial:g}, allowed is 0 to 1')
        if self.source != 'time' and (self.after_waking, self.after_declined) != (None, None):
            raise ValueError('after_waking and after_declined are for drives of source time')
        return self


class EventKind(BaseModel):
    """What one kind of event does to her."""

    model_config = ConfigDict(frozen=True, extra='forbid')

    weight: float = Field(0.0, ge=0.0, le=1.0)
    nudges: dict[str, float] = {}
    refractory_seconds: float | None = Field(None, ge=0.0, le=86400.0)
    as_one: str = ''


class Tables(BaseModel):
    """All drives and events."""

    model_config = ConfigDict(frozen=True, extra='forbid')

    drives: dict[str, DriveKind]
    events: dict[str, EventKind] = {}
    talk_by: tuple[str, ...] = ()

    @model_validator(mode='after')
    def _known(self) -> Tables:
        for kind, event in self.events.items():
            for name in event.nudges:
                if name not in self.drives:
                    raise ValueError(f'event {kind} nudges {name!r}, which is no drive')
                if self.drives[name].source != 'time':
                    raise ValueError(f'event {kind} nudges {name}, which only has one source')
        return self

    def event(self, kind: str) -> EventKind:
        """Return what is known of a kind of event; new kinds are like `other`."""
        return self.events.get(kind) or self.events.get(OTHER) or EventKind.model_validate({})


@dataclass(frozen=True)
class Sensations:
    """The words of one language for how a drive feels."""

    words: Mapping[str, tuple[str, ...]]

    def of(self, name: str, kind: DriveKind, amount: float) -> str:
        """Say how an amount of a drive feels; empty while it is not felt."""
        reached = sum(1 for threshold in kind.felt if amount >= threshold)
        return self.words.get(name, ())[reached - 1] if reached else ''


def load(extra: str = '', boredom: tuple[float, ...] = ()) -> Tables:
    """Read the standard drives and, over them, those of the file `extra`.

    Parameters
    ----------
    extra
        Path of a YAML file; empty: none. A drive or event it names replaces the standard one;
        one that is null there is taken away.
    boredom
        Wakings from which boredom is felt, in place of the table's.

    Raises
    ------
    TableRefused
        Naming the file and what is wrong in it.
    """
    raw = _read(resource('drives.yaml'))
    if extra:
        over = _read(Path(extra).expanduser())
        for part, entries in over.items():
            if isinstance(entries, Mapping):
                merged = {**raw.get(part, {}), **entries}
                raw[part] = {name: entry for name, entry in merged.items() if entry is not None}
            else:
                raw[part] = entries
    if boredom and isinstance(raw.get('drives', {}).get('boredom'), dict):
        raw['drives']['boredom'] |= {'felt': list(boredom), 'full_at': boredom[-1]}
    try:
        return Tables.model_validate(raw)
    except ValidationError as error:
        raise TableRefused(f'{extra or "drives.yaml"}: {_problems(error)}') from None


def speak(language: str, tables: Tables) -> Sensations:
    """Read how the drives feel in a language.

    Parameters
    ----------
    language
        Name of a file in `config/sensations` without .yaml, or the path of a YAML file.

    Raises
    ------
    TableRefused
        If there is no such language, or a drive that is felt has not one text for each amount.
    """
    if language.endswith(('.yaml', '.yml')):
        path = Path(language).expanduser()
    else:
        folder = resource('sensations')
        path = folder / f'{language}.yaml'
        if not path.is_file():
            known = ', '.join(sorted(file.stem for file in folder.glob('*.yaml')))
            raise TableRefused(f'language is {language!r}, known are {known}, or give a file')
    raw = _read(path)
    words: dict[str, tuple[str, ...]] = {}
    for name, kind in tables.drives.items():
        texts = raw.get(name) or []
        if not isinstance(texts, list) or not all(isinstance(t, str) and t for t in texts):
            raise TableRefused(f'{path}: {name} is not a list of texts')
        if len(texts) != len(kind.felt):
            raise TableRefused(
                f'{path}: {name} has {len(texts)} texts, it is felt from {len(kind.felt)} amounts'
            )
        words[name] = tuple(texts)
    return Sensations(words)


def _read(path: Path) -> dict[str, Any]:
    try:
        raw = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise TableRefused(f'{path} cannot be read: {error}') from None
    if not isinstance(raw, dict):
        raise TableRefused(f'{path} is not a table of names')
    return raw


def _problems(error: ValidationError) -> str:
    return '; '.join(
        f'{".".join(str(part) for part in problem["loc"])}: {problem["msg"]}'.lstrip(': ')
        for problem in error.errors()
    )
