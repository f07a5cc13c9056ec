"""Events of a stream, from bytes that may be cut anywhere."""

from __future__ import annotations

import json

from soul.mind.providers.lines import StreamLines

#: So much is kept of a body that is no event stream, characters.
STRAY = 100_000
_FIELDS = ('event:', 'id:', 'retry:', ':')


class EventStream:
    """Reads server-sent events; only their data counts.

    Attributes
    ----------
    stray
        What came that belongs to no event, at most 100,000 characters: a server that was asked
        for a stream may answer with a page or a whole document.
    """

    def __init__(self) -> None:
        self._lines = StreamLines()
        self._data: list[str] = []
        self._kept = 0
        self._stray: list[str] = []

    @property
    def stray(self) -> str:
        """What came that belongs to no event."""
        return '\n'.join(self._stray)

    def feed(self, data: bytes, final: bool = False) -> list[str]:
        """Take bytes and return the data of the events that have become whole.

        Parameters
        ----------
        final
            Whether nothing follows; an event that no empty line has ended counts then.

        Raises
        ------
        LineTooLong
            If a line does not end.
        """
        found: list[str] = []
        for line in self._lines.feed(data, final):
            if line.startswith('data:'):
                self._data.append(line[5:].removeprefix(' '))
            elif not line.strip():
                found += self._event()
            elif line.startswith('error:'):  # no field of such streams, but llama.cpp's word
                found += [*self._event(), f'{{"error": {_quoted(line[6:])}}}']
            elif line.startswith(_FIELDS) or line in ('data', 'event', 'id', 'retry'):
                continue
            elif self._kept < STRAY:
                self._stray.append(line[: STRAY - self._kept])
                self._kept += len(line)
        if final:
            found += self._event()
        return found

    def _event(self) -> list[str]:
        """Return the event that has ended; some servers end theirs with the line itself."""
        lines, self._data = self._data, []
        if len(lines) < 2:
            return lines
        whole = '\n'.join(lines)
        try:
            json.loads(whole)
        except (ValueError, RecursionError):
            return lines
        return [whole]


def _quoted(said: str) -> str:
    """Return what is said as JSON; what is none already becomes a text."""
    try:
        json.loads(said)
    except (ValueError, RecursionError):
        return json.dumps(said.strip())
    return said
