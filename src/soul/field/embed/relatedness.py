"""Vectors for the texts in her field: asked for once, remembered, never waited for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from soul.core.bounded import BoundedDict
from soul.field.embed.port import Embedder, Vectors

#: A text is placed by its beginning, characters.
LONGEST = 1000

#: Hands texts to whoever computes their vectors elsewhere; they come back to `arrived`.
Order = Callable[[Sequence[str]], None]


class Relatedness:
    """The embedder in use and what it has said.

    Parameters
    ----------
    embedder
        What turns texts into vectors.
    order
        None: the embedder is quick and asked at once. Otherwise its vectors come later, and
        until then a text has none.
    keep
        How many vectors are remembered.
    """

    def __init__(self, embedder: Embedder, order: Order | None = None, keep: int = 4096) -> None:
        self.embedder = embedder
        self._order = order
        self._known: BoundedDict[bytes, NDArray[np.float32]] = BoundedDict(keep)
        self._ordered: set[bytes] = set()

    def of(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        """Return the vector of each text, None where it is not known yet."""
        texts = [text[:LONGEST] for text in texts]
        keys = [_key(text) for text in texts]
        for key in keys:
            if key in self._known:
                self._known.move_to_end(key)  # before anything newer pushes it out
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._known}
        if missing and self._order is None:
            self._remember(missing.keys(), self.embedder.embed(list(missing.values())))
        elif missing and self._order is not None:
            new = {key: text for key, text in missing.items() if key not in self._ordered}
            if new:
                self._ordered.update(new)
                self._order(list(new.values()))
        return [self._known.get(key) for key in keys]

    def wants(self, texts: Sequence[str]) -> bool:
        """Order what is lacking of these; True if something was."""
        return any(vector is None for vector in self.of(texts)) if texts else False

    def arrived(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Take vectors that were ordered."""
        keys = [_key(text) for text in texts]
        self._ordered.difference_update(keys)
        self._remember(keys, vectors)

    def failed(self, texts: Sequence[str]) -> None:
        """These will not come; they may be asked for again."""
        self._ordered.difference_update(_key(text) for text in texts)

    def _remember(self, keys: Iterable[bytes], vectors: Vectors) -> None:
        for key, vector in zip(keys, vectors, strict=True):
            self._known[key] = vector


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=12).digest()
