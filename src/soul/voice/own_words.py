"""Whether what a microphone heard is what she has just said herself, in any language."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable

from soul.voice.scripts import is_han, is_kana

#: So much of what was heard must be hers.
SHARE = 0.6
#: Where single characters are compared, misheard ones break two pairs each.
WIDE_SHARE = 0.5

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
    wide, grams = _grams(heard)
    if not grams:
        return False
    own = _grams(spoken)[1]
    shared = sum((grams & own).values())
    return shared >= (WIDE_SHARE if wide else SHARE) * sum(grams.values())


def _grams(text: str) -> tuple[bool, Counter[str]]:
    """Return whether a text is one of wide letters, and its parts, counted."""
    plain = unicodedata.normalize('NFKC', text).casefold()
    parts: Counter[str] = Counter()
    run, word = '', ''
    any_wide = False
    for char in [*plain, ' ']:
        wide = is_han(char) or is_kana(char)
        if word and (wide or not (char.isalnum() or char == "'")):
            parts[word] += 1
            word = ''
        if wide:
            any_wide = True
            run += char
        elif char.isalnum():
            word += char
        if not wide and char.isalnum() and run:
            parts += _pairs(run)
            run = ''
    parts += _pairs(run)  # marks and blanks part no run: they are heard differently
    return any_wide, parts


def _pairs(run: str) -> Counter[str]:
    if len(run) < 2:
        return Counter([run] if run else [])
    return Counter(run[at : at + 2] for at in range(len(run) - 1))
