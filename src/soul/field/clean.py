"""The outside cannot forge her view.

Everything that people, tools, files and other nodes say passes through here before she sees it:

* control characters, terminal sequences, text direction overrides and characters without a width
  are taken out, line separators become plain line ends;
* lines that look like a part of her field (FOCUS ▸ ..., ALERTS, Mood: ..., [d7]) lose that look,
  also when they are spelled with letters of another alphabet that look the same;
* whatever tried that is marked, so that she knows it.

Joiners that emoji, Arabic or Indic writing need stay; so do all letters of all languages. A text
is cut to its limit first, and the time for what is left grows with its length only: each rule is
a fixed number of passes over arrays of code points.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from soul.field import glyphs
from soul.field.glyphs import Codes, Natures, Places, codes, last_true, next_true, text_of
from soul.field.kinds import PREFIXES

#: Longest text that is cleaned, characters; a message may be set to be so long.
LONGEST = 1_000_000
#: Marks in a row on one letter; no language needs more.
MOST_MARKS = 4
#: Longest name of a sender in her view.
NAME_LENGTH = 40
#: So much of a name is looked at.
NAME_LOOK = 4 * NAME_LENGTH

_TERMINAL = re.compile(
    r'(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]'
)
#: A longer text is not looked through for being harmless: to clean it costs no more.
_SHORT = 4096
#: More terminal sequences than this are no mistake: they lose their first character only.
_SEQUENCES = 1000
#: Whoever has none of these properties has nothing to take out.
_ODD = glyphs.UNSEEN | glyphs.HARMLESS | glyphs.SPACE | glyphs.MARK | glyphs.OURS
#: What looks like a handle of hers; `list[d1]` is taken for one, too, but is no sign of ill will.
_ID = re.compile(rf'\[\s*[{PREFIXES}]\d{{1,7}}\s*\]')
_GAUGE = re.compile('[⏱✋]')
_WORD = re.compile(r'[^\W\d_]+')
_ZWNJ, _ZWJ = 0x200C, 0x200D
#: The marks of her field, and what they become in the words of others.
_MARKS, _DISARMED = codes('▸◆▮▱'), codes('›◇▪▫')
_OPEN, _CLOSE, _LEFT, _RIGHT = (ord(char) for char in '[]()')
_QUOTE, _UNQUOTE = (ord(char) for char in '“”')
_NEWLINE, _SPACE, _LOW_LINE = (ord(char) for char in '\n _')
#: What makes a heading of a word that stands before it; 0 is the end of the text.
_AFTER_HEAD = codes('▸>›:·|\n\0')
_SIGNS = codes('⏱✋')
_PREFIXES = codes(PREFIXES)
_MOST_DIGITS = 7


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text as she may see it."""

    text: str
    marked: bool  # it had tried to look like her field, or to hide something


