"""Cuts a text into what is spoken in one go: sentences, the first of them short.

The first piece is what people wait for, so it ends at its first clause where that is long enough
to sound like one.
"""

from __future__ import annotations

import re

#: A piece longer than this is cut at a clause, or at a blank where there is none; a character of
#: Chinese or Japanese counts three times.
LONGEST = 240
#: A first piece longer than this is cut at its first clause ...
_FIRST = 60
#: ... if that is not shorter than this.
_SHORTEST = 12

_END = re.compile(r'(?<=[.!?…])["\'”’)\]]*\s+|(?<=[。！？])[」』”’）]*|\n+')
_CLAUSE = re.compile(r'(?<=[,;:–—])\s+|(?<=[，；：、])')
#: What has a dot and ends nothing.
_ABBREVIATION = re.compile(
    r'(?:\b(?:mr|mrs|ms|dr|prof|st|no|vs|etc|approx|e\.g|i\.e|u\.s|a\.m|p\.m)|\b[A-Z]|^\d+)\.$',
    re.IGNORECASE,
)


def weight(text: str) -> int:
    """Return how long a text is to say: a wide character counts as three narrow ones."""
    return sum(3 if '\u2e80' <= char <= '\uffdc' else 1 for char in text)


def sentences(text: str, eager: bool = False) -> list[str]:
    """Return the pieces of a text in their order; none is empty or without a letter or figure.

    Parameters
    ----------
    eager
        The first piece ends at its first clause however short the sentence is: for a slow voice.
    """
    longest = _SHORTEST if eager else _FIRST
    pieces: list[str] = []
    for sentence in _whole(text):
        rest = sentence
        if not pieces and weight(rest) > longest:
            first, rest = _first_clause(rest)
            pieces += [first] if first else []
        pieces += _short(rest)
    return [piece for piece in pieces if any(char.isalnum() for char in piece)]


def _whole(text: str) -> list[str]:
    """Cut at the ends of sentences, but not behind an abbreviation."""
    found: list[str] = []
    begin = 0
    for end in _END.finditer(text):
        if end.end() == end.start() and end.end() == len(text):
            break
        piece = text[begin : end.end()].strip()
        if _ABBREVIATION.search(piece) and '\n' not in end[0]:
            continue
        found.append(piece)
        begin = end.end()
    found.append(text[begin:].strip())
    return [piece for piece in found if piece]


def _first_clause(sentence: str) -> tuple[str, str]:
    for cut in _CLAUSE.finditer(sentence):
        first = sentence[: cut.end()].strip()
        if weight(first) > LONGEST:
            break
        if weight(first) >= _SHORTEST:
            return first, sentence[cut.end() :].strip()
    return '', sentence


def _short(sentence: str) -> list[str]:
    """Cut a piece that is too long, at clauses or else at blanks."""
    if weight(sentence) <= LONGEST:
        return [sentence] if sentence else []
    cuts = [cut.end() for cut in _CLAUSE.finditer(sentence)]
    cuts += [cut.end() for cut in re.finditer(r'\s+', sentence)] if not cuts else []
    best = 0
    for cut in cuts:
        if weight(sentence[:cut]) > LONGEST:
            break
        best = cut
    if not best:  # one word without end
        while best < len(sentence) and weight(sentence[: best + 1]) <= LONGEST:
            best += 1
    return [sentence[:best].strip(), *_short(sentence[best:].strip())]
