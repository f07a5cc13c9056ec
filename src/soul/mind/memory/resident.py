"""The resident memory: a few things she always knows, kept below a cap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import tzinfo

from soul.mind.memory.entry import Entry
from soul.store.pages import shown
from soul.text.phrases import Phrases
from soul.text.stamps import local

CAP_CHARACTERS = 6000
#: An entry may take this part of the cap; a longer one goes into the notes.
LARGEST_PART = 0.25
_TAU = 30 * 86400.0


def line(entry: Entry, words: Phrases, zone: tzinfo | None) -> str:
    """Write an entry as one line for her to read."""
    date = f'{local(entry.at, zone):%Y-%m-%d}'
    text = ' '.join(shown(entry.text).split())
    return words.say('memory.hit', origin='+'.join(entry.origins), date=date, text=text)


def value(entry: Entry, now: float) -> float:
    """Worth of keeping an entry in mind: importance, how often it was met, how long ago."""
    met = math.log2(1 + min(entry.count, 64)) / 6
    recent = math.exp(-max(0.0, now - entry.at) / _TAU)
    return entry.importance + 0.25 * met + 0.5 * recent


def surplus(
    entries: Sequence[Entry], now: float, room: int, words: Phrases, zone: tzinfo | None
) -> list[Entry]:
    """Return the entries of least worth that do not fit in so many characters."""
    sizes = {id(entry): len(line(entry, words, zone)) + 1 for entry in entries}
    total = sum(sizes.values())
    gone = []
    for entry in sorted(entries, key=lambda entry: (value(entry, now), entry.id)):
        if total <= room:
            break
        gone.append(entry)
        total -= sizes[id(entry)]
    return gone


def told(entries: Sequence[Entry], room: int, words: Phrases, zone: tzinfo | None) -> str:
    """Write what fits, in the order of the page, and how much does not."""
    newest = max((entry.at for entry in entries), default=0.0)
    closing = words.say('memory.resident_left_out', count=len(entries))
    hidden = surplus(entries, newest, room, words, zone)
    if hidden:
        hidden = surplus(entries, newest, room - len(closing) - 1, words, zone)
    lines = [line(entry, words, zone) for entry in entries if entry not in hidden]
    if hidden:
        lines.append(words.say('memory.resident_left_out', count=len(hidden)))
    return '\n'.join(lines)
