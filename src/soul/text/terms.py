"""What to search for in a text: words, and pairs of characters where no spaces stand.

An index of groups of three characters finds every word of three letters or more, in any script.
Chinese and Japanese words mostly have two characters, so these are found by pairs, and single
characters that stand alone by themselves; so are Latin words of one or two letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from soul.text.resources import resource
from soul.text.tables import read_table

HAN = '\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff'
HANGUL = '\uac00-\ud7af'
KATAKANA = '\u30a1-\u30ff'
HIRAGANA = '\u3041-\u309f'
_UNSPACED = f'{HAN}{HANGUL}{KATAKANA}{HIRAGANA}'
_RUNS = re.compile(f'[{_UNSPACED}]+')
_PIECES = re.compile(f'([{HAN}{HANGUL}]+)|([{KATAKANA}]+)|([{HIRAGANA}]+)|([^\\W_{_UNSPACED}]+)')
#: A word of at least so many letters is searched for in the index of threes.
LONG = 3
#: Shorter runs of hiragana are endings and particles.
HIRAGANA_WORD = 4
# what is left is found inside of the word, and is long enough to mean it
_ENDING = re.compile(
    r'(?<=\w\w\w\w)(?:ing|ed|ies)$|(?<=\w\w[sxz])es$|(?<=\w[cs]h)es$|(?<=\w\w[^s])s$'
)


@dataclass(frozen=True)
class Terms:
    """What to search for."""

    long: tuple[str, ...] = ()  # three characters or more
    short: tuple[str, ...] = ()  # one or two

    def __bool__(self) -> bool:
        return bool(self.long or self.short)


def normal(text: str) -> str:
    """Bring widths, ligatures and capitals into one form."""
    return unicodedata.normalize('NFKC', text).casefold()


def short_tokens(text: str) -> str:
    """Return the tokens of the index of short terms, separated by spaces.

    Parameters
    ----------
    text
        In normal form.
    """
    tokens = []
    for run in _RUNS.findall(text):
        tokens += list(run)
        tokens += pairs(run)
    tokens += [word for *_, word in _PIECES.findall(text) if word and len(word) < LONG]
    return ' '.join(tokens)


def pairs(run: str) -> list[str]:
    """Return all neighbours in a run of characters."""
    return [run[n : n + 2] for n in range(len(run) - 1)]


def search_terms(text: str, most: int = 24) -> Terms:
    """Take a text apart into what to search for; at most so many terms of each kind."""
    text = normal(text)
    found = list(_terms(text, strict=True)) or list(_terms(text, strict=False))
    distinct = list(dict.fromkeys(found))
    long = [term for term in distinct if len(term) >= LONG]
    short = [term for term in distinct if len(term) < LONG]
    # what is long is rare; what comes first is as good as anything
    return Terms(tuple(sorted(long, key=len, reverse=True)[:most]), tuple(short[:most]))


def _terms(text: str, strict: bool) -> Iterable[str]:
    stop = stop_words() if strict else frozenset()
    # of a long view most words come again and again
    for han, katakana, hiragana, word in dict.fromkeys(_PIECES.findall(text)):
        if word:
            if word not in stop and (len(word) > 1 or word.isdigit() or not strict):
                yield stem(word)
        elif hiragana:
            if len(hiragana) >= HIRAGANA_WORD:
                yield from (hiragana[n : n + 3] for n in range(len(hiragana) - 2))
            elif not strict:
                yield from pairs(hiragana) if len(hiragana) > 1 else [hiragana]
        elif len(han or katakana) == 1:
            if (han or katakana) not in stop:
                yield han or katakana
        else:
            found = pairs(han or katakana)
            yield from (p for p in found if not (p[0] in stop or p[1] in stop))


def content(text: str) -> tuple[list[str], str]:
    """Return what a text states: its words without endings and Han characters, in order; kana.

    Words and characters that fill a sentence without changing it are left out.
    """
    words, kana = [], []
    fillers = _table('fillers', 'filler_characters')
    for han, katakana, hiragana, word in _PIECES.findall(normal(text)):
        kana.append(hiragana)
        if word:
            words += [stem(word)] if word not in fillers else []
        else:
            words += [character for character in han or katakana if character not in fillers]
    return words, ''.join(kana)


def stem(word: str) -> str:
    """Cut an English ending: what is left is found inside of every form of the word."""
    return _ENDING.sub('', word) if word.isascii() else word


def stop_words() -> frozenset[str]:
    """Words and characters that say nothing about what a text is about."""
    return _table('stop_words', 'stop_characters')


@lru_cache(maxsize=4)
def _table(words: str, characters: str) -> frozenset[str]:
    table = read_table(resource('memory/search.yaml'))
    return frozenset([*map(str, table[words]), *str(table[characters])])
