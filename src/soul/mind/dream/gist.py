"""The days of her diary become gist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from soul.mind.dream import cursor as cursors
from soul.mind.dream.answers import MATERIAL_CHARACTERS, gist
from soul.mind.dream.step import Step, StepOutcome
from soul.mind.memory import Entry, Memory
from soul.mind.memory.entry import mark
from soul.mind.memory.notebook import Note, Pages
from soul.mind.pages import SoulDirectory
from soul.mind.pages.entries import PageEntry
from soul.mind.pages.repetition import Likeness
from soul.mind.pages.snapshot import cut
from soul.text.stamps import local

KIND = 'gist'
IMPORTANCE = 0.6
_SENTENCE_CHARACTERS = 160
_RULE_CHARACTERS = 800


class GistSteps:
    """One step for each past day with diary entries, the oldest first."""

    def __init__(self, soul: SoulDirectory, memory: Memory) -> None:
        self._soul, self._memory = soul, memory

    def steps(self, now: float) -> Iterator[Step]:
        """Yield what is to be done."""
        until = cursors.parse(self._memory.notebook.load(cursors.FILE)).diary_until
        today = f'{local(now, self._memory.zone):%Y-%m-%d}'
        for day in self._soul.diary.days():
            if until < day < today:
                entries = list(self._soul.diary.of_day(day))
                material = cut('\n'.join(self._told(entries)), MATERIAL_CHARACTERS)
                question = self._memory.words.say('dream.gist', day=day)
                yield Step(KIND, day, material, question)

    def apply(self, step: Step, answer: str, now: float) -> StepOutcome:
        """Write the gist of the day into the notes; without a usable answer, its openings."""
        entries = list(self._soul.diary.of_day(step.key))
        text = gist(answer, step.question, step.material)
        by = 'rule' if text is None else 'model'
        if text is None:
            text = self._by_rule(entries)
        memory = self._memory
        told = memory.words.say('dream.gist_entry', day=step.key, text=text)
        at = max((entry.at or now for entry in entries), default=now) // 60 * 60
        # the same mark for the same day: done again after a kill, it is one
        new = Entry(mark(step.key, KIND), told, at, ('self',), IMPORTANCE)

        def make() -> tuple[list[Note], Pages]:
            notebook = memory.notebook
            here = notebook.load(cursors.FILE)
            until = cursors.parse(here).until(step.key)
            topic = f'{memory.words.say("memory.days")}/{step.key[:7]}'
            notes, pages = memory.keeping.move([new], topic)
            if any(entry.id == new.id for note in notes for entry in note.entries):
                pages = {}
            return [*notes, here], {**pages, cursors.FILE: until.text()}

        changed = memory.notebook.change(make)
        memory.catalogue.enter(path for path in changed if path != cursors.FILE)
        return StepOutcome(
            step, True, by, f'{len(entries)} diary entries of {step.key} became gist'
        )

    def _told(self, entries: Sequence[PageEntry]) -> list[str]:
        """What repeats is told once, with how often."""
        lines = []
        for group in Likeness().groups(entries):
            text = ' '.join(group.newest.text.split())
            if len(group.entries) > 1:
                text = self._memory.words.say('dream.times', text=text, count=len(group.entries))
            lines.append(text)
        return lines

    def _by_rule(self, entries: Sequence[PageEntry]) -> str:
        told = [cut(line, _SENTENCE_CHARACTERS) for line in self._told(entries)]
        return cut(' '.join(told), _RULE_CHARACTERS)
