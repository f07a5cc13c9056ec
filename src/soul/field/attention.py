"""What she looks at, what pulls her away, what she comes back to (SoulScript Loop, section 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from soul.field.focus import Focus
from soul.field.item import FULL, Item
from soul.field.items import Items
from soul.field.memory import AttentionMemory

#: A focus she chose herself holds better by this.
CHOSEN_HOLD = 0.2
#: So many interruptions deep she finds back.
DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Pull:
    """How her focus moved without her will."""

    item: str  # id of what she looks at now; empty: a topic
    away_from: str  # in words; empty: from nothing in particular
    by: str  # in words
    back: bool = False  # she returned to something earlier


class Attention:
    """Her focus.

    Parameters
    ----------
    threshold
        Salience from which an arrival takes her focus, 0..1.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self.gaze = Focus()
        self.dwell = 0  # ticks on one focus without acting, the present one among them
        #: What interruptions pulled her from and the id of the item that did, newest last.
        self._earlier: list[tuple[Focus, str]] = []

    def look(self, items: Items, item: str = '', topic: str = '', chosen: bool = True) -> None:
        """Look at an item, at a topic, or at nothing."""
        gaze = Focus(item, '' if item else topic.strip(), chosen)
        if (gaze.item, gaze.topic) != (self.gaze.item, self.gaze.topic):
            self.dwell = 0
        self.gaze = gaze
        looked_at = items.get(item)
        if looked_at is not None:
            looked_at.fidelity = FULL  # looking brings a thing back into detail

    def choose(self, items: Items, item: str = '', topic: str = '') -> None:
        """Look where she wants to; she does not come back by herself then."""
        self._earlier.clear()
        self.look(items, item, topic)

    def row(self, items: Items) -> int:
        """Row of the item in focus, -1: none."""
        item = items.get(self.gaze.item) if self.gaze.item else None
        return -1 if item is None else item.row

    def acted(self) -> None:
        """She has done something: dwelling on a thing begins anew."""
        self.dwell = 0

    def dwelt(self) -> None:
        """A tick begins: she is still with what she looks at."""
        self.dwell += 1

    def loud(self, item: Item) -> bool:
        """Whether an arrival could take her focus if she had not chosen one."""
        return (
            item.placed and not item.own and not item.resolved and item.salience >= self._threshold
        )

    def capture(self, items: Items, arrivals: Iterable[Item]) -> Pull | None:
        """Let the strongest new arrival take the focus if it is strong enough."""
        threshold = self._threshold + (CHOSEN_HOLD if self.gaze.chosen else 0.0)
        there = list(arrivals)
        rows = items.rows[[item.row for item in there]]
        loud = rows['placed'] & ~rows['resolved'] & (rows['salience'] >= threshold)
        best: Item | None = None
        for item, salience in zip(
            itertools.compress(there, loud), rows['salience'][loud], strict=True
        ):
            if item.own or item.id == self.gaze.item:
                continue
            # of equals the newest: it is the one that has just spoken
            if best is None or salience >= best.salience:
                best = item
        if best is None:
            return None
        before, away_from = self.gaze, self.words(items)
        self.look(items, best.id, chosen=False)
        if self._worth_it(items, before):
            self._earlier = [*self._earlier, (before, best.id)][-DEEPEST:]
        return Pull(best.id, away_from, best.gist)

    def come_back(self, items: Items) -> Pull | None:
        """Return to what she looked at before, once what interrupted her is dealt with."""
        back: Focus | None = None
        while self._earlier:
            earlier, interrupter_id = self._earlier[-1]
            interrupter = items.get(interrupter_id)
            if interrupter is not None and not interrupter.resolved:
                break
            self._earlier.pop()
            if self._worth_it(items, earlier):
                back = earlier
        if back is None:
            return None
        away_from = self.words(items)
        self.look(items, back.item, back.topic, back.chosen)
        return Pull(back.item, away_from, self.words(items), back=True)

    @staticmethod
    def _worth_it(items: Items, gaze: Focus) -> bool:
        looked_at = items.get(gaze.item)
        return bool(gaze.topic) or (looked_at is not None and not looked_at.resolved)

    def lost(self, dropped: Iterable[Item]) -> None:
        """Of an item that slipped out of the field while she looked at it a thought is left."""
        for item in dropped:
            if item.id == self.gaze.item:
                self.gaze = Focus('', item.gist, self.gaze.chosen)

    def words(self, items: Items) -> str:
        """What she looks at, in short; empty: nothing in particular."""
        item = items.get(self.gaze.item)
        return item.gist if item is not None else self.gaze.topic

    def memory(self) -> AttentionMemory:
        """Return what must survive."""
        return AttentionMemory(self.gaze, tuple(self._earlier), self.dwell)

    def restore(self, memory: AttentionMemory) -> None:
        """Look where she looked."""
        self.gaze = memory.gaze
        self._earlier = list(memory.earlier)
        self.dwell = memory.dwell
