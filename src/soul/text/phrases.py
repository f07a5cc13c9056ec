"""The phrases of one language, from a table that says all that the English one says."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from soul.text.resources import resource
from soul.text.tables import TableUnreadable, language_file, read_table

#: Every other language says what this one says.
MODEL = 'en'


class Phrases:
    """One language.

    Parameters
    ----------
    table
        What the language file holds.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table

    def get(self, what: str) -> Any:
        """Return a value; `what` may lead into a part of the table: `titles.diary`."""
        value: Any = self._table
        for part in what.split('.'):
            value = value[part]
        return value

    def say(self, what: str, /, **values: Any) -> str:
        """Say something, with its blanks filled in."""
        value = str(self.get(what))
        return value.format(**values) if values else value

    def maybe(self, part: str, name: str) -> str:
        """Say a word of a part of the table that need not have it; empty then."""
        return str(self.get(part).get(name, ''))

    def listed(self, what: str) -> list[str]:
        """Return a list of words."""
        return [str(word) for word in self._table[what]]

    def age(self, seconds: float) -> str:
        """Say how long; `ages` holds pairs of an upper limit (s) and the words."""
        for limit, words in self._table['ages']:
            if seconds <= limit:
                return str(words)
        return self.say('days', days=int(seconds // 86400))


def load_phrases(folder: str, language: str) -> Phrases:
    """Read a language; see :func:`language_table`."""
    return Phrases(language_table(folder, language))


def language_table(folder: str, language: str) -> dict[str, Any]:
    """Read the table of a language.

    Parameters
    ----------
    folder
        Folder below `config/`.
    language
        Name of a file there without .yaml, or the path of a YAML file.

    Raises
    ------
    TableUnreadable
        If there is no such language, or it does not say all that English says.
    """
    path = language_file(folder, language)
    table = read_table(path)
    wrong = differences(read_table(resource(f'{folder}/{MODEL}.yaml')), table)
    if wrong:
        raise TableUnreadable(f'{path}: {"; ".join(wrong)}')
    return table


def differences(model: Any, given: Any, name: str = '') -> list[str]:
    """Say what a language's table lacks, compared with the model's."""
    if isinstance(model, dict):
        if not isinstance(given, dict):
            return [f'{name} is missing']
        return [
            problem
            for key, value in model.items()
            for problem in differences(value, given.get(key), f'{name}.{key}'.lstrip('.'))
        ]
    if isinstance(model, list):
        return [] if isinstance(given, list) and given else [f'{name} is no list']
    if given is None or isinstance(given, (dict, list)):
        return [f'{name} is missing']
    extra = _fields(str(given)) - _fields(str(model))
    return [f'{name} knows no {{{field}}}' for field in sorted(extra)]


def _fields(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}
