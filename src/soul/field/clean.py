"""The outside cannot forge her view.

Everything that people, tools, files and other nodes say passes through here before she sees it:

* control characters, terminal sequences, text direction overrides and characters without a width
  are taken out, line separators become plain line ends;
* lines that look like a part of her field (FOCUS ▸ ..., ALERTS, Mood: ..., [d7]) lose that look,
  also when they are spelled with letters of another alphabet that look the same;
* whatever tried that is marked, so that she knows it.

Joiners that emoji, Arabic or Indic writing need stay; so do all letters of all languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from soul.field.kinds import PREFIXES

#: Marks in a row on one letter; no language needs more.
MOST_MARKS = 4
#: Longest name of a sender in her view.
NAME_LENGTH = 40

_TERMINAL = re.compile(
    r'(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]'
)
_LINE_ENDS = re.compile('\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]')
_MARKS = re.compile(
    r'([\u0300-\u036f\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{4})'
    r'[\u0300-\u036f\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+'
)
#: Anything that needs a closer look; most texts have none of it and are done quickly.
_ODD = re.compile(
    r'[^\n\x20-\x7e\xa0-\xac\xae-\u02ff\u3040-\u30ff\u4e00-\u9fff\uff01-\uff5e'
    r'\u3001-\u3002\u2018-\u201d\u2026\u2013-\u2014]'
)
_JOINERS = '\u200c\u200d'
#: Left by copying and pasting; taken out, and no sign of ill will.
_HARMLESS = '\ufeff\u00ad\u200e\u200f\u061c'
#: Scripts in which joiners belong to the spelling, by the first word of a character's name.
_JOINING = {
    'ARABIC', 'SYRIAC', 'DEVANAGARI', 'BENGALI', 'GURMUKHI', 'GUJARATI', 'ORIYA', 'TAMIL',
    'TELUGU', 'KANNADA', 'MALAYALAM', 'SINHALA', 'MYANMAR', 'KHMER', 'MONGOLIAN', 'TIBETAN',
}  # fmt: skip

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
#: What the marks of her field become in the words of others.
_DISARMED = str.maketrans({'▸': '›', '◆': '◇', '▮': '▪', '▱': '▫'})
#: What looks like a handle of hers; `list[d1]` is taken for one, too, but is no sign of ill will.
_ID = re.compile(rf'(?P<code>\w?)\[\s*(?P<id>[{PREFIXES}]\d{{1,7}})\s*\]')
_WORD = re.compile(r'[^\W\d_]+')


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
        heads = '|'.join(re.escape(fold(word)) for word in headings if word)
        begins = '|'.join(re.escape(fold(words)) for words in openings if words)
        self._line = re.compile(
            rf'^[\W_]*?(?:(?P<head>{heads})(?=\s*(?:[▸>›:·|]|$))'
            rf'|(?P<begin>{begins})|(?P<sign>[⏱✋]\s))',
            re.MULTILINE,
        )

    def clean(self, text: str) -> Cleaned:
        """Clean a text of one or more lines."""
        text, marked = strip(text)
        folded = fold(text)
        disarmed = text
        handles = list(_ID.finditer(folded))
        if handles:
            marked = marked or not all(match['code'] for match in handles)
            disarmed = _without_handles(text, handles)
            folded = fold(disarmed)
        if any(sign in folded for sign in '▸◆▮▱'):
            marked = True
            disarmed = ''.join(
                look.translate(_DISARMED) if look in '▸◆▮▱' else char
                for char, look in zip(disarmed, folded, strict=True)
            )
        lines = list(self._line.finditer(folded))
        for match in reversed(lines):
            marked = True
            name = next(n for n in ('head', 'begin', 'sign') if match[n] is not None)
            start, end = match.span(name)
            words, rest = disarmed[start:end].strip(), disarmed[end:].lstrip(' ')
            disarmed = f'{disarmed[:start]}“{words}” {rest}'
        return Cleaned(disarmed.strip(), marked)

    def name(self, text: str) -> Cleaned:
        """Clean a name: one line, short, no colon, and marked if its letters are mixed."""
        cleaned = self.clean(text)
        line = ' '.join(cleaned.text.replace(':', ' ').replace('：', ' ').split())
        if len(line) > NAME_LENGTH:
            line = line[: NAME_LENGTH - 1] + '…'
        return Cleaned(line, cleaned.marked or mixed(line))


def strip(text: str) -> tuple[str, bool]:
    """Take out what cannot be seen; True if there was something that should not be there."""
    text = text.replace('\t', ' ')
    if not _ODD.search(text):
        return text, False
    before = text
    text = _TERMINAL.sub('', text)
    marked = text != before
    text = _LINE_ENDS.sub('\n', text)
    kept: list[str] = []
    for at, char in enumerate(text):
        if char == '\n' or not _ODD.match(char):
            kept.append(char)
            continue
        if char in _JOINERS and _joins(text, at):
            kept.append(char)
            continue
        if char in _HARMLESS:
            continue
        category = unicodedata.category(char)
        if category in ('Cc', 'Cf', 'Cs', 'Co', 'Cn') or char in '\u3164\u115f\u1160\uffa0\u2800':
            marked = True
            continue
        kept.append(' ' if category == 'Zs' else char)
    text = ''.join(kept)
    calm = _MARKS.sub(r'\1', text)
    return calm, marked or calm != text


def _joins(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if not before or not after:
        return False
    if text[at] == '\u200d' and (ord(before) >= 0x2190 and ord(after) >= 0x2190):
        return unicodedata.category(after) == 'So'  # a composed emoji
    return _script(before) in _JOINING and _script(after) in _JOINING


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return unicodedata.name(char, '?').split(' ')[0]


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    plain = unicodedata.normalize('NFKC', char)
    plain = plain if len(plain) == 1 else char
    return plain.translate(_LOOKS_LIKE)


def fold(text: str) -> str:
    """Replace every character by what it looks like; the length stays."""
    if text.isascii():
        return text
    return ''.join(char if char < '\x80' else _fold_char(char) for char in text)


def mixed(text: str) -> bool:
    """Whether a word mixes alphabets whose letters look alike."""
    if text.isascii():
        return False
    alike = {'LATIN', 'CYRILLIC', 'GREEK', 'CHEROKEE'}
    words = _WORD.findall(text)
    return any(len({_script(char) for char in word} & alike) > 1 for word in words)


def _without_handles(text: str, handles: Iterable[re.Match[str]]) -> str:
    parts, last = [], 0
    for match in handles:
        start, (id_start, id_end) = match.end('code'), match.span('id')
        parts += [text[last:start], f'({text[id_start:id_end]})']
        last = match.end()
    return ''.join([*parts, text[last:]])