class Cleaner:
    """Cleans what comes from outside.

    Parameters
    ----------
    headings
        Words that head a part of her view, alone on their line or before a mark (FOCUS, EDGE).
    openings
        Beginnings of other lines of her view (`Mood:`, `Slipped away:`).
    """

    def __init__(self, headings: Iterable[str], openings: Iterable[str]) -> None:
        heads = [_from_word(fold(words)) for words in headings if words]
        begins = [_from_word(fold(words)) for words in openings if words]
        self._heads = [(codes(words), True) for words in heads if words]
        self._heads += [(codes(words), False) for words in begins if words]
        longest = max((len(head) for head, _ in self._heads), default=0)
        self._padding = np.zeros(longest + 1, np.uint32)
        names = '|'.join(re.escape(words) for words in [*heads, *begins] if words)
        # Finds more than there is: whoever has none of it has nothing.
        self._suspect = re.compile(rf'^(?:[^\w\n]|_)*(?:{names or "(?!)"})', re.MULTILINE)

    def clean(self, text: str, limit: int = LONGEST) -> Cleaned:
        """Clean a text of one or more lines.

        Parameters
        ----------
        limit
            So many characters are looked at and kept; what follows is cut off first.
        """
        text = text[:limit].replace('\t', ' ')
        if len(text) <= _SHORT and self._harmless(text):
            return Cleaned(text.strip(), False)
        points, marked = seen_codes(text)
        points, forged = self._disarm(points)
        return Cleaned(text_of(points).strip(), marked or forged)

    def _harmless(self, text: str) -> bool:
        """Whether a text is surely as it should be; most are, and that is soon seen."""
        if not text.isascii():
            points = codes(text)
            if _any(glyphs.natures(points)) & (_ODD | glyphs.LINE) or _GAUGE.search(text):
                return False
            text = text_of(glyphs.looks(points))
        elif not text.replace('\n', ' ').isprintable():
            return False
        return not (_ID.search(text) or self._suspect.search(text))

    def name(self, text: str) -> Cleaned:
        """Clean a name: one line, short, no colon, and marked if its letters are mixed."""
        cleaned = self.clean(text, NAME_LOOK)
        line = ' '.join(cleaned.text.replace(':', ' ').replace('：', ' ').split())
        if len(line) > NAME_LENGTH or len(text) > NAME_LOOK:
            line = line[: NAME_LENGTH - 1] + '…'
        return Cleaned(line, cleaned.marked or mixed(line))

    def _disarm(self, points: Codes) -> tuple[Codes, bool]:
        """Take the look of her field from whatever has it; True if something had."""
        # The padding is the end of the text, and spares every look ahead a look at the length.
        look = np.concatenate([glyphs.looks(points), self._padding])
        nature = glyphs.natures(look)
        points = points.copy()
        forged = _without_handles(points, look, nature)
        if _any(nature) & glyphs.OURS:
            forged = True
            for mark, harmless in zip(_MARKS, _DISARMED, strict=True):
                points[look[: len(points)] == mark] = harmless
        start, length = self._lines(look, nature, len(points))
        if not len(start):
            return points, forged
        end = start + length
        bare = end[~glyphs.among(look[end], (_SPACE, _NEWLINE, 0))]  # those need a space behind
        places = np.concatenate([start, end, bare])
        what = np.repeat(
            np.array([_QUOTE, _UNQUOTE, _SPACE], np.uint32), [len(start), len(end), len(bare)]
        )
        order = np.argsort(places, kind='stable')
        return np.insert(points, places[order], what[order]), True

    def _lines(self, look: Codes, nature: Natures, size: int) -> tuple[Places, Places]:
        """Find what opens a line as a line of her field does: where, and how long it is."""
        newline = look == _NEWLINE
        word = nature & glyphs.WORD > 0
        begins = np.append(0, np.flatnonzero(newline[:size]) + 1)
        first = np.minimum(next_true(word | newline).take(begins), size)
        at = first[word.take(first)]  # where the first letter of a line is, if it has one
        initial = look.take(at)
        found: list[Places] = []
        lengths: list[Places] = []
        for head, alone in self._heads:
            here = at[initial == head[0]]
            for offset in range(1, len(head)):
                here = here[look[here + offset] == head[offset]]
            if not len(here):
                continue
            end = here + len(head)
            if alone:
                solid = next_true((nature & glyphs.BLANK == 0) | newline)
                here = here[glyphs.among(look[solid[end]], _AFTER_HEAD)]
            else:  # what is quoted already stays as it is
                here = here[(look[end] != _UNQUOTE) | (look[here - 1] != _QUOTE)]
            found.append(here)
            lengths.append(np.full(len(here), len(head), np.int32))
        signs = np.flatnonzero(glyphs.among(look[:size], _SIGNS))
        signs = signs[nature[signs + 1] & glyphs.BLANK > 0]
        line = np.searchsorted(begins, signs, side='right') - 1
        signs = signs[signs < first[line]].astype(np.int32)
        found.append(signs)
        lengths.append(np.ones(len(signs), np.int32))
        start, index = np.unique(np.concatenate(found), return_index=True)
        return start, np.concatenate(lengths)[index]


