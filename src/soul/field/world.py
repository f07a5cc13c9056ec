"""Her field as one thing: what enters it, one tick of it, what survives.

A tick goes through the stages of seed 003: time passes and what is new is placed (update), each
feature is compared with its belief and each expectation with what happened (predict), the focus
is settled and everything laid out around it within capacity (attend), the mood is read off it
(feel). Rendering is separate and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from soul.field import capacity
from soul.field.attention import Attention, Pull
from soul.field.beliefs import FeatureSpec
from soul.field.decay import decay
from soul.field.embed import Relatedness
from soul.field.items import FULL, Item, Items
from soul.field.kinds import kind_of
from soul.field.layout import lay_out
from soul.field.memory import MoodMemory, WorldMemory
from soul.field.mood import Feeling, Mood, because
from soul.field.predict import Prediction
from soul.field.sight import Happening, Impression, Sight, within
from soul.field.words import Words
from soul.signals import FieldEventKind
from soul.store.numbers import number

#: Held at most.
MOST_HELD = 3
#: So many new things, the loudest, are placed at once by what they are about; the others wait.
AT_ONCE = 128
#: What a thing is about stands in its first characters.
LOOKED_AT = 1000
#: So many things pile up between ticks, or one for four characters of capacity.
LEAST_CROWD = 1000
#: So many things that slipped away are kept, and so much of where a mood comes from, characters.
MOST_SLIPPED, MOST_BECAUSE = 200, 2000
#: Kinds that go without being missed.
UNMISSED = frozenset({'surprise', 'alert', 'met', 'sense'})


class World:
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
        words: Words,
        relatedness: Relatedness,
        specs: Mapping[str, FeatureSpec],
        limit: int = 2400,
        threshold: float = 0.45,
    ) -> None:
        self.words = words
        self.limit = limit
        self.relatedness = relatedness
        self.items = Items(relatedness.embedder.dimensions)
        self.attention = Attention(threshold)
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

    def put(self, sight: Sight, now: float) -> Item:
        """Let something enter, or refresh what is there under its key."""
        item = self.items.by_key(sight.key)
        if item is not None and item.kind == sight.kind:
            self._refresh(item, sight)
            return item
        if item is not None:
            self._remove(item)
        item = self.items.add(
            sight.kind,
            sight.source,
            sight.key,
            sight.text,
            sight.gist,
            sight.trace or self.words.trace(sight.kind, sight.source),
            within(sight.salience, 0.0, 1.0),
            within(sight.valence, -1.0, 1.0),
            kind_of(sight.kind).growth if sight.growth is None else sight.growth,
            sight.anchor,
            sight.new,
        )
        item.born, item.own, item.marked = now, sight.own, sight.marked
        if not sight.level:
            self._arrivals.append(item)
        return item

    def _refresh(self, item: Item, sight: Sight) -> None:
        changed = item.text != sight.text
        if sight.level:
            item.salience = within(sight.salience, 0.0, 1.0)
            item.valence = within(sight.valence, -1.0, 1.0)
        elif changed:
            item.salience = max(item.salience, within(sight.salience, 0.0, 1.0))
            if item.resolved:  # it is a matter again
                item.resolved = False
                item.valence = within(sight.valence, -1.0, 1.0)
                item.growth = kind_of(item.kind).growth
        if changed:
            item.fidelity = FULL
            item.marked = sight.marked
            item.say(sight.text, sight.gist, sight.trace or item.trace)

    def perceive(self, impressions: Iterable[Impression], now: float) -> list[Happening]:
        """Take in what channels bring; at a tick or between two."""
        happened: list[Happening] = []
        for impression in impressions:
            for key in impression.resolve:
                item = self.items.by_key(key)
                if item is not None:
                    item.resolve()
            for key in impression.clear:
                self._forget(key)
            for sight in impression.sights:
                self.put(sight, now)
            happened += self.prediction.observe(impression.features, now)
            happened += self.prediction.happened(impression.events, now)
        if len(self.items) > max(LEAST_CROWD, self.limit // 4):
            happened += self.attend()  # a flood is not kept until the next tick
        return happened + self.prediction.check_deadlines(now)

    def _forget(self, key: str) -> None:
        item = self.items.by_key(key)
        if item is not None:
            self._remove(item)

    def _remove(self, *items: Item) -> None:
        self.items.drop(*items)
        self.attention.lost(items)

    # --- a tick ---------------------------------------------------------------------------

    def waiting(self) -> int:
        """How many messages and tasks wait."""
        rows = self.items.rows
        return int((rows['waits'] & ~rows['resolved']).sum())

    def live(
        self, impressions: Iterable[Impression], now: float, energy: float = 1.0
    ) -> list[Happening]:
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
        happened += self.perceive(impressions, now)
        happened += self.attend()
        known = 1.0 if math.isnan(energy) else energy
        surprise, self.prediction.surprise = self.prediction.surprise, 0.0
        self.feeling = self.mood.feel(self.items.rows, known, self.fullness(), surprise)
        self.because = because(self.feeling, self.items, self.words)
        return happened

    def _pass_time(self, now: float) -> list[Happening]:
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

    def attend(self) -> list[Happening]:
        """Settle the focus, lay everything out around it, keep within capacity.

        Also between ticks, after she did something with her attention.
        """
        happened: list[Happening] = []
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
            happened.append(Happening(FieldEventKind.CAPTURED, pull.by, pull.item, loudness))
        self.place()
        gone = capacity.fit(self.items.rows, self.limit, self.attention.row(self.items))
        return happened + self._slip(self.items.remove(gone))

    def would_capture(self) -> bool:
        """Whether something arrived that is worth looking at."""
        return any(item.row >= 0 and self.attention.loud(item) for item in self._arrivals)

    def place(self) -> None:
        """Lay everything out around the focus with the vectors there are."""
        rows = self.items.rows
        missing = np.flatnonzero(rows['placed'] & ~rows['embedded'])
        if len(missing) > AT_ONCE:
            loudest = np.argsort(-rows['salience'][missing], kind='stable')[:AT_ONCE]
            missing = missing[loudest]
        lacking = self.items.at(missing)
        gaze = self.attention.gaze
        topic = gaze.topic if not gaze.item else ''
        texts = [item.text[:LOOKED_AT] for item in lacking] + ([topic] if topic else [])
        vectors = self.relatedness.of(texts) if texts else []
        for item, vector in zip(lacking, vectors, strict=False):
            if vector is not None:
                self.items.vectors[item.row] = vector
                item.embedded = True
        towards = vectors[-1] if topic else None
        floor = self.relatedness.embedder.floor
        lay_out(rows, self.items.vectors, self.attention.row(self.items), towards, floor)

    def relate_by(self, relatedness: Relatedness) -> None:
        """Place things by another embedder from now on."""
        self.relatedness = relatedness
        self.items.forget_vectors(relatedness.embedder.dimensions)

    def _slip(self, dropped: list[Item]) -> list[Happening]:
        self.attention.lost(dropped)
        missed = [item for item in dropped if item.kind not in UNMISSED]
        self.slipped += [item.gist for item in missed]
        return [Happening(FieldEventKind.SLIPPED, item.gist, item.id) for item in missed]

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
        self.place()
