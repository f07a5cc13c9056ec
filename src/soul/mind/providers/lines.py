"""StreamLines of an event stream, from bytes that may be cut anywhere."""

from __future__ import annotations

import codecs

#: A longer line is no event of a chat, characters.
LONGEST_LINE = 4_000_000


class LineTooLong(ValueError):
    """A line is longer than anything a server has to say."""


class StreamLines:
    """Cuts bytes into lines that end with CR, LF or both, as event streams say.

    Nothing else ends a line: what Python calls a line break (U+2028, U+0085 ...) is a character
    of the text. Bytes that are no UTF-8 become U+FFFD.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder('utf-8')('replace')
        self._rest: list[str] = []
        self._length = 0
        self._after_return = False

    def feed(self, data: bytes, final: bool = False) -> list[str]:
        """Take bytes and return the lines that have become whole.

        Parameters
        ----------
        final
            Whether nothing follows; what is left is a line then.

        Raises
        ------
        LineTooLong
            If a line does not end.
        """
        text = self._decoder.decode(data, final)
        if self._after_return and text:
            text = text.removeprefix('\n')
            self._after_return = False
        if text.endswith('\r'):
            self._after_return = True
        pieces = text.replace('\r\n', '\n').replace('\r', '\n').split('\n')
        lines: list[str] = []
        for piece in pieces[:-1]:
            lines.append(''.join((*self._rest, piece)))
            self._rest, self._length = [], 0
        if pieces[-1]:
            self._rest.append(pieces[-1])
            self._length += len(pieces[-1])
        if self._length > LONGEST_LINE:
            raise LineTooLong(f'a line of more than {LONGEST_LINE} characters')
        if final and self._rest:
            lines.append(''.join(self._rest))
            self._rest, self._length = [], 0
        return lines
