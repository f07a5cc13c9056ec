"""Marks up to where a request is to be kept in Anthropic's cache.

Four may be set. A request is looked up at each mark and at the twenty parts before it, so a mark
is set where an earlier one was: at the end of the history with which the newest waking began, and
at that with which this one began. The moment itself shrinks to a line later, so what is behind
those serves the further steps of this waking only. A mark on what she is covers the tools, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: From so long a lifetime on the longer kind is asked for, s.
HOUR = 3600.0
#: So many marks may be set.
MOST = 4
#: Parts that take no mark.
_BARE = frozenset({'thinking', 'redacted_thinking'})


class Marks:
    """Sets marks.

    Parameters
    ----------
    lifetime
        How long the cache keeps what it has, s; 0: not known.
    """

    def __init__(self, lifetime: float) -> None:
        self._mark: dict[str, str] = {'type': 'ephemeral'}
        if lifetime >= HOUR:
            self._mark['ttl'] = '1h'

    def put(
        self,
        tools: list[dict[str, Any]],
        system: list[dict[str, Any]],
        turns: list[dict[str, Any]],
        stable: Sequence[tuple[int, int]],
    ) -> None:
        """Set the marks of a request; its turns and parts are replaced, not changed.

        Parameters
        ----------
        stable
            Turn and part at which something ends with which later requests begin, too.
        """
        last = len(turns) - 1
        wanted = [(last, len(turns[last]['content']) - 1), *reversed(stable)]
        places = list(dict.fromkeys(wanted))
        for turn, part in places[: MOST - bool(system)]:
            turns[turn] = {**turns[turn], 'content': list(turns[turn]['content'])}
            self._set(turns[turn]['content'], part)
        left = MOST - min(len(places), MOST - bool(system))
        if system:
            self._set(system, len(system) - 1)
            left -= 1
        if tools and left > 0:
            self._set(tools, len(tools) - 1)

    def _set(self, parts: list[dict[str, Any]], number: int) -> None:
        while number >= 0 and parts[number].get('type') in _BARE:
            number -= 1
        if number >= 0:
            parts[number] = {**parts[number], 'cache_control': dict(self._mark)}
