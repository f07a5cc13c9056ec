"""Whether what a microphone heard is what she has just said herself, in any language."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable

from soul.voice.scripts import is_han, is_kana

#: So much of what was heard must be hers; a character that is misheard breaks two pairs, and who
#: returns her greeting and goes on says more than she did.
SHARE = 0.6

Reading = Callable[[str], str]


def is_own(heard: str, spoken: str, reading: Reading | None = None) -> bool:
    """Whether `heard` may be part of `spoken`.

    Words are compared where blanks part them, pairs of neighbouring characters where none do.

    Parameters
    ----------
    reading
        Gives how a text is read, where one sound is written in several ways.
    """
    if _covered(heard, spoken):
        return True
    return reading is not None and _covered(reading(heard), reading(spoken))


def _covered(heard: str, spoken: str) -> bool:
    grams = _grams(heard)
    if not grams:
        return False
    shared = sum((grams & _grams(spoken)).values())
    return shared >= SHARE * sum(grams.values())


def _grams(text: str) -> Counter[str]:
    """Return the parts of a text, counted."""
    plain = unicodedata.normalize('NFKC', text).casefold()
    parts: Counter[str] = Counter()
    run, word = '', ''
    for char in [*plain, ' ']:
        wide = is_han(char) or is_kana(char)
        if word and (wide or not (char.isalnum() or char == "'")):
            parts[word] += 1
            word = ''
        if wide:
            run += char
        elif char.isalnum():
            word += char
        if not wide and char.isalnum() and run:
            parts += _pairs(run)
            run = ''
    parts += _pairs(run)  # marks and blanks part no run: they are heard differently
    return parts


def _pairs(run: str) -> Counter[str]:
    if len(run) < 2:
        return Counter([run] if run else [])
    return Counter(run[at : at + 2] for at in range(len(run) - 1))
