"""A mapping that forgets the oldest: what is remembered of the outside has an end."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import TypeVar

K = TypeVar('K')
V = TypeVar('V')


class BoundedDict(OrderedDict[K, V]):
    """At most so many entries; the one that was put in first makes room.

    An entry that is set again keeps its place.

    Parameters
    ----------
    most
        How many there are at most.
    items
        The first ones, oldest first.
    """

    def __init__(self, most: int, items: Iterable[tuple[K, V]] = ()) -> None:
        super().__init__()
        self.most = most
        for key, value in items:
            self[key] = value

    def __setitem__(self, key: K, value: V) -> None:
        """Put an entry in."""
        super().__setitem__(key, value)
        while len(self) > self.most:
            self.popitem(last=False)