def _without_handles(points: Codes, look: Codes, nature: Natures) -> bool:
    """Make (d7) of [d7], in place; True if one stood by itself, not behind a word as in code."""
    opening = np.flatnonzero(look == _OPEN)
    if not len(opening):
        return False
    solid = next_true(nature & glyphs.BLANK == 0)
    prefix = solid[opening + 1]
    opening, prefix = _both(opening, prefix, glyphs.among(look[prefix], _PREFIXES))
    behind = next_true(nature & glyphs.DIGIT == 0)[prefix + 1]
    digits = behind - prefix - 1
    closing = solid[behind]
    fits = (digits >= 1) & (digits <= _MOST_DIGITS) & (look[closing] == _CLOSE)
    opening, closing = _both(opening, closing, fits)
    before = np.maximum(opening - 1, 0)
    behind_word = (nature[before] & glyphs.WORD > 0) | (look[before] == _LOW_LINE)
    for where, sign in ((opening, _LEFT), (closing, _RIGHT)):
        points[where] = look[where] = sign
    return bool((~behind_word | (opening == 0)).any())


def _both(one: Places, other: Places, mask: glyphs.Mask) -> tuple[Places, Places]:
    return one[mask], other[mask]


def _from_word(words: str) -> str:
    """Leave out what stands before the first letter: that is passed over in a line, too."""
    at = next((n for n, char in enumerate(words) if char.isalnum()), len(words))
    return words[at:]


def seen_codes(text: str) -> tuple[Codes, bool]:
    """Take out what cannot be seen; True if there was something that should not be there."""
    marked = False
    if '\x1b' in text or '\x9b' in text:
        before = len(text)
        if text.count('\x1b') + text.count('\x9b') <= _SEQUENCES:
            text = _TERMINAL.sub('', text)
        marked = len(text) != before
    points = codes(text)
    nature = glyphs.natures(points)
    there = _any(nature)
    if not there & (_ODD | glyphs.LINE):
        return points, marked
    unseen = nature & glyphs.UNSEEN > 0
    joiner = (points == _ZWNJ) | (points == _ZWJ)
    if joiner.any():
        unseen &= ~(joiner & _joins(points, nature))
    marked = marked or bool(unseen.any())
    gone = unseen | (nature & glyphs.HARMLESS > 0)
    points = points.copy()
    if there & glyphs.LINE:
        following = np.append(points[1:], np.uint32(0))
        gone |= (points == ord('\r')) & (following == _NEWLINE)
        points[nature & glyphs.LINE > 0] = _NEWLINE
    points[nature & glyphs.SPACE > 0] = _SPACE
    points, heaped = points[~gone], (nature & glyphs.MARK > 0)[~gone]
    if heaped.any():
        height = np.arange(len(heaped), dtype=np.int32) - last_true(~heaped)
        stays = ~heaped | (height <= MOST_MARKS)
        marked = marked or not stays.all()
        points = points[stays]
    return points, marked


def _any(nature: Natures) -> int:
    """Properties that any of the code points has."""
    return int(np.bitwise_or.reduce(nature)) if len(nature) else 0


def _joins(points: Codes, nature: Natures) -> glyphs.Mask:
    """Whether a joiner at a place belongs to a spelling or to a composed emoji."""
    before, after = np.roll(nature, 1), np.roll(nature, -1)
    before[0] = after[-1] = 0
    spelling = (before & after & glyphs.JOINING) > 0
    picture = (points == _ZWJ) & (np.roll(points, 1) >= 0x2190) & (after & glyphs.PICTURE > 0)
    return spelling | (picture & (before > 0))


def strip(text: str) -> tuple[str, bool]:
    """Take out what cannot be seen; True if there was something that should not be there."""
    points, marked = seen_codes(text.replace('\t', ' '))
    return text_of(points), marked


def fold(text: str) -> str:
    """Replace every character by what it looks like; the length stays."""
    return text if text.isascii() else text_of(glyphs.looks(codes(text)))


def mixed(text: str) -> bool:
    """Whether a word mixes alphabets whose letters look alike."""
    if text.isascii():
        return False
    alike = {'LATIN', 'CYRILLIC', 'GREEK', 'CHEROKEE'}
    words = _WORD.findall(text)
    return any(len({glyphs.script(char) for char in word} & alike) > 1 for word in words)
