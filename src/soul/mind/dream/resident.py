"""Detail moves from the resident memory into notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from soul.mind.dream.answers import Decision, asked_about, decisions, listing
from soul.mind.dream.step import Step, StepOutcome
from soul.mind.memory import Entry, Memory
from soul.mind.memory.keeping import found
from soul.mind.memory.notebook import RESIDENT, Note, Pages, without

KIND = 'resident'
#: A dream begins to tidy when the resident memory takes this part of its cap ...
FULL = 0.6
#: ... and without a model leaves this part of it.
LEFT = 0.5


class ResidentSteps:
    """The steps of the resident memory: at most one in a dream."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def steps(self, now: float) -> Iterator[Step]:
        """Yield what is to be done."""
        entries = self._memory.notebook.load(RESIDENT).entries
        surplus = self._memory.keeping.surplus(entries, now, round(FULL * self._memory.cap))
        if surplus:
            asked = asked_about(entries)
            yield Step(
                KIND,
                RESIDENT,
                listing(asked),
                self._memory.words.say('dream.resident'),
                tuple(entry.id for entry in asked),
            )

    def apply(self, step: Step, answer: str, now: float) -> StepOutcome:
        """Do what the answer says, or without a usable one what is right by rule.

        Raises
        ------
        AnswerRefused
            If the answer would lose too much; nothing is changed.
        """
        decided = decisions(answer, step.ids)
        if decided is None:
            self._change(lambda note: self._by_rule(note, now, LEFT))
            return StepOutcome(step, True, 'rule', 'resident memory: the least important moved')
        self._change(lambda note: decided)
        # whatever the model would keep: the cap holds
        self._change(lambda note: self._by_rule(note, now, 1.0))
        return StepOutcome(step, True, 'model', f'resident memory: {len(decided)} decided')

    def _change(self, plan: Callable[[Note], Sequence[Decision]]) -> None:
        def make() -> tuple[list[Note], Pages]:
            note = self._memory.notebook.load(RESIDENT)
            there = {entry.id for entry in note.entries}
            return self._carried_out(note, [d for d in plan(note) if d.id in there])

        self._memory.catalogue.enter(self._memory.notebook.change(make))

    def _by_rule(self, note: Note, now: float, part: float) -> list[Decision]:
        room = round(part * self._memory.cap)
        surplus = self._memory.keeping.surplus(note.entries, now, room)
        return [Decision(entry.id, False, '') for entry in surplus]

    def _carried_out(self, note: Note, plan: Sequence[Decision]) -> tuple[list[Note], Pages]:
        page, keeping = note.page or '', self._memory.keeping
        topics: dict[str, list[Entry]] = {}
        gone: list[Entry] = []
        shortened: list[tuple[Entry, Entry]] = []
        for decision in plan:
            entry = next(e for e in note.entries if e.id == decision.id)
            if not decision.keep:
                gone.append(entry)
                topics.setdefault(decision.text, []).append(entry)
            elif self._shorter(entry, decision.text):
                shortened.append((entry, replace(entry, text=decision.text)))
                # the detail is not lost: it lies in the notes as it was
                topics.setdefault('', []).append(entry)
        for old, new in sorted(shortened, key=lambda pair: -pair[0].start):
            page = self._memory.notebook.replaced(page, old, new)
        page = self._removed(note, page, gone)
        notes, pages = [note], Pages({RESIDENT: page})
        for topic, entries in topics.items():
            read, become = keeping.move(entries, topic, pages)
            notes += read
            pages.update(become)
        return notes, pages

    def _removed(self, note: Note, page: str, gone: Sequence[Entry]) -> str:
        if not gone:
            return page
        now = self._memory.notebook.parsed(replace(note, page=page))
        hit = [entry for old in gone if (entry := found(now, old))]
        return without(now, *hit) or ''

    def _shorter(self, entry: Entry, text: str) -> bool:
        # a model may only shorten: it never puts words into somebody else's mouth at length
        return 0 < len(text) < len(entry.text)
