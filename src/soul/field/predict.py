"""What she expects, and what it does to her when it comes otherwise (SoulScript Loop, section 2).

A surprise s from 0.25 on becomes an alert with salience min(1, 0.3 + s) and valence -0.35 s, and
everything of the same source gets louder by 0.3 s. Her own expectations come true with a little
warmth, or break with a surprise of 0.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from soul.field.beliefs import Beliefs, FeatureSpec, Observation
from soul.field.expectation import Expectation
from soul.field.expectations import BROKEN_SURPRISE, Expectations
from soul.field.item import Item
from soul.field.items import Items
from soul.field.kinds import kind_of
from soul.field.memory import PredictionMemory
from soul.field.readings import ItemUpdate, Occurrence
from soul.field.words import FieldWords
from soul.signals import FieldEventKind
from soul.text.numbers import number

ALERT_SALIENCE, ALERT_TENSION, ALERT_BOOST = 0.3, 0.35, 0.3
#: Salience and valence of an expectation that came true, and of one that broke.
TRUE = (0.45, 0.45)
BROKEN = (0.8, -0.4)


class Prediction:
    """Beliefs and expectations at work in a field.

    Parameters
    ----------
    put, forget
        Let something enter the field, and take out what stands under a key.
    """

    def __init__(
        self,
        words: FieldWords,
        specs: Mapping[str, FeatureSpec],
        items: Items,
        put: Callable[[ItemUpdate, float], Item],
        forget: Callable[[str], None],
    ) -> None:
        self._words = words
        self._specs = specs
        self._items = items
        self._put, self._forget = put, forget
        self.beliefs = Beliefs(specs)
        self.expectations = Expectations()
        self.surprise = 0.0  # of all alerts since the last tick

    def observe(self, features: Mapping[str, float], now: float) -> list[Occurrence]:
        """Compare what was measured with what was believed."""
        seen = [self.beliefs.observe(name, raw) for name, raw in features.items()]
        return [self._alert(o, now) for o in seen if o is not None and o.alert]

    def _alert(self, seen: Observation, now: float) -> Occurrence:
        source = seen.name.split('.')[0]
        unit = self._specs[seen.name].unit if seen.name in self._specs else ''
        text = self._words.alert(seen, unit)
        for item in self._items:
            if item.source == source and not kind_of(item.kind).alert:
                item.salience = min(1.0, item.salience + ALERT_BOOST * seen.surprise)
        update = ItemUpdate(
            f'surprise/{seen.name}',
            'surprise',
            source,
            text,
            salience=min(1.0, ALERT_SALIENCE + seen.surprise),
            valence=-ALERT_TENSION * seen.surprise,
            level=True,
        )
        self.surprise += seen.surprise
        item = self._put(update, now)
        return Occurrence(FieldEventKind.SURPRISED, text, item.id, seen.surprise)

    def happened(self, events: Iterable[str], now: float) -> list[Occurrence]:
        """Let expectations come true."""
        return [self._come_true(e, now) for e in self.expectations.happened(events, now)]

    def _come_true(self, met: Expectation, now: float) -> Occurrence:
        text = self._words.say('expected', text=met.text)
        self._forget(f'expect/{met.id}')
        update = ItemUpdate(f'met/{met.id}', 'met', 'self', text, '', '', *TRUE, own=True)
        return Occurrence(FieldEventKind.EXPECTED, text, self._put(update, now).id)

    def check_deadlines(self, now: float) -> list[Occurrence]:
        """Let expectations break whose time is over."""
        return [self._break(e, now) for e in self.expectations.broken(now)]

    def _break(self, broken: Expectation, now: float) -> Occurrence:
        text = self._words.say('broken', text=broken.text)
        self._forget(f'expect/{broken.id}')
        source = broken.channel.split('/')[0]
        item = self._put(
            ItemUpdate(f'broken/{broken.id}', 'surprise', source, text, '', '', *BROKEN), now
        )
        self.surprise += BROKEN_SURPRISE
        return Occurrence(FieldEventKind.BROKEN, text, item.id, BROKEN_SURPRISE)

    def memory(self) -> PredictionMemory:
        """Return what must survive."""
        return PredictionMemory(self.beliefs.memory(), self.expectations.memory(), self.surprise)

    def restore(self, memory: PredictionMemory) -> None:
        """Expect what was expected."""
        self.beliefs.restore(memory.beliefs)
        self.expectations.restore(memory.expectations)
        self.surprise = number(memory.surprise, 0.0, 1000.0, 0.0)
