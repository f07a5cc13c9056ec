"""Reads entries out of pages that people may have edited; nothing is ever thrown away here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo

from soul.store.pages import shown
from soul.text.stamps import take_stamp

_COMMENT = re.compile(r'<!--.*?(?:-->|\Z)', re.DOTALL)
_HEADING = re.compile(r' {0,3}#{1,6}(?:[ \t]+(.*?))?[ \t#]*$')
_HEADINGS = re.compile(r'^ {0,3}#{1,6}[ \t]+(.+)$', re.MULTILINE)
# what is indented further belongs to the item above it
_BULLET = re.compile(r' ?(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[([ xX])\][ \t]*)?')
_ESCAPED = re.compile(r'^([ \t]*)\\(\\*#)', re.MULTILINE)
_FORGED = re.compile(r'^([ \t]*)(\\*#)', re.MULTILINE)


@dataclass(frozen=True)
class PageEntry:
    """One entry of a page."""

    text: str  # as she reads it
    at: float | None = None  # seconds since 1970; None: it bears no date
    start: int = 0  # where it stands in the page, in characters
    end: int = 0
    done: bool = False  # ticked off: `- [x] ...`


@dataclass(frozen=True)
class Section:
    """A part of a page under a heading that begins with a date."""

    at: float  # seconds since 1970
    start: int  # of the heading, in characters
    end: int  # behind its last character
    body: int  # behind the heading
    rest: str  # what the heading says behind the date


def dated_sections(page: str, zone: tzinfo | None = None) -> list[PageEntry]:
    """Read a page of sections under headings that begin with a date.

    What stands before the first one is no entry; headings without a date belong to the entry
    they stand in.
    """
    visible = hide_comments(page)
    entries = []
    for section in dated_spans(visible, zone):
        text = f'{section.rest}\n{visible[section.body : section.end]}'
        text = shown(unescape(text).strip())
        if text:
            entries.append(PageEntry(text, section.at, section.start, section.end))
    return entries


def dated_spans(page: str, zone: tzinfo | None = None) -> list[Section]:
    """Return where the sections of a page stand whose headings begin with a date.

    Together they are all of the page from the first such heading on, also those without a text.
    """
    found = []
    for heading in _headings(hide_comments(page)):
        at, rest = take_stamp(heading[1], zone)
        if at is not None:
            found.append((heading.start(), heading.end(), at, rest.rstrip('# \t')))
    ends = [*(start for start, *_ in found[1:]), len(page)][: len(found)]
    return [
        Section(at, start, end, body, rest)
        for (start, body, at, rest), end in zip(found, ends, strict=True)
    ]


def _headings(text: str) -> Iterator[re.Match[str]]:
    """Find all headings; by their sign, for trying at every line of a long page takes its time."""
    place = text.find('#')
    while place >= 0:
        found = _HEADINGS.match(text, text.rfind('\n', 0, place) + 1)
        if found:
            yield found
        end = text.find('\n', place)
        place = text.find('#', end) if end >= 0 else -1


def listed(page: str, zone: tzinfo | None = None) -> list[PageEntry]:
    """Read a page of list items and paragraphs, each with or without a date before it."""
    visible = hide_comments(page)
    entries = []
    for start, end in _blocks(visible):
        block = visible[start:end]
        bullet = _BULLET.match(block)
        body = block[bullet.end() :] if bullet else block
        at, text = take_stamp(body, zone)
        text = unescape('\n'.join(line.strip() for line in text.splitlines())).strip()
        if text:
            done = bool(bullet and bullet[1] and bullet[1] in 'xX')
            entries.append(PageEntry(shown(text), at, start, end, done))
    return entries


def prose(page: str) -> str:
    """Return a page without its title (a first heading of the first level) and comments."""
    text = hide_comments(page).strip()
    first, _, rest = text.partition('\n')
    if re.match(r'#(\s|$)', first):
        text = rest
    lines = [line.rstrip() for line in text.splitlines()]
    return shown(re.sub(r'\n{3,}', '\n\n', '\n'.join(lines)).strip())


def hide_comments(page: str) -> str:
    """Blank out HTML comments; every other character stays where it is."""
    page = page.replace('\r', ' ').replace('\ufeff', ' ')
    return _COMMENT.sub(lambda found: re.sub(r'[^\n]', ' ', found[0]), page)


def escape(text: str) -> str:
    """Keep lines of a text from reading as headings of the page it goes into."""
    return _FORGED.sub(r'\1\\\2', text.replace('<!--', '<\\!--'))


def unescape(text: str) -> str:
    """Undo :func:`escape`."""
    if '\\' not in text:
        return text
    return _ESCAPED.sub(r'\1\2', text.replace('<\\!--', '<!--'))


def item(text: str, stamp: str = '') -> str:
    """Write a list item; its further lines are indented, so that they stay its own."""
    lines = [escape(line.strip()) for line in text.splitlines() if line.strip()]
    head = f'- {stamp}: ' if stamp else '- '
    return head + '\n  '.join(lines) + '\n'


def appended(page: str | None, title: str, text: str) -> str:
    """Return a page with a text behind all that is there; a new one begins with its title."""
    if not page:
        return f'# {title}\n\n{text}'
    end = '' if page.endswith('\n') else '\n'
    # a comment that somebody left open would swallow what follows
    comments = _COMMENT.findall(page)
    open_comment = bool(comments) and not comments[-1].endswith('-->')
    return page + end + ('-->\n' if open_comment else '') + text


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split('\n'):
        yield start, line
        start += len(line) + 1


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Items and paragraphs as (start, end behind the last newline)."""
    begun: int | None = None
    in_list = False
    for start, line in _lines(text):
        blank = not line.strip()
        heading = _HEADING.match(line) is not None
        bullet = _BULLET.match(line) is not None
        # a line that somebody added below a list is an item of its own
        added = in_list and not line.startswith((' ', '\t'))
        if begun is not None and (blank or heading or bullet or added):
            yield begun, start
            begun = None
        if begun is None and not blank and not heading:
            begun, in_list = start, bullet
    if begun is not None:
        yield begun, len(text)
