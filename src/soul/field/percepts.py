"""What any node may let her perceive: checked, cleaned and kept to its own."""

from __future__ import annotations

import math

from soul.field.clean import Cleaner
from soul.field.item import GIST_LENGTH
from soul.field.items import Items
from soul.field.kinds import FOREIGN
from soul.field.readings import ChannelReading, ItemUpdate
from soul.signals import Percept

#: Names that only her own channels use.
RESERVED = ('door', 'bench', 'body', 'time', 'self')
LONGEST_NAME = 200
#: So much of a gist is looked at, characters; what is shown of it is shorter still.
GIST = 4 * GIST_LENGTH
#: Of features, events and keys in one percept.
MOST = 64


class BadPercept(ValueError):
    """A percept she cannot take, and why."""


class Percepts:
    """Turns percepts into readings.

    Parameters
    ----------
    limit
        Longest text, characters; what is longer is cut and counted.
    """

    def __init__(self, cleaner: Cleaner, limit: int) -> None:
        self._cleaner = cleaner
        self._limit = limit
        self.cut = 0

    def reading(self, percept: Percept, items: Items) -> ChannelReading:
        """Read a percept.

        Raises
        ------
        BadPercept
            Naming what is wrong.
        """
        source = self._cleaner.name(percept.source).text or 'outside'
        if source.split('/')[0] in RESERVED:
            source = f'outside/{source}'
        names = (percept.key, percept.source, percept.kind, *percept.events)
        if any(len(name) > LONGEST_NAME for name in names):
            raise BadPercept(f'a name of a percept is longer than {LONGEST_NAME} characters')
        listed = (percept.features, percept.events, percept.resolve, percept.clear)
        if any(len(entries) > MOST for entries in listed):
            raise BadPercept(f'a percept of {source} lists more than {MOST} of a kind')
        reading = ChannelReading(source)
        reading.resolve += [key for key in percept.resolve if self._may_touch(key, items)]
        reading.clear += [key for key in percept.clear if self._may_touch(key, items)]
        if percept.text.strip():
            reading.updates.append(self._update(percept, source, items))
        for feature in percept.features:
            # its name is told when it surprises
            name = self._cleaner.name(feature.name).text
            if not math.isfinite(feature.value):
                raise BadPercept(f'feature {name} of {source} is {feature.value}')
            reading.features[_under(source, name, '.')] = feature.value
        if percept.events:
            reading.events.append(source)
        for event in percept.events:
            reading.events.append(_under(source, event, '/'))
            if event.split('/')[0] not in RESERVED:
                reading.events.append(event)
        return reading

    def _update(self, percept: Percept, source: str, items: Items) -> ItemUpdate:
        if not self._may_touch(percept.key, items):
            raise BadPercept(f'the key {percept.key!a} of {source} is not a percept’s')
        text = percept.text
        if len(text) > self._limit:
            self.cut += 1
            text = f'{text[: self._limit]} … ({len(percept.text)})'
        cleaned = self._cleaner.clean(text)
        gist = self._cleaner.clean(percept.gist, GIST)
        kind = percept.kind if percept.kind in FOREIGN else 'note'
        return ItemUpdate(
            percept.key,
            kind,
            source,
            cleaned.text,
            gist.text,
            salience=percept.salience,
            valence=percept.valence,
            marked=cleaned.marked or gist.marked,
        )

    @staticmethod
    def _may_touch(key: str, items: Items) -> bool:
        """Messages, gauges and what she made herself are not the outside's to change."""
        item = items.by_key(key)
        return item is None or (item.kind in FOREIGN and item.source not in RESERVED)


def _under(source: str, name: str, sign: str) -> str:
    if name == source or name.startswith(f'{source}{sign}'):
        return name
    return f'{source}{sign}{name}'
