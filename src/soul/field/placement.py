"""Where things lie around her focus: by what they are about."""

from __future__ import annotations

import numpy as np

from soul.field.attention import Attention
from soul.field.embed import Relatedness
from soul.field.items import Items
from soul.field.layout import lay_out

#: So many new things, the loudest, are placed at once by what they are about; the others wait.
AT_ONCE = 128
#: What a thing is about stands in its first characters.
LOOKED_AT = 1000


class Placement:
    """Lays all items out around the focus.

    Attributes
    ----------
    relatedness
        Says how near two texts are; see :meth:`relate_by`.
    """

    def __init__(self, relatedness: Relatedness, items: Items, attention: Attention) -> None:
        self.relatedness = relatedness
        self._items = items
        self._attention = attention

    def relate_by(self, relatedness: Relatedness) -> None:
        """Place things by another embedder from now on."""
        self.relatedness = relatedness
        self._items.forget_vectors(relatedness.embedder.dimensions)

    def place(self) -> None:
        """Lay everything out around the focus with the vectors there are."""
        items, attention = self._items, self._attention
        rows = items.rows
        missing = np.flatnonzero(rows['placed'] & ~rows['embedded'])
        if len(missing) > AT_ONCE:
            loudest = np.argsort(-rows['salience'][missing], kind='stable')[:AT_ONCE]
            missing = missing[loudest]
        lacking = items.at(missing)
        gaze = attention.gaze
        topic = gaze.topic if not gaze.item else ''
        texts = [item.text[:LOOKED_AT] for item in lacking] + ([topic] if topic else [])
        vectors = self.relatedness.of(texts) if texts else []
        for item, vector in zip(lacking, vectors, strict=False):
            if vector is not None:
                items.vectors[item.row] = vector
                item.embedded = True
        towards = vectors[-1] if topic else None
        floor = self.relatedness.embedder.floor
        lay_out(rows, items.vectors, attention.row(items), towards, floor)
