"""`soul up --voice`: brings voice and ears for the language of her persona, and asks for them."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from soul.cli.output import Output
from soul.core.errors import StartRefused
from soul.core.persona import load
from soul.text.tables import TableUnreadable
from soul.voice.install import NotInstalled, install
from soul.voice.languages import UnknownLanguage, language_of

#: Of the mind, where nobody says otherwise.
_PERSONA = 'mira'


@dataclass(frozen=True)
class Wish:
    """Which language she speaks, and the name of her voice; empty: the first of the language."""

    language: str
    name: str


def wish(params_file: str) -> Wish:
    """Return what the persona that she is to live by speaks.

    Parameters
    ----------
    params_file
        File of ROS parameters, which may name the persona or the language of her mind.

    Raises
    ------
    StartRefused
        If the file or the persona cannot be read.
    """
    given: dict[str, Any] = {}
    if params_file:
        try:
            document = yaml.safe_load(Path(params_file).expanduser().read_text(encoding='utf-8'))
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise StartRefused(f'{params_file}: {error}') from None
        for node in ('/**', 'mind'):
            given |= _parameters(document, node)
    try:
        persona = load(str(given.get('persona') or _PERSONA))
    except TableUnreadable as error:
        raise StartRefused(str(error)) from None
    language = str(given.get('language') or persona.language)
    own = language == persona.language
    return Wish(language if len(language) <= 8 else 'en', persona.voice if own else '')


def begin(console: Output, params_file: str) -> Wish:
    """Install what is missing; returns what she speaks.

    Raises
    ------
    StartRefused
        If it is not known what she speaks. What cannot be installed is only told: her words are
        shown then.
    """
    wanted = wish(params_file)
    try:
        language_of(wanted.language)
        install(wanted.language, console.print)
    except (NotInstalled, UnknownLanguage) as error:
        console.print(str(error), style='yellow')
    return wanted


@contextlib.contextmanager
def parameters(wanted: Wish) -> Iterator[list[str]]:
    """Return the driver's parameters for it as ROS arguments, which hold within the context."""
    values = {
        'voice': True, 'voice_language': wanted.language, 'voice_name': wanted.name,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix='soul-') as folder:
        file = Path(folder) / 'voice.yaml'
        file.write_text(
            yaml.safe_dump({'/**/stackchan': {'ros__parameters': values}}), encoding='utf-8'
        )
        yield ['--params-file', str(file)]


def _parameters(document: Any, node: str) -> Mapping[str, Any]:
    """Return the parameters that a file has for a node."""
    found: dict[str, Any] = {}
    for key, value in document.items() if isinstance(document, dict) else ():
        if str(key) == node or str(key).rstrip('/').rpartition('/')[2] == node:
            own = value.get('ros__parameters') if isinstance(value, dict) else None
            found |= own if isinstance(own, dict) else {}
            if isinstance(value, dict) and own is None:
                found |= _parameters(value, node)
    return found
