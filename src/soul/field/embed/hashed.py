"""Relatedness without a model: hashed groups of characters.

Texts that share words, or parts of words, share groups. Latin words give themselves and the
groups of three characters in them (beginnings and ends marked by a space); Chinese and Japanese,
which have no spaces, give single characters (with a small weight) and pairs. Every group adds
+-weight to one of the dimensions; its hash decides which and the sign (feature hashing, Weinberger
et al. 2009). All texts are done at once in numpy: about 10 microseconds a text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soul.field.embed.port import Vectors

#: A text is looked at so far, characters.
LONGEST = 1000
#: So many texts at once: what that takes stays in the processor's cache.
BATCH = 64
#: Weights of what a text is made of.
WORD, TRIPLE, PAIR, SINGLE = 1.0, 0.45, 1.0, 0.35
#: Words that say nothing about what a text is about, and what they weigh all the same.
COMMON_WEIGHT = 0.1
COMMON = """
    a about an and are as at be been but by can could d did do does for from had has have he her
    here his how i if in into is it its just ll m me my no not of on or our out re s she so t than
    that the their then there these they this those to up ve was we were what when where which who
    will with would you your
"""

_PRIME = np.uint64(0x100000001B3)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_U64 = np.uint64


class HashedEmbedder:
    """The hashed bag of words and characters.

    Parameters
    ----------
    dimensions
        Length of the vectors, a power of two.
    """

    name = 'hash'
    floor = 0.12

    def __init__(self, dimensions: int = 512) -> None:
        self.dimensions = dimensions
        self._common = np.unique(
            np.array([_hash_word(word) for word in COMMON.split()], dtype=np.uint64)
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        return np.concatenate([self._batch(batch) for batch in batches])

    def _batch(self, texts: Sequence[str]) -> Vectors:
        count = len(texts)
        normal = [' ' + _normal(text[:LONGEST]) + ' ' for text in texts]
        lengths = np.array([len(text) for text in normal])
        points = np.frombuffer(
            ''.join(normal).encode('utf-32-le', 'surrogatepass'), dtype='<u4'
        ).astype(np.uint64)
        owner = np.repeat(np.arange(count), lengths)
        east = _east_asian(points)
        letter = (points != 32) & ~east
        same = owner[:-1] == owner[1:]

        starts, ends = _runs(letter)
        words = _word_hashes(points, letter, starts, ends)
        weights = np.where(np.isin(words, self._common), COMMON_WEIGHT, WORD)
        weight_at = np.zeros(len(points))
        weight_at[letter] = np.repeat(weights, ends - starts)

        singles = points[east]
        parts = [
            (words, owner[starts], weights),
            _triples(points, owner, letter, east, weight_at),
            (singles, owner[east], np.full(len(singles), SINGLE)),
        ]
        pair = east[:-1] & east[1:] & same
        pairs = _mix(points[:-1][pair], points[1:][pair])
        parts.append((pairs, owner[:-1][pair], np.full(len(pairs), PAIR)))

        hashes = np.concatenate([_scatter(h) for h, _, _ in parts])
        owners = np.concatenate([o for _, o, _ in parts])
        weights = np.concatenate([w for _, _, w in parts])
        column = (hashes & _U64(self.dimensions - 1)).astype(np.int64)
        sign = np.where((hashes >> _U64(40)) & _U64(1), 1.0, -1.0)
        summed = np.bincount(
            owners * self.dimensions + column,
            weights=weights * sign,
            minlength=count * self.dimensions,
        )
        out = summed.astype(np.float32).reshape(count, self.dimensions)
        # what is said often in one text counts less and less
        size = np.abs(out)
        np.copysign(np.sqrt(size, out=size), out, out=out)
        norms = np.sqrt(np.einsum('ij,ij->i', out, out))
        out *= (1.0 / np.maximum(norms, 1e-12))[:, None].astype(np.float32)
        return out


def _normal(text: str) -> str:
    """Fold case and width; everything that is no letter or digit becomes a space."""
    if not text.isascii():
        text = unicodedata.normalize('NFKC', text)
    return text.casefold().translate(_SPACED)


class _Spaced(dict[int, str]):
    def __missing__(self, point: int) -> str:
        char = chr(point)
        self[point] = answer = char if char.isalnum() or unicodedata.combining(char) else ' '
        return answer


_SPACED = _Spaced()


def _east_asian(points: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Han, kana and what else is written without spaces (Thai, Lao, Khmer, Myanmar)."""
    return (
        ((points >= 0x3040) & (points <= 0x30FF))
        | ((points >= 0x3400) & (points <= 0x9FFF))
        | ((points >= 0x20000) & (points <= 0x3FFFF))
        | ((points >= 0xF900) & (points <= 0xFAFF))
        | ((points >= 0x0E00) & (points <= 0x0EFF))
        | ((points >= 0x1000) & (points <= 0x109F))
        | ((points >= 0x1780) & (points <= 0x17FF))
    )


def _runs(letter: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each word begins and ends."""
    edges = np.diff(np.concatenate([[0], letter.view(np.int8), [0]]))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)


def _word_hashes(
    points: NDArray[np.uint64],
    letter: NDArray[np.bool_],
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
) -> NDArray[np.uint64]:
    """A polynomial hash of each word."""
    if not len(starts):
        return np.zeros(0, np.uint64)
    place = np.arange(len(points)) - np.repeat(
        np.concatenate([[0], starts]), np.diff(np.concatenate([[0], starts, [len(points)]]))
    )
    weighted = np.where(letter, points * _powers(place), _U64(0))
    bounds = np.ravel(np.column_stack([starts, ends]))
    return np.add.reduceat(np.concatenate([weighted, [_U64(0)]]), bounds)[::2]


_POWERS = np.cumprod(np.full(64, _PRIME, np.uint64))


def _powers(place: NDArray[np.int64]) -> NDArray[np.uint64]:
    return np.take(_POWERS, place % 64)


def _hash_word(word: str) -> int:
    with np.errstate(over='ignore'):
        points = np.array([ord(char) for char in word], np.uint64)
        return int(np.sum(points * _powers(np.arange(len(word)))))


def _triples(
    points: NDArray[np.uint64],
    owner: NDArray[np.int64],
    letter: NDArray[np.bool_],
    east: NDArray[np.bool_],
    weight_at: NDArray[np.float64],
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.float64]]:
    """Groups of three characters around a letter, word edges included."""
    if len(points) < 3:
        return np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0)
    plain = ~east
    fits = letter[1:-1] & plain[:-2] & plain[2:]
    fits &= (owner[:-2] == owner[1:-1]) & (owner[1:-1] == owner[2:])
    hashes = _mix(_mix(points[:-2][fits], points[1:-1][fits]), points[2:][fits])
    return hashes, owner[1:-1][fits], TRIPLE * weight_at[1:-1][fits]


def _mix(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (one * _PRIME) ^ (other + _MIX)


def _scatter(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits (the finaliser of splitmix64)."""
    mixed = (hashes ^ (hashes >> _U64(30))) * _U64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> _U64(27))) * _U64(0x94D049BB133111EB)
    return mixed ^ (mixed >> _U64(31))
