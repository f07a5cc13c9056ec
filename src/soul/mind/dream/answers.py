"""Reads what a model answered in a dream, and refuses what would lose too much."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from soul.mind.dream.step import AnswerRefused
from soul.mind.memory import Entry
from soul.store.pages import shown
from soul.text.similarity import bare, likeness, pair_counts

#: A rewriting that says nothing of more than this part of the entries is refused.
MOST_LOST = 0.25
GIST_CHARACTERS = 1000
KEPT_CHARACTERS = 600
#: The material of one question, and what of one entry is in it, characters.
MATERIAL_CHARACTERS = 12000
LISTED_CHARACTERS = 500
#: An answer that is so much like the question or the material is an echo.
ECHO = 0.9
_LINE = re.compile(
    r'^[\s*>`-]*(keep|move)\s+\[?`?([0-9a-f]{12})`?\]?\s*[:：]\s*(.+?)\s*$',
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class Decision:
    """What shall become of one entry."""

    id: str
    keep: bool
    text: str  # kept: its text from now on; moved: the topic


def decisions(answer: str, ids: Collection[str]) -> list[Decision] | None:
    """Read lines of the form `keep MARK: text` and `move MARK: topic`.

    Returns
    -------
    list or None
        None if there is no such line: the answer is of no use.

    Raises
    ------
    AnswerRefused
        If it passes over more than a quarter of the entries.
    """
    found: dict[str, Decision] = {}
    for verb, mark, text in _LINE.findall(answer):
        if mark in ids and mark not in found:
            found[mark] = Decision(mark, verb.lower() == 'keep', text[:KEPT_CHARACTERS])
    if not found:
        return None
    lost = len(ids) - len(found)
    if lost > MOST_LOST * len(ids):
        raise AnswerRefused(f'it says nothing of {lost} of {len(ids)} entries')
    return list(found.values())


def gist(answer: str, question: str, material: str) -> str | None:
    """Return a usable gist, None if there is none: empty, an echo, or no shorter than the day."""
    text = ' '.join(answer.split())
    if not text or len(text) > GIST_CHARACTERS:
        return None
    told = bare(text)
    if not told or bare(question)[:80] in told:
        return None
    if len(told) >= len(bare(material)) and len(told) > 200:
        return None
    if likeness(pair_counts(told), pair_counts(bare(material))) >= ECHO and len(told) > 200:
        return None
    return text


def asked_about(entries: Sequence[Entry]) -> list[Entry]:
    """Return those first entries of which a model can be asked at once, however long they are."""
    room = MATERIAL_CHARACTERS
    chosen: list[Entry] = []
    for entry in entries:
        room -= min(len(entry.text), LISTED_CHARACTERS) + 40
        if room < 0 and chosen:
            break
        chosen.append(entry)
    return chosen


def listing(entries: Sequence[Entry]) -> str:
    """Write entries one a line: mark, where it came from, the beginning of the text."""
    lines = []
    for entry in entries:
        text = ' '.join(shown(entry.text).split())[:LISTED_CHARACTERS]
        lines.append(f'{entry.id} | {"+".join(entry.origins)} | {text}')
    return '\n'.join(lines)
