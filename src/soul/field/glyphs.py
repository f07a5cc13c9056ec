"""Characters by the hundred thousand: what each is and what it looks like, as tables.

A table has an entry for every code point and is filled as code points are met; what is asked of a
whole text is then a few operations on arrays, whatever the text is made of. The pages of a table
that nobody has met take no memory.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Mask = NDArray[np.bool_]
Places = NDArray[np.signedinteger[Any]]
Natures = NDArray[np.uint16]

_ALL = 0x110000
#: Properties of a code point, as bits.
KNOWN, UNSEEN, HARMLESS, SPACE, BLANK, WORD, DIGIT, MARK, LINE, JOINING, PICTURE, OURS = (
    1 << n for n in range(12)
)

#: Left by copying and pasting; taken out, and no sign of ill will.
_HARMLESS = frozenset('\ufeff\u00ad\u200e\u200f\u061c')
#: Letters and signs that are drawn as nothing.
_FILLERS = frozenset('\u3164\u115f\u1160\uffa0\u2800')
_UNSEEN_KINDS = frozenset({'Cc', 'Cf', 'Cs', 'Co', 'Cn'})
#: What ends a line beside the plain line end.
_LINE_ENDS = frozenset('\r\v\f\x1c\x1d\x1e\x85\u2028\u2029')
#: Scripts in which joiners belong to the spelling, by the first word of a character's name.
_JOINING = {
    'ARABIC', 'SYRIAC', 'DEVANAGARI', 'BENGALI', 'GURMUKHI', 'GUJARATI', 'ORIYA', 'TAMIL',
    'TELUGU', 'KANNADA', 'MALAYALAM', 'SINHALA', 'MYANMAR', 'KHMER', 'MONGOLIAN', 'TIBETAN',
}  # fmt: skip
#: Marks that can be heaped on any letter: (first, last).
_HEAPED = (
    (0x300, 0x36F), (0x489, 0x489), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF),
)  # fmt: skip

#: Letters and signs that look like ASCII or like the marks of her field.
_LOOKS_LIKE = str.maketrans(
    {
        **dict(zip('АВСЕНІЈКМОРЅТХҮԌԚԜӀ', 'ABCEHIJKMOPSTXYGQWI', strict=True)),
        **dict(zip('асеорхуіјѕԁһӏԛԝ', 'aceopxyijsdhlqw', strict=True)),
        **dict(zip('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοαινρυ', 'ABEZHIKMNOPTYXoaivpu', strict=True)),
        **dict(zip('ᎪᏴᏟᎠᎬᎻᎫᏦᏞᎷᏢᏚᎢᏔ', 'ABCDEHJKLMPSTW', strict=True)),
        **dict(zip('［］【】〔〕⟦⟧❲❳〚〛⁅⁆', '[][][][][][][]', strict=True)),
        **dict.fromkeys('►▶‣⯈➤➔⮞❯⏵', '▸'),
        **dict.fromkeys('♦⬥❖◊⧫⯁', '◆'),
        **dict.fromkeys('▰■█', '▮'),
        **dict.fromkeys('▯□░', '▱'),
        **dict.fromkeys('•∙⋅・‧', '·'),
    }
)


#: The marks of her field.
_OURS = '▸◆▮▱'


def codes(text: str) -> Codes:
    """Return the code points of a text, also of half surrogates."""
    return np.frombuffer(text.encode('utf-32-le', 'surrogatepass'), np.uint32)


def text_of(points: Codes) -> str:
    """Return the text of code points."""
    return points.astype(np.uint32, copy=False).tobytes().decode('utf-32-le', 'surrogatepass')


class _Table:
    """What a function says of each code point, asked once for each."""

    def __init__(self, dtype: type, function: Callable[[str], int]) -> None:
        self._values: NDArray[Any] = np.zeros(_ALL, dtype)
        self._function = function

    def of(self, points: Codes) -> NDArray[Any]:
        """Look up code points; the function never says 0."""
        found = self._values.take(points)
        if not found.all():
            new = np.zeros(_ALL, np.bool_)
            new[points[found == 0]] = True
            for point in np.flatnonzero(new).tolist():
                self._values[point] = self._function(chr(point))
            found = self._values.take(points)
        return found


def script(char: str) -> str:
    """Return the first word of a character's name, for most letters their script."""
    return unicodedata.name(char, '?').split(' ')[0]


def _nature(char: str) -> int:
    point, category = ord(char), unicodedata.category(char)
    nature = KNOWN
    if char in _LINE_ENDS:
        nature |= LINE
    elif char in _HARMLESS:
        nature |= HARMLESS
    elif (category in _UNSEEN_KINDS and char != '\n') or char in _FILLERS:
        nature |= UNSEEN
    if category == 'Zs' and char != ' ':
        nature |= SPACE
    if char.isspace():
        nature |= BLANK
    if char.isalnum():
        nature |= WORD
    if char.isdecimal():
        nature |= DIGIT
    if script(char) in _JOINING:
        nature |= JOINING
    if category == 'So' and point >= 0x2190:
        nature |= PICTURE
    if chr(_look(char)) in _OURS:
        nature |= OURS
    if any(first <= point <= last for first, last in _HEAPED):
        nature |= MARK
    return nature


def _look(char: str) -> int:
    if char < '\x80':
        return ord(char) or 1
    plain = unicodedata.normalize('NFKC', char)
    return ord((plain if len(plain) == 1 else char).translate(_LOOKS_LIKE))


_NATURES = _Table(np.uint16, _nature)
_LOOKS = _Table(np.uint32, _look)


def natures(points: Codes) -> Natures:
    """Return the properties of code points, as bits."""
    return _NATURES.of(points)


def looks(points: Codes) -> Codes:
    """Return what code points look like."""
    return _LOOKS.of(points)


def among(points: Codes, few: Iterable[int]) -> Mask:
    """Tell which code points are among a few."""
    found = np.zeros(len(points), np.bool_)
    for point in few:
        found |= points == point
    return found


def last_true(mask: Mask) -> Places:
    """For each place the last one at or before it that is set; -1: none."""
    places = np.where(mask, np.arange(len(mask), dtype=np.int32), np.int32(-1))
    return np.maximum.accumulate(places) if len(mask) else places


def next_true(mask: Mask) -> Places:
    """For each place the next one at or after it that is set; the length: none."""
    places = np.where(mask, np.arange(len(mask), dtype=np.int32), np.int32(len(mask)))
    return np.minimum.accumulate(places[::-1])[::-1] if len(mask) else places
