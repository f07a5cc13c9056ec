"""In which order what was found is worth telling, and which part of it is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from soul.mind.memory.entry import Entry
from soul.text.terms import Terms, normal

#: So many of the most relevant are weighed.
CANDIDATES = 64
#: Parts of the weight that relevance does not decide.
RECENCY_PART = 0.2
IMPORTANCE_PART = 0.2
#: A memory of this age has lost 63 % of what is for its being recent, s.
RECENCY_TAU = 30 * 86400.0
SNIPPET_CHARACTERS = 240


@dataclass(frozen=True)
class Hit:
    """An entry that was found, with its score: the higher the better."""

    entry: Entry
    score: float
    snippet: str

    @property
    def id(self) -> str:
        """Its mark."""
        return self.entry.id

    @property
    def text(self) -> str:
        """All of it."""
        return self.entry.text

    @property
    def origins(self) -> tuple[str, ...]:
        """Where it came from."""
        return self.entry.origins


def weight(entry: Entry, relevance: float, now: float) -> float:
    """Weigh relevance (bm25) with recency and importance."""
    recency = math.exp(-max(0.0, now - entry.at) / RECENCY_TAU)
    rest = 1.0 - RECENCY_PART - IMPORTANCE_PART
    factor = rest + RECENCY_PART * recency + IMPORTANCE_PART * entry.importance
    return relevance * factor


def ranked(
    entries: Mapping[int, Entry],
    relevance: Mapping[int, float],
    now: float,
    terms: Terms,
    most: int,
) -> list[Hit]:
    """Put what was found in order; equal weights by mark, so that it is always the same one.

    Parameters
    ----------
    most
        How many are returned.
    """
    weighed = [(weight(entry, relevance[number], now), entry) for number, entry in entries.items()]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].path, pair[1].id))
    return [Hit(entry, score, snippet(entry.text, terms)) for score, entry in weighed[:most]]


def snippet(text: str, terms: Terms, most: int = SNIPPET_CHARACTERS) -> str:
    """Cut a text to the part where the first of the terms stands."""
    text = ' '.join(text.split())
    if len(text) <= most:
        return text
    low = normal(text)
    places = [low.find(term) for term in (*terms.long, *terms.short)]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, min(first - most // 4, len(text) - most))
    part = text[start : start + most].strip()
    return f'{"…" if start else ""}{part}{"…" if start + most < len(text) else ""}'
