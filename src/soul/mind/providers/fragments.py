"""Puts tool calls together from the fragments in which servers stream them.

Servers disagree on what belongs together: some number calls from 0 again and again, some send
no index, some repeat the name with every piece. A fragment begins a new call if it carries
another id, or a name although the call before it is whole already; everything else goes on with
the call of its index.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from soul.mind.providers.base import ToolCall


@dataclasses.dataclass
class _Call:
    id: str = ''
    name: str = ''
    arguments: str = ''

    @property
    def whole(self) -> bool:
        """Whether its arguments are a JSON object already."""
        return is_object(self.arguments)


class CallFragments:
    """The calls of one answer, in the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._newest: dict[int, _Call] = {}  # by index
        self._last = -1

    def add(self, fragment: Mapping[str, Any], alone: bool = False) -> str:
        """Take a fragment; returns what it adds to the arguments.

        Parameters
        ----------
        alone
            Whether it is a call of its own, as in an answer that came as a whole.
        """
        function = fragment.get('function')
        function = function if isinstance(function, Mapping) else {}
        given, name = _text(fragment.get('id')), _text(function.get('name')).strip()
        arguments = _arguments(function.get('arguments'))
        index = fragment.get('index')
        if not isinstance(index, int) or isinstance(index, bool):
            index = self._last + 1 if name else max(self._last, 0)
        self._last = index
        call = self._newest.get(index)
        if call is None or alone or _begins(call, given, name):
            call = self._newest[index] = _Call()
            self._calls.append(call)
        call.id = given or call.id
        if name and name != call.name:
            call.name += name
        call.arguments += arguments
        return arguments

    @property
    def whole(self) -> bool:
        """Whether there are calls, and all of them have arguments that can be read."""
        return bool(self._calls) and all(call.name and call.whole for call in self._calls)

    def calls(self, cut: bool) -> tuple[ToolCall, ...]:
        """Return the calls that have a name.

        Parameters
        ----------
        cut
            Whether the server ended the answer at its limit of tokens: a call whose arguments
            are not whole was cut off then, and must not run.
        """
        return tuple(
            ToolCall(
                call.id or f'call-{number}', call.name, call.arguments, cut and not call.whole
            )
            for number, call in enumerate(self._calls)
            if call.name
        )


def _begins(call: _Call, given: str, name: str) -> bool:
    """Whether a fragment begins another call than the one of its index."""
    if given and call.id and given != call.id:
        return True
    if not name or (given and given == call.id):
        return False
    if call.whole:
        return True
    return bool(call.arguments) and name != call.name


def is_object(text: str) -> bool:
    """Whether a text is a JSON object."""
    if not text.rstrip().endswith('}'):
        return False  # spares reading it anew with each fragment
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _text(value: Any) -> str:
    return value if isinstance(value, str) else '' if value is None else str(value)


def _arguments(value: Any) -> str:
    """Return a fragment's arguments as text; some servers send the object itself."""
    if value is None:
        return ''
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
