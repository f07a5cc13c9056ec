"""Her field as one thing: what enters it, one tick of it, what survives.

The stages of a tick are those of SoulScript Loop: time passes, what is new is placed (update), a
feature is compared with its belief and each expectation with what happened (predict), the focus
is settled and everything laid out around it within capacity (attend), the mood is read off it
(feel). Rendering is separate and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from soul.field import capacity
from soul.field.attention import Attention, Pull
from soul.field.beliefs import FeatureSpec
from soul.field.decay import decay
from soul.field.embed import Relatedness
from soul.field.item import FULL, Item
from soul.field.items import Items
from soul.field.kinds import kind_of
from soul.field.memory import MoodMemory, WorldMemory
from soul.field.mood import Feeling, Mood, because
from soul.field.placement import Placement
from soul.field.predict import Prediction
from soul.field.readings import ChannelReading, ItemUpdate, Occurrence, within
from soul.field.words import FieldWords
from soul.signals import FieldEventKind
from soul.text.numbers import number

#: Held at most.
MOST_HELD = 3
#: So many things pile up between ticks, or one for four characters of capacity.
LEAST_CROWD = 1000
#: So many things that slipped away are kept, and so much of where a mood comes from, characters.
MOST_SLIPPED, MOST_BECAUSE = 200, 2000
#: Kinds that go without being missed.
UNMISSED = frozenset({'surprise', 'alert', 'met', 'sense'})


class FieldModel:
    """The field.

    Parameters
    ----------
    words
        Her language.
    relatedness
        What places things.
    specs
        Declared features.
    limit
        How much it holds, characters.
    threshold
        Salience from which an arrival takes her focus.
    """

    def __init__(
        self,
        words: FieldWords,
        relatedness: Relatedness,
        specs: Mapping[str, FeatureSpec],
        limit: int = 2400,
        threshold: float = 0.45,
    ) -> None:
        self.words = words
        self.limit = limit
        self.items = Items(relatedness.embedder.dimensions)
        self.attention = Attention(threshold)
        self.placement = Placement(relatedness, self.items, self.attention)
        self.prediction = Prediction(words, specs, self.items, self.put, self._forget)
        self.mood = Mood()
        self.feeling = Feeling('quiet', 0.0, 0.0)
        self.because = ''  # where the mood comes from, in words
        self.tick = 0
        self.lived_until = math.nan  # s of the node's clock
        self.slipped: list[str] = []  # at this tick and since, in short
        self.pulls: list[Pull] = []
        self.fresh: list[Item] = []  # what arrived at this tick and since
        self._arrivals: list[Item] = []  # what has not tried to take her focus yet

    # --- entering -------------------------------------------------------------------------

    def put(self, update: ItemUpdate, now: float) -> Item:
        """Let something enter, or refresh what is there under its key."""
        item = self.items.by_key(update.key)
        if item is not None and item.kind == update.kind:
            self._refresh(item, update)
            return item
        if item is not None:
            self.remove(item)
        item = self.items.add(
            update.kind,
            update.source,
            update.key,
            update.text,
            update.gist,
            update.trace or self.words.trace(update.kind, update.source),
            within(update.salience, 0.0, 1.0),
            within(update.valence, -1.0, 1.0),
            kind_of(update.kind).growth if update.growth is None else update.growth,
            update.anchor,
            update.new,
        )
        item.born, item.own, item.marked = now, update.own, update.marked
        if not update.level:
            self._arrivals.append(item)
        return item

    def _refresh(self, item: Item, update: ItemUpdate) -> None:
        changed = item.text != update.text
        if update.level:
            item.salience = within(update.salience, 0.0, 1.0)
            item.valence = within(update.valence, -1.0, 1.0)
        elif changed:
            item.salience = max(item.salience, within(update.salience, 0.0, 1.0))
            if item.resolved:  # it is a matter again
                item.resolved = False
                item.valence = within(update.valence, -1.0, 1.0)
                item.growth = kind_of(item.kind).growth
        if changed:
            item.fidelity = FULL
            item.marked = update.marked
            item.say(update.text, update.gist, update.trace or item.trace)

    def perceive(self, readings: Iterable[ChannelReading], now: float) -> list[Occurrence]:
        """Take in what channels bring; at a tick or between two."""
        happened: list[Occurrence] = []
        for reading in readings:
            for key in reading.resolve:
                item = self.items.by_key(key)
                if item is not None:
                    item.resolve()
            for key in reading.clear:
                self._forget(key)
            for update in reading.updates:
                self.put(update, now)
            happened += self.prediction.observe(reading.features, now)
            happened += self.prediction.happened(reading.events, now)
        if len(self.items) > max(LEAST_CROWD, self.limit // 4):
            happened += self.attend()  # a flood is not kept until the next tick
        return happened + self.prediction.check_deadlines(now)

    def _forget(self, key: str) -> None:
        item = self.items.by_key(key)
        if item is not None:
            self.remove(item)

    def remove(self, *items: Item) -> None:
        """Take items out of the field."""
        self.items.drop(*items)
        self.attention.lost(items)

    # --- a tick ---------------------------------------------------------------------------

    def waiting(self) -> int:
        """How many messages and tasks wait."""
        rows = self.items.rows
        return int((rows['waits'] & ~rows['resolved']).sum())

    def live(
        self, readings: Iterable[ChannelReading], now: float, energy: float = 1.0
    ) -> list[Occurrence]:
        """Live one full tick: update, predict, attend, feel.

        Parameters
        ----------
        now
            Seconds of the node's clock. A clock that was set back lets no time pass.
        energy
            0..1, what is left of the day's; NaN: not known.
        """
        self.tick += 1
        self.slipped, self.pulls, self.fresh = [], [], []
        happened = self._pass_time(now)
        happened += self.perceive(readings, now)
        happened += self.attend()
        known = 1.0 if math.isnan(energy) else energy
        surprise, self.prediction.surprise = self.prediction.surprise, 0.0
        self.feeling = self.mood.feel(self.items.rows, known, self.fullness(), surprise)
        self.because = because(self.feeling, self.items, self.words)
        return happened

    def _pass_time(self, now: float) -> list[Occurrence]:
        seconds = 0.0 if math.isnan(self.lived_until) else now - self.lived_until
        if seconds < 0.0:
            self.clock_was_set(now)
        self.lived_until = now
        gone = decay(self.items.rows, seconds, self.attention.row(self.items))
        happened = self._slip(self.items.remove(gone))
        for item in self.items:
            if item.kind == 'message':
                age = now - item.born
                item.fade_to(self.words.trace(item.kind, item.source, age, item.resolved))
        return happened

    def clock_was_set(self, now: float) -> None:
        """Go on from now: nothing waits for a time that was the future before."""
        if math.isnan(self.lived_until):
            return
        self.prediction.expectations.shift(now - self.lived_until)
        for item in self.items:
            item.born = min(item.born, now)
        self.lived_until = now

    # --- attending ------------------------------------------------------------------------

    def attend(self) -> list[Occurrence]:
        """Settle the focus, lay everything out around it, keep within capacity.

        Also between ticks, after she did something with her attention.
        """
        happened: list[Occurrence] = []
        pull = self.attention.come_back(self.items)
        if pull is not None:
            self.pulls.append(pull)
        there = [item for item in self._arrivals if item.row >= 0]
        self._arrivals = []
        self.fresh += there
        pull = self.attention.capture(self.items, there)
        if pull is not None:
            self.pulls.append(pull)
            taken = self.items.get(pull.item)
            loudness = taken.salience if taken is not None else 0.0
            happened.append(Occurrence(FieldEventKind.CAPTURED, pull.by, pull.item, loudness))
        self.placement.place()
        gone = capacity.fit(self.items.rows, self.limit, self.attention.row(self.items))
        return happened + self._slip(self.items.remove(gone))

    def would_capture(self) -> bool:
        """Whether something arrived that is worth looking at."""
        return any(item.row >= 0 and self.attention.loud(item) for item in self._arrivals)

    def _slip(self, dropped: list[Item]) -> list[Occurrence]:
        self.attention.lost(dropped)
        missed = [item for item in dropped if item.kind not in UNMISSED]
        self.slipped += [item.gist for item in missed]
        return [Occurrence(FieldEventKind.SLIPPED, item.gist, item.id) for item in missed]

    def fullness(self) -> float:
        """How full it is, 1.0: to capacity; more only by what may not be dropped."""
        return capacity.used(self.items.rows) / self.limit

    # --- what survives --------------------------------------------------------------------

    def memory(self) -> WorldMemory:
        """Return what must survive."""
        mood = self.mood
        return WorldMemory(
            count=self.items.count,
            items=self.items.memory(),
            attention=self.attention.memory(),
            prediction=self.prediction.memory(),
            mood=MoodMemory(mood.valence, mood.arousal, self.feeling.word, self.because),
            slipped=tuple(self.slipped[:MOST_SLIPPED]),
            tick=self.tick,
            lived_until=None if math.isnan(self.lived_until) else self.lived_until,
        )

    def restore(self, memory: WorldMemory) -> None:
        """Be what :meth:`memory` returned; this field has to be empty."""
        self.items.restore(memory.count, memory.items)
        self.attention.restore(memory.attention)
        self.prediction.restore(memory.prediction)
        self.mood.restore(memory.mood.valence, memory.mood.arousal)
        self.feeling = Feeling(memory.mood.word, 0.0, 0.0)
        self.because = memory.mood.because[:MOST_BECAUSE]
        self.slipped = list(memory.slipped[:MOST_SLIPPED])
        self.tick = memory.tick
        self.lived_until = number(memory.lived_until, 0.0, 1e11, math.nan)
        self.placement.place()
