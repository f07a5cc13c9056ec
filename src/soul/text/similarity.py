"""Tells whether two texts say nearly the same."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from operator import add

from soul.text.resources import resource
from soul.text.tables import read_table
from soul.text.terms import content, normal

#: Dice's coefficient of the character pairs from which two texts count as one.
ALIKE = 0.75
#: The same for the kana of two statements whose words are the same.
SAME = 0.85
_NUMBER = re.compile(r'\d+')
_NO_LETTER = re.compile(r'[\W_]+')
_WORD = re.compile(r'\w+')


def bare(text: str) -> str:
    """Return a text's letters and digits alone."""
    return _NO_LETTER.sub('', normal(text))


def template(text: str) -> str:
    """Return the same with every number as one and the same: day 3 of a thing is like day 4."""
    return _NUMBER.sub('0', bare(text))


def pair_counts(text: str) -> Counter[str]:
    """Count the pairs of neighbours in a text."""
    return Counter(map(add, text, text[1:])) or Counter([text])


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """Dice's coefficient of two counts of pairs, 0..1 (Dice 1945)."""
    shared = one.keys() & other.keys()
    # by maps: a diary of long entries has thousands of pairs
    both = sum(map(min, map(one.__getitem__, shared), map(other.__getitem__, shared)))
    return 2.0 * both / max(1, one.total() + other.total())


def same_statement(one: str, other: str) -> bool:
    """Tell whether two texts state the same, but for wording.

    Their words must be the same in the same order, and so must what they deny: seven and
    eleven, or who gave to whom, look much alike and are not.
    """
    if bare(one) == bare(other):
        return bool(bare(one)) or one == other
    (words, kana), (other_words, other_kana) = content(one), content(other)
    if words != other_words or _denials(one) != _denials(other):
        return False
    # in Japanese much of the grammar, and some words, are in kana
    return likeness(pair_counts(kana), pair_counts(other_kana)) >= SAME


def _denials(text: str) -> Counter[str]:
    text = normal(text)
    words = Counter(_WORD.findall(text))
    return Counter(
        {
            word: words[word] if word.isascii() else text.count(word)
            for word in _negations()
            if (words[word] if word.isascii() else text.count(word))
        }
    )


@lru_cache(maxsize=1)
def _negations() -> tuple[str, ...]:
    return tuple(map(str, read_table(resource('memory/search.yaml'))['negations']))
