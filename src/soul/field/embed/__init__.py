"""How texts become vectors whose angle says how related they are."""

from soul.field.embed.port import Embedder, Unavailable
from soul.field.embed.relatedness import Relatedness

__all__ = ['Embedder', 'Relatedness', 'Unavailable']
