"""One thing in the field: its texts, and its numbers as they stand in the table of all items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from soul.field.items import Items

#: Levels of fidelity: what of a thing she still sees.
FULL, GIST, TRACE = 0, 1, 2
#: Rings around her focus, from near to far.
FOCUS, CLOSE, AROUND, EDGE, UNPLACED = 0, 1, 2, 3, 4

#: A derived gist is this long, characters.
GIST_LENGTH = 64


def clip(text: str, length: int) -> str:
    """Cut a text to a length, on one line."""
    if len(text) > length or '\n' in text or '  ' in text:
        text = ' '.join(text.split())
    return text if len(text) <= length else text[: length - 1] + '…'


class _Number:
    """A column of the table as an attribute of an item."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, item: Item, owner: type | None = None) -> Any:
        return self._kind(item._items.rows[self._name][item.row])

    def __set__(self, item: Item, value: Any) -> None:
        item._items.rows[self._name][item.row] = value


class Item:
    """One thing in the field. Its numbers exist only while it is in the field."""

    __slots__ = (
        '_items', 'born', 'gist', 'id', 'key', 'kind', 'marked', 'own', 'row', 'source', 'text',
        'trace',
    )  # fmt: skip

    salience = _Number(float)
    valence = _Number(float)
    growth = _Number(float)
    relatedness = _Number(float)
    ring = _Number(int)
    fidelity = _Number(int)
    held = _Number(bool)
    resolved = _Number(bool)
    anchor = _Number(bool)
    placed = _Number(bool)
    new = _Number(bool)
    embedded = _Number(bool)

    def __init__(self, items: Items, row: int, item_id: str, key: str, kind: str, source: str):
        self._items = items
        self.row = row
        self.id = item_id
        self.key = key
        self.kind = kind
        self.source = source
        self.text = self.gist = self.trace = ''
        self.born = 0.0  # s of the node's clock
        self.own = False  # her own acting brought it: it never captures her focus
        self.marked = False  # it came from outside and tried to look like her field

    def say(self, text: str, gist: str, trace: str) -> None:
        """Set what it says in full, in short and as a trace."""
        if text != self.text:
            self.embedded = False
        self.text = text
        self.gist = clip(gist or text, GIST_LENGTH)
        self.trace = trace or self.gist
        self._measure()

    def fade_to(self, trace: str) -> None:
        """Set what is left of it at the edge."""
        if trace != self.trace:
            self.trace = trace
            self._measure()

    def _measure(self) -> None:
        row = self._items.rows[self.row]
        row['full'], row['gist'], row['trace'] = self.lengths()

    def lengths(self) -> tuple[int, int, int]:
        """Characters in full, in short, as a trace; a step never costs more than it saves."""
        full = len(self.text)
        gist = min(full, len(self.gist))
        return full, gist, min(gist, len(self.trace))

    def line(self, level: int) -> str:
        """Return what it says at a level of fidelity."""
        return (self.text, self.gist, self.trace)[level]

    def resolve(self) -> None:
        """It has been dealt with: the tension lifts (to +0.3, or at least +0.2)."""
        if self.resolved:
            return
        self.valence = 0.3 if self.valence < 0 else max(self.valence, 0.2)
        self.resolved, self.held, self.new = True, False, False
        self.growth = 0.0

    def __repr__(self) -> str:
        return f'<{self.id} {self.kind} {self.gist!r}>'
