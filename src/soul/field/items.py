"""What is in her field: texts in objects, numbers in one numpy table.

Decay, layout, capacity and mood work on whole columns of the table, so that a field of thousands
of items costs about a millisecond a tick; everything else handles single :class:`Item` objects.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from soul.field.item import EDGE, FOCUS, FULL, GIST_LENGTH, UNPLACED, Item, clip
from soul.field.kinds import kind_of
from soul.field.memory import ItemMemory
from soul.text.numbers import number

_ROW = np.dtype(
    [
        ('salience', 'f8'),  # 0..1
        ('valence', 'f8'),  # -1..1
        ('half_life', 'f8'),  # s
        ('growth', 'f8'),  # 1/h
        ('relatedness', 'f8'),  # -1..1 to the focus, NaN: unknown
        ('full', 'i4'),  # characters of the text, the gist and the trace
        ('gist', 'i4'),
        ('trace', 'i4'),
        ('ring', 'i1'),
        ('fidelity', 'i1'),
        ('held', '?'),
        ('resolved', '?'),
        ('anchor', '?'),
        ('placed', '?'),
        ('alert', '?'),
        ('waits', '?'),
        ('new', '?'),  # a message that no turn has seen yet
        ('embedded', '?'),  # its row of `vectors` is valid
    ]
)

Rows = NDArray[np.void]
Mask = NDArray[np.bool_]


#: Columns that survive, in the order of :class:`~soul.field.memory.ItemMemory`.
_KEPT = ('salience', 'valence', 'growth', 'ring', 'fidelity', 'held', 'resolved', 'anchor', 'new')


class Items:
    """All items, by id and by key.

    Parameters
    ----------
    dimensions
        Length of the vectors that place the items.
    """

    def __init__(self, dimensions: int = 1) -> None:
        self._list: list[Item] = []  # by row
        self._ids: dict[str, Item] = {}
        self._keys: dict[str, Item] = {}
        self.count = 0  # number of the newest item that ever was
        self._table = np.zeros(64, _ROW)
        self._vectors = np.zeros((64, dimensions), np.float32)

    @property
    def rows(self) -> Rows:
        """The table, one row an item; a view to be read and written."""
        return self._table[: len(self._list)]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """Vectors of the items, valid where `embedded`."""
        return self._vectors[: len(self._list)]

    def __len__(self) -> int:
        return len(self._list)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._list)

    def __getitem__(self, row: int) -> Item:
        return self._list[row]

    def at(self, rows: NDArray[np.intp]) -> list[Item]:
        """Return the items of some rows."""
        return [self._list[row] for row in rows.tolist()]

    def get(self, item_id: str) -> Item | None:
        """Find an item by its id."""
        return self._ids.get(item_id)

    def by_key(self, key: str) -> Item | None:
        """Find an item by what it stands for."""
        return self._keys.get(key) if key else None

    def add(
        self,
        kind: str,
        source: str,
        key: str = '',
        text: str = '',
        gist: str = '',
        trace: str = '',
        salience: float = 0.5,
        valence: float = 0.0,
        growth: float = 0.0,
        anchor: bool = False,
        new: bool = False,
        item_id: str = '',
    ) -> Item:
        """Add an item; without a key its id is its key."""
        known = kind_of(kind)
        if not item_id:
            self.count += 1
            item_id = f'{known.prefix}{self.count}'
        row = len(self._list)
        if row == len(self._table):
            self._table = np.concatenate([self._table, np.zeros(row, _ROW)])
            more = np.zeros((row, self._vectors.shape[1]), np.float32)
            self._vectors = np.concatenate([self._vectors, more])
        item = Item(self, row, item_id, key or item_id, kind, source)
        item.text = text
        item.gist = clip(gist or text, GIST_LENGTH)
        item.trace = trace or item.gist
        # one assignment for the whole row: fields one by one cost ten times as much
        self._table[row] = (
            salience, valence, known.half_life, growth, math.nan, *item.lengths(),
            EDGE if known.placed else UNPLACED, FULL, False, False, anchor, known.placed,
            known.alert, known.waits, new, False,
        )  # fmt: skip
        self._list.append(item)
        self._ids[item_id] = item
        self._keys[item.key] = item
        return item

    def remove(self, gone: Mask) -> list[Item]:
        """Take out the items of the rows that are set."""
        dropped = [self._list[row] for row in np.flatnonzero(gone)]
        if not dropped:
            return []
        stays = ~gone
        count = int(stays.sum())
        self._table[:count] = self.rows[stays]
        self._vectors[:count] = self.vectors[stays]
        for item in dropped:
            del self._ids[item.id]
            del self._keys[item.key]
            item.row = -1
        self._list = [item for item in self._list if item.row >= 0]
        for row, item in enumerate(self._list):
            item.row = row
        return dropped

    def drop(self, *items: Item) -> None:
        """Remove these items; the rows of the others move up."""
        gone = np.zeros(len(self._list), np.bool_)
        gone[[item.row for item in items]] = True
        self.remove(gone)

    def forget_vectors(self, dimensions: int) -> None:
        """Begin with vectors of another kind."""
        self._vectors = np.zeros((len(self._table), dimensions), np.float32)
        self._table['embedded'] = False

    # --- what survives ----------------------------------------------------------------------

    def memory(self) -> tuple[ItemMemory, ...]:
        """Return all items, in the order of their rows."""
        columns = [self.rows[name].tolist() for name in _KEPT]
        return tuple(
            ItemMemory(
                item.id, item.key, item.kind, item.source, item.text, item.gist, item.trace,
                item.born, item.own, item.marked, *numbers,
            )
            for item, *numbers in zip(self._list, *columns, strict=True)
        )  # fmt: skip

    def memory_of(self, item: Item) -> ItemMemory:
        """Return one item."""
        numbers = [self.rows[name][item.row].item() for name in _KEPT]
        return ItemMemory(
            item.id, item.key, item.kind, item.source, item.text, item.gist, item.trace,
            item.born, item.own, item.marked, *numbers,
        )  # fmt: skip

    def restore(self, count: int, memories: Iterable[ItemMemory]) -> None:
        """Fill an empty field.

        Parameters
        ----------
        count
            Number of the newest item that ever was: no later one has its id.
        """
        for memory in memories:
            self._restore(memory, memory.id)
        self.count = count

    def put_back(self, memory: ItemMemory) -> None:
        """Add an item as it was; under its id, unless that is another's by now."""
        self._restore(memory, '' if memory.id in self._ids else memory.id)

    def _restore(self, memory: ItemMemory, item_id: str) -> None:
        item = self.add(
            memory.kind, memory.source, memory.key, memory.text, memory.gist, memory.trace,
            item_id=item_id,
        )  # fmt: skip
        item.born, item.own, item.marked = memory.born, memory.own, memory.marked
        for name in _KEPT:
            low, high = _RANGES.get(name, (0, 1))
            setattr(item, name, number(getattr(memory, name), low, high, 0.0))


#: Of the columns that are kept; the others are 0 or 1.
_RANGES = {'valence': (-1, 1), 'growth': (0, 100), 'ring': (FOCUS, UNPLACED), 'fidelity': (0, 2)}
