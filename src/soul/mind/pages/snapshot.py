"""What she knows of herself when she wakes: the part of her pages that enters her mind.

Whatever is shown here she continues. So the windows are narrow, and what repeats is shown once
with how often, never again and again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import lru_cache

from soul.mind.pages.aspirations import own_pursuits
from soul.mind.pages.entries import PageEntry, prose
from soul.mind.pages.matters import is_stale
from soul.mind.pages.older import OlderEntry
from soul.mind.pages.repetition import MOST_ALIKE, WINDOW, Likeness, is_rut, openings
from soul.text.phrases import Phrases
from soul.text.stamps import stamp

SELF_CHARACTERS = 2000
ASPIRATIONS_CHARACTERS = 1500
MATTER_CHARACTERS = 4000
STALE_CHARACTERS = 30
MOST_STALE = 10
ENTRY_CHARACTERS = 1000
FADED_CHARACTERS = 60
MOOD_FULL = 6 * 3600.0
MOOD_GONE = 24 * 3600.0
#: The smallest part of the windows that a small model gets.
LEAST_SCALE = 0.1


@dataclass(frozen=True)
class Material:
    """Her pages as they are."""

    self_page: str = ''
    aspirations: str = ''
    mood: PageEntry | None = None
    matters: Sequence[PageEntry] = ()
    diary: Sequence[PageEntry] = ()
    edits: Sequence[str] = ()
    capabilities: Mapping[str, str] = field(default_factory=dict)  # name -> description
    routine: Sequence[str] = ()  # capabilities that are no part of anybody's self
    people: Sequence[str] = ()


@dataclass(frozen=True)
class Snapshot:
    """What of it enters her mind; each section may be empty."""

    self_text: str
    aspirations: str
    mood: str
    matters: str
    journal: str
    edits: tuple[str, ...]
    unclaimed: tuple[str, ...]  # capabilities that her self does not mention
    left_out: tuple[str, ...]  # what did not fit, in words
    rut: bool
    openings: int  # different beginnings of the last 10 diary entries
    open_loops: int  # matters that are fresh


def scaled(size: int, scale: float) -> int:
    """Return a number of characters or entries for a model that can read only that part."""
    return max(1, round(size * max(LEAST_SCALE, scale)))


def newest(diary: Sequence[PageEntry], scale: float) -> list[PageEntry]:
    """Return the diary's entries that are shown in any case, oldest first."""
    return list(diary[-scaled(WINDOW, scale) :])


