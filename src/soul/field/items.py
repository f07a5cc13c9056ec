"""What is in her field: items with a salience that fades."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

#: Half-life of salience in seconds by kind.
HALF_LIFE = {
    'message': 21600.0,
    'task': 43200.0,
    'note': 7200.0,
    'seen': 3600.0,
    'intention': 21600.0,
    'body': 1800.0,
    'surprise': 900.0,
}
DEFAULT_HALF_LIFE = 3600.0
#: Below this an item is gone.
FLOOR = 0.03
#: First letter of an item's id by kind.
PREFIX = {'message': 'd', 'task': 'd', 'seen': 'm', 'note': 'n', 'intention': 's', 'body': 'b'}


@dataclass
class Item:
    """One thing in the field."""

    id: str
    key: str
    kind: str
    source: str
    text: str
    gist: str
    salience: float  # 0..1
    valence: float = 0.0  # -1..1
    held: bool = False
    resolved: bool = False


class Items:
    """All items, by id and by key."""

    def __init__(self, memory: Mapping[str, Any] | None = None) -> None:
        memory = memory or {}
        self._items = {plain['id']: Item(**plain) for plain in memory.get('items', [])}
        self._count: int = memory.get('count', 0)

    def memory(self) -> dict[str, Any]:
        """What must survive."""
        return {
            'items': [dataclasses.asdict(item) for item in self._items.values()],
            'count': self._count,
        }

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items.values())

    def get(self, item_id: str) -> Item | None:
        """Find an item by its id."""
        return self._items.get(item_id)

    def by_key(self, key: str) -> Item | None:
        """Find an item by what it stands for."""
        return next((item for item in self if item.key == key), None)

    def put(
        self,
        key: str,
        kind: str,
        source: str,
        text: str,
        gist: str = '',
        salience: float = 0.5,
        valence: float = 0.0,
    ) -> Item:
        """Add an item, or update the one with the same key."""
        item = self.by_key(key) if key else None
        gist = gist or (text if len(text) <= 60 else text[:59] + '…')
        if item is not None:
            item.text, item.gist, item.valence = text, gist, valence
            item.salience = max(item.salience, salience)
            item.resolved = False
            return item
        self._count += 1
        item = Item(
            f'{PREFIX.get(kind, "x")}{self._count}',
            key,
            kind,
            source,
            text,
            gist,
            salience,
            valence,
        )
        self._items[item.id] = item
        return item

    def remove(self, item: Item) -> None:
        """Take an item out."""
        del self._items[item.id]

    def fade(self, seconds: float) -> None:
        """Let time pass: salience halves per half-life, held items stay."""
        for item in list(self):
            half_life = HALF_LIFE.get(item.kind, DEFAULT_HALF_LIFE)
            if item.held:
                continue
            if item.resolved:
                half_life /= 3.0
            item.salience *= 0.5 ** (max(0.0, seconds) / half_life)
            waiting = item.kind == 'message' and not item.resolved
            if item.salience < FLOOR and not waiting:
                self.remove(item)
