"""The words of one language, from `config/<folder>/<language>.yaml`.

English is the model: every other language says all that it says.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from typing import Any

from soul.store.shipped import shipped
from soul.store.tables import TableUnreadable, language_file, read_table

#: Every other language says what this one says.
MODEL = 'en'


class Language:
    """Words of one language.

    Parameters
    ----------
    table
        What the language file holds.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table

    def get(self, what: str) -> Any:
        """Return a value of the table; `what` may lead into a part of it: `woke.message`."""
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


def read_language(folder: str, language: str) -> dict[str, Any]:
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
    wrong = list(_differences(read_table(shipped(f'{folder}/{MODEL}.yaml')), table, ''))
    if wrong:
        raise TableUnreadable(f'{path}: {"; ".join(wrong)}')
    return table


def _differences(model: Any, given: Any, name: str) -> Iterable[str]:
    if isinstance(model, dict):
        if not isinstance(given, dict):
            return [f'{name} is missing']
        return [
            problem
            for key, value in model.items()
            for problem in _differences(value, given.get(key), f'{name}.{key}'.lstrip('.'))
        ]
    if isinstance(model, list):
        return [] if isinstance(given, list) and given else [f'{name} is no list']
    if given is None or isinstance(given, (dict, list)):
        return [f'{name} is missing']
    extra = _blanks(str(given)) - _blanks(str(model))
    return [f'{name} knows no {{{blank}}}' for blank in sorted(extra)]


def _blanks(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}
