"""Which embedder to use: the best that is there."""

from __future__ import annotations

from collections.abc import Callable

from soul.field.embed.onnx import OnnxEmbedder
from soul.field.embed.port import Embedder, Unavailable
from soul.field.embed.sentence import SentenceEmbedder

#: By the parameter's value, the preferred one first. The lighter one is preferred: its vectors
#: agree with the other's to 0.9996, in half the memory.
ROUTES: dict[str, tuple[Callable[[str], Embedder], ...]] = {
    'auto': (OnnxEmbedder, SentenceEmbedder),
    'minilm': (OnnxEmbedder, SentenceEmbedder),
    'onnx': (OnnxEmbedder,),
    'sentence-transformers': (SentenceEmbedder,),
}


def load(choice: str, model: str = '') -> Embedder:
    """Load a model; takes seconds, so never on an executor's thread.

    Raises
    ------
    Unavailable
        Why none of the possible ones can be had.
    """
    reasons = []
    for route in ROUTES[choice]:
        try:
            return route(model)
        except Unavailable as reason:
            reasons.append(str(reason))
    raise Unavailable('; '.join(reasons))
