"""Whose words she is writing: what came from outside in this turn is not hers.

A model copies. A sentence that stood on a page or in a message a moment ago must not become who
she is, nor be remembered as her own thought, only because she wrote it down.
"""

from __future__ import annotations

import re

#: So many characters in a row are no accident; for scripts without spaces fewer.
RUN, WIDE_RUN = 40, 16
#: So much of what came from outside in one turn is compared, characters.
MOST = 200_000


class Provenance:
    """What came from outside in one turn, by origin: person, body, web or tool."""

    def __init__(self) -> None:
        self._texts: list[tuple[str, str]] = []
        self._raw: list[str] = []
        self._length = 0

    def came(self, origin: str, text: str) -> None:
        """Something came from outside."""
        raw, text = text, _plain(text)
        if text and self._length < MOST:
            self._raw.append(raw)
            self._length += len(text)
            self._texts.append((origin, text))

    def texts(self) -> list[str]:
        """Return what came, word for word."""
        return list(self._raw)

    def origin_of(self, text: str) -> str:
        """Say where a longer run of words in a text came from; empty: it is her own."""
        text = _plain(text)
        run = RUN if text.isascii() else WIDE_RUN
        if len(text) < run:
            return ''
        for start in range(len(text) - run + 1):
            piece = text[start : start + run]
            for origin, known in self._texts:
                if piece in known:
                    return origin
        return ''


def _plain(text: str) -> str:
    return re.sub(r'\s+', ' ', text).strip().casefold()
