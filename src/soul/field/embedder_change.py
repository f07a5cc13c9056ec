"""How another embedder takes over: not before its first vectors are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from soul.field.embed import Embedder, Relatedness
from soul.field.embed.port import Vectors
from soul.field.items import Items
from soul.field.placement import Placement


class EmbedderChange:
    """Orders vectors of a model that has been loaded, and changes to it with them."""

    def __init__(self, items: Items, placement: Placement) -> None:
        self._items = items
        self._placement = placement
        self._coming: Relatedness | None = None  # by a model whose first vectors are awaited

    def begin(self, embedder: Embedder, order: Callable[[Sequence[str]], None]) -> None:
        """Order vectors of all that is there; with nothing to order the change is made now.

        Parameters
        ----------
        order
            Hands texts to where the model computes; the vectors come back by :meth:`arrived`.
        """
        self._coming = Relatedness(embedder, order)
        if not self._coming.wants([item.text for item in self._items if item.placed]):
            self._change()

    def arrived(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Take vectors that were ordered, and place things by them."""
        if self._coming is not None:
            self._coming.arrived(texts, vectors)
            self._change()
        else:
            self._placement.relatedness.arrived(texts, vectors)
        self._placement.place()

    def give_up(self, texts: Sequence[str]) -> None:
        """A model cannot be had, or failed with some texts: they stay without vectors."""
        self._coming = None
        self._placement.relatedness.failed(texts)

    def _change(self) -> None:
        if self._coming is not None:
            self._placement.relate_by(self._coming)
            self._coming = None