class _Composer:
    """Makes the sections; `left_out` grows meanwhile."""

    def __init__(
        self,
        words: Phrases,
        now: float,
        scale: float,
        zone: tzinfo | None,
        likeness: Likeness | None,
        older: OlderEntry | None,
    ) -> None:
        self.words, self.now, self.zone = words, now, zone
        self.likeness = likeness or Likeness()
        self.older = older or OlderEntry(self.likeness)
        self.scale = scale
        self.left_out: list[str] = []

    def window(self, size: int) -> int:
        """Return a number of characters or entries, scaled for the size of the model."""
        return scaled(size, self.scale)

    def page(self, text: str, name: str, size: int) -> str:
        """Return a page without comments, cut to so many characters; what is lost is noted."""
        shown = cut(prose(text), self.window(size))
        lost = len(prose(text)) - len(shown.rstrip('…').rstrip())
        if lost > 0:
            self._leave(name, lost)
        return shown

    def aspirations(self, text: str, people: Sequence[str]) -> str:
        """Cut her aspirations; if none is her own alone, that is said."""
        shown = self.page(text, 'aspirations', ASPIRATIONS_CHARACTERS)
        own = own_pursuits(prose(text), self.words, people)
        if not own:
            return f'{shown}\n{self.words.say("no_own_pursuit")}'.strip()
        room = self.window(ASPIRATIONS_CHARACTERS)
        first = cut(own[0].text.split('\n')[0], room // 3)
        if first in shown:
            return shown
        # the one that keeps her going must not be what is cut away
        return f'{cut(shown, room - len(first) - 3)}\n- {first}'

    def mood(self, mood: PageEntry | None) -> str:
        """Let her words about her feeling fade by the hours."""
        # a date far ahead means that the clock was set back: nobody knows how old it is
        if mood is None or mood.at is None or abs(self.now - mood.at) >= MOOD_GONE:
            return self.words.say('mood_none')
        age = max(0.0, self.now - mood.at)
        text = ' '.join(mood.text.split())
        if age < MOOD_FULL:
            return self.words.say('mood_full', text=text, age=self.words.age(age))
        text = cut(text, FADED_CHARACTERS)
        return self.words.say('mood_faded', text=text, age=self.words.age(age))

    def matters(self, matters: Sequence[PageEntry]) -> str:
        """Show fresh matters in full and stale ones as a glimpse."""
        fresh = [m for m in matters if not is_stale(m, self.now)]
        stale = [m for m in matters if is_stale(m, self.now)]
        room = self.window(MATTER_CHARACTERS)
        lines: list[str] = []
        shown = hidden = 0
        for matter in reversed(fresh):
            if lines and shown + len(matter.text) > room:
                hidden += 1
                continue
            lines.insert(0, f'- {cut(matter.text, room)}')
            shown += len(matter.text)
        glimpses = stale[-self.window(MOST_STALE) :]
        if glimpses:
            lines.append(self.words.say('matters_stale'))
        for matter in glimpses:
            age = self.words.age(self.now - (matter.at or self.now))
            text = ' '.join(matter.text.split())
            text = text if len(text) <= STALE_CHARACTERS else f'{text[:STALE_CHARACTERS]}…'
            lines.append(self.words.say('matter_stale', age=age, text=text))
        self._leave('matters', hidden + len(stale) - len(glimpses))
        return '\n'.join(lines)

    def journal(self, diary: Sequence[PageEntry], rng: random.Random) -> str:
        """Show the last entries and an older one, never more than two that are alike."""
        recent = newest(diary, self.scale)
        older = len(diary) - len(recent)
        likeness = self.likeness
        groups = likeness.groups(recent)
        lines: list[tuple[int, str]] = []
        places = {id(entry): place for place, entry in enumerate(recent)}
        hidden = 0
        for group in groups:
            if len(group.entries) <= MOST_ALIKE:
                lines += [(places[id(e)], self._entry(e, 'diary_entry')) for e in group.entries]
                continue
            more = len(group.entries) - 1
            hidden += more
            since = self._when(group.entries[0])
            line = self._entry(group.newest, 'diary_alike', more=more, since=since)
            lines.append((places[id(group.newest)], line))
        chosen = self.older.take(diary, recent, rng)
        if chosen is not None:
            lines.append((-1, self._entry(chosen, 'diary_older')))
        long = sum(len(e.text) > self.window(ENTRY_CHARACTERS) for g in groups for e in g.entries)
        self._leave('diary_cut', long)
        self._leave('diary_alike', hidden)
        self._leave('diary_older', older - (chosen is not None))
        return '\n'.join(line for _, line in sorted(lines))

    def _entry(self, entry: PageEntry, phrase: str, **values: object) -> str:
        text = _one_line(entry.text, self.window(ENTRY_CHARACTERS))
        return self.words.say(phrase, when=self._when(entry), text=text, **values)

    def _when(self, entry: PageEntry) -> str:
        return self.words.say('undated') if entry.at is None else stamp(entry.at, self.zone)

    def _leave(self, what: str, count: int) -> None:
        if count > 0:
            self.left_out.append(self.words.say(f'left_out.{what}', count=count))


def compose(
    material: Material,
    now: float,
    rng: random.Random,
    words: Phrases,
    scale: float = 1.0,
    zone: tzinfo | None = None,
    likeness: Likeness | None = None,
    older: OlderEntry | None = None,
) -> Snapshot:
    """Make the snapshot.

    Parameters
    ----------
    now
        Seconds since 1970.
    rng
        Chooses the older diary entry.
    scale
        Size of all windows, for models with a small context; 0.1 to 1.
    likeness
        What compares entries; one that is kept need not compare the same ones again.
    older
        What chooses the older entry; one that is kept may have chosen it already.
    """
    composer = _Composer(words, now, scale, zone, likeness, older)
    fresh = [matter for matter in material.matters if not is_stale(matter, now)]
    recent = material.diary[-WINDOW:]
    return Snapshot(
        self_text=composer.page(material.self_page, 'self', SELF_CHARACTERS),
        aspirations=composer.aspirations(material.aspirations, material.people),
        mood=composer.mood(material.mood),
        matters=composer.matters(material.matters),
        journal=composer.journal(material.diary, rng),
        edits=tuple(material.edits),
        unclaimed=unclaimed(material.self_page, material.capabilities, material.routine),
        left_out=tuple(composer.left_out),
        rut=is_rut(recent),
        openings=openings(recent),
        open_loops=len(fresh),
    )


def unclaimed(
    self_page: str, capabilities: Mapping[str, str], routine: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the capabilities that her self does not mention, or only lists as not hers yet."""
    told = '\n'.join(
        line
        for line in self_page.splitlines()
        if not any(description and description in line for description in capabilities.values())
    )
    return tuple(name for name in capabilities if name not in routine and name not in told)


@lru_cache(maxsize=24)
def _one_line(text: str, most: int) -> str:
    """Write an entry in one line, cut; the newest ones are shown again and again."""
    return cut(' '.join(text.split()), most)


def cut(text: str, most: int) -> str:
    """Cut a text to so many characters, at the end of a line or sentence if one is near."""
    if len(text) <= most:
        return text
    part = text[: max(1, most - 1)]
    for mark in ('\n\n', '\n', '. ', '。', '！', '？', ' '):
        place = part.rfind(mark)
        if place >= 0.7 * len(part):
            part = part[: place + (mark not in ('\n\n', '\n', ' '))]
            break
    return f'{part.rstrip()}…'
