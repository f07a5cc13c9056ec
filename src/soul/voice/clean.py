"""What is read aloud of a text: the words, without what is only for the eye."""

from __future__ import annotations

import re
import unicodedata

_CODE = re.compile(r'```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)', re.DOTALL)
_PICTURE = re.compile(r'!\[([^\]]*)\]\([^)]*\)')
_LINK = re.compile(r'\[([^\]]+)\]\([^)\s]*(?:\s+"[^"]*")?\)')
_ADDRESS = re.compile(
    r'<?\b(?:https?|ftp|mailto|file|wss?):[^\s<>"\')\]，。、；！？」』）]+>?'
    r'|\bwww\.[^\s<>"\')\]，。、；！？」』）]+',
    re.IGNORECASE,
)
_TAG = re.compile(r'</?[a-zA-Z][^<>]{0,200}>')
_LINE_MARK = re.compile(r'^\s{0,8}(?:#{1,6}\s+|>+\s*|[-*+•]\s+(?:\[[ xX]\]\s+)?)', re.MULTILINE)
_RULE = re.compile(
    r'^[ \t]*(?:[-*_=][ \t]*){3,}$|^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*\|?[ \t]*$', re.MULTILINE
)
_STRONG = re.compile(
    r'(\*\*\*|\*\*|(?<![A-Za-z0-9])\*|(?<!\w)_{1,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1(?!\1)', re.DOTALL
)
_LONELY = re.compile(r'[*`~]+|(?<!\w)_+|_+(?!\w)|^[ \t]*\|+|\|+[ \t]*$', re.MULTILINE)
_CELL = re.compile(r'[ \t]*\|[ \t]*')
_EMOTICON = re.compile(r'(?<!\w)[:;=8][-o^\']?[)(\]\[DPpO/\\|](?!\w)|\^_\^|<3')
_DOTS = re.compile(r'\.{3,}|…+')
_REPEATED = re.compile(r'([!?！？])[!?！？]+')
_BEFORE = re.compile(r'\s+([,.!?;:，。！？；：、])')
_BLANK = re.compile(r'[ \t\r\f\v]+')
_NUMBER = re.compile(
    r'(?<![A-Za-z\d.])([-−]?)(\d+(?:[.,]\d+)?)\s*(°C|℃|°F|℉|°|%|km/h|m/s)', re.IGNORECASE
)

_MINUS = {'en': 'minus ', 'zh': '零下', 'ja': 'マイナス'}
_UNITS = {
    'en': {
        '°c': ' degrees Celsius', '℃': ' degrees Celsius', '°f': ' degrees Fahrenheit',
        '℉': ' degrees Fahrenheit', '°': ' degrees', '%': ' percent',
        'km/h': ' kilometres per hour', 'm/s': ' metres per second',
    },
    'zh': {
        '°c': '摄氏度', '℃': '摄氏度', '°f': '华氏度', '℉': '华氏度', '°': '度', '%': '%',
        'km/h': '公里每小时', 'm/s': '米每秒',
    },
    'ja': {
        '°c': '度', '℃': '度', '°f': '度', '℉': '度', '°': '度', '%': 'パーセント',
        'km/h': 'キロ毎時', 'm/s': 'メートル毎秒',
    },
}  # fmt: skip


def spoken(text: str, language: str = 'en') -> str:
    """Return what is said of a text: lines of words; empty if there is nothing to say.

    Marks of Markdown, code blocks, addresses, tags, emoji and control characters are left out; of
    a link its words stay. Units behind a number are said in the language.
    """
    for pattern, instead in (
        (_CODE, ' '), (_PICTURE, r'\1'), (_LINK, r'\1'), (_ADDRESS, _end_of_address), (_TAG, ' '),
        (_RULE, ''), (_LINE_MARK, ''), (_EMOTICON, ' '),
    ):  # fmt: skip
        text = pattern.sub(instead, text)
    for _ in range(3):  # marks within marks
        text = _STRONG.sub(r'\2', text)
    text = _LONELY.sub(' ', text)
    text = _CELL.sub(', ', text)
    text = _NUMBER.sub(lambda found: _measure(found, language), text)
    text = ''.join(_said(char) for char in text)
    text = _REPEATED.sub(r'\1', _DOTS.sub('…', text))
    lines = (_BEFORE.sub(r'\1', _BLANK.sub(' ', line)).strip(' ,') for line in text.split('\n'))
    return '\n'.join(line for line in lines if any(char.isalnum() for char in line))


def _end_of_address(found: re.Match[str]) -> str:
    """Return the mark that ends the sentence, not the address."""
    last = found[0][-1]
    return last if last in '.,!?' else ' '


def _measure(found: re.Match[str], language: str) -> str:
    units = _UNITS.get(language, _UNITS['en'])
    sign = _MINUS.get(language, _MINUS['en']) if found[1] else ''
    return f'{sign}{found[2]}{units[found[3].lower()]}'


def _said(char: str) -> str:
    """Return a character if it is one of words; pictures and controls are blanks."""
    if char == '\n':
        return char
    kind = unicodedata.category(char)
    if kind[0] in 'LNPZ' or kind in ('Mn', 'Mc'):
        # variation selectors and joiners belong to emoji
        return '' if char in '\ufe0e\ufe0f\u20e3' else char
    if kind == 'Sm' or kind == 'Sc' or char in '°':
        return char
    return ' ' if kind in ('So', 'Cc', 'Sk') else ''
