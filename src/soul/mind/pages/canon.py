"""The canon: texts about her world, of which she gets what belongs to what she sees."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from soul.store.reading import PageReader
from soul.text.terms import Terms, normal, search_terms, short_tokens

_HEADING = re.compile(r'^(#{1,6})[ \t]+(.+?)[ \t#]*$', re.MULTILINE)
#: A section counts if it reaches this part of the best one's score.
_RELATED = 0.3


@dataclass(frozen=True)
class CanonSection:
    """A part of a text under one heading."""

    file: str
    heading: str  # with those above it: `The house / The garden`
    text: str  # with its heading line


class Canon:
    """All sections of a folder of Markdown files.

    People may edit the files while she lives: they are read anew when they change.

    Parameters
    ----------
    folder
        The folder; None: there is no canon.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._reader = PageReader()
        self._seen: tuple[tuple[str, int, int], ...] = ()
        self._sections: list[CanonSection] = []
        self._tokens: list[tuple[str, frozenset[str]]] = []

    def sections(self) -> list[CanonSection]:
        """Return all sections, by file name and place."""
        self._refresh()
        return list(self._sections)

    def retrieve(self, view: str, budget: int) -> str:
        """Return the sections that belong to a view, in the order of the files.

        Parameters
        ----------
        view
            What she sees.
        budget
            Most characters of the result. What does not fit is left out whole.
        """
        self._refresh()
        if not self._sections:
            return ''
        terms = search_terms(view, most=64)
        scores = self._scores(terms)
        best = max(scores, default=0.0)
        ranked = sorted(range(len(scores)), key=lambda n: (-scores[n], n))
        chosen, room = [], budget
        for n in ranked:
            size = len(self._sections[n].text) + 2
            if scores[n] > 0 and scores[n] >= _RELATED * best and size - 2 <= room:
                chosen.append(n)
                room -= size
        return '\n\n'.join(self._sections[n].text for n in sorted(chosen))

    def news(self) -> list[str]:
        """Return what was found odd about the files since the last call, in words."""
        return self._reader.news()

    def _scores(self, terms: Terms) -> list[float]:
        """Sum the weights of the terms each section holds; a rare term weighs more."""
        hits = [
            [t for t in terms.long if t in text] + [t for t in terms.short if t in short]
            for text, short in self._tokens
        ]
        frequency = Counter(term for held in hits for term in held)
        total = len(hits)
        return [
            sum(math.log(1 + (total - frequency[t] + 0.5) / (frequency[t] + 0.5)) for t in held)
            for held in hits
        ]

    def _refresh(self) -> None:
        if self._folder is None:
            return
        paths = sorted(self._folder.rglob('*.md'))
        stats = []
        for path in paths:
            with contextlib.suppress(OSError):  # somebody has just removed it
                if path.is_file():
                    stats.append((path, path.stat()))
        seen = tuple((str(p), s.st_mtime_ns, s.st_size) for p, s in stats)
        if seen == self._seen:
            return
        self._seen = seen
        self._sections = [
            section
            for path, _ in stats
            for section in split(
                path.relative_to(self._folder).as_posix(), self._reader.read(path) or ''
            )
        ]
        normals = [normal(f'{s.heading}\n{s.text}') for s in self._sections]
        self._tokens = [(text, frozenset(short_tokens(text).split())) for text in normals]


def split(file: str, text: str) -> list[CanonSection]:
    """Split a text at its headings; what stands before the first is a section, too."""
    found = list(_HEADING.finditer(text))
    starts = [0, *(heading.start() for heading in found), len(text)]
    sections = []
    above: list[tuple[int, str]] = []
    for number, (start, end) in enumerate(itertools.pairwise(starts)):
        if number:
            heading = found[number - 1]
            level = len(heading[1])
            above = [(n, title) for n, title in above if n < level] + [(level, heading[2])]
        part = text[start:end].strip()
        body = part.partition('\n')[2] if number else part
        if body.strip():
            sections.append(CanonSection(file, ' / '.join(title for _, title in above), part))
    return sections
