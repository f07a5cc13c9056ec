"""One thing she remembers, and how it stands in a note.

A note is Markdown. Under each heading of the form

    ## 2026-11-30 13:55 · self · 0.5 · ×3 · 1f0c2a9b7d44

stands one entry: when it was last met, where it came from, how important it is (0..1), how often
it was met, and its mark. What a person writes into a note without such a heading is an entry,
too: of a person, as old as the file.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from datetime import tzinfo

from soul.text.similarity import bare
from soul.text.stamps import stamp, take_stamp

#: Where a text can come from; only the first is her own.
ORIGINS = ('self', 'person', 'body', 'web', 'tool')
OWN = ORIGINS[0]
DEFAULT_IMPORTANCE = 0.5
#: What a person wrote is taken apart at paragraphs into pieces of about this size.
PIECE_CHARACTERS = 1500
_HEADING = re.compile(r'^ {0,3}#{1,6}(?:[ \t]+(.*?))?[ \t#]*$')
_ESCAPED = re.compile(r'^([ \t]*)\\(\\*#)', re.MULTILINE)
_FORGED = re.compile(r'^([ \t]*)(\\*#)', re.MULTILINE)
_MARK = re.compile(r'[0-9a-f]{12}')
_COUNT = re.compile(r'[×x](\d{1,9})')
_IMPORTANCE = re.compile(r'(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)')


@dataclass(frozen=True)
class Entry:
    """One line of a note, with its date, origins, importance and how often it was said."""

    id: str  # its mark
    text: str
    at: float  # seconds since 1970; to the minute
    origins: tuple[str, ...] = (OWN,)  # in the order in which they came
    importance: float = DEFAULT_IMPORTANCE  # 0..1
    count: int = 1  # how often it was met
    path: str = ''  # of its note, relative to the memory folder
    start: int = 0  # where it stands in the note, in characters
    end: int = 0

    @property
    def hers(self) -> bool:
        """Whether all of it is her own."""
        return self.origins == (OWN,)

    @property
    def digest(self) -> str:
        """Digest of its letters and digits."""
        return digest(self.text)

    def merged(self, text_origin: str, now: float, importance: float) -> Entry:
        """Return it after it was met once more; the text stays, every origin stays on it."""
        origins = self.origins
        if text_origin not in origins:
            origins = (*origins, text_origin)
        return replace(
            self,
            at=max(self.at, now),
            origins=origins,
            importance=max(self.importance, importance),
            count=self.count + 1,
        )

    def written(self, zone: tzinfo | None = None) -> str:
        """Write it as it stands in a note."""
        parts = [stamp(self.at, zone), '+'.join(self.origins), _short(self.importance)]
        if self.count > 1:
            parts.append(f'×{self.count}')
        heading = ' · '.join([*parts, self.id])
        return f'## {heading}\n\n{escape(self.text)}\n\n'


def _short(part: float) -> str:
    return f'{part:.2f}'.rstrip('0').rstrip('.')


def digest(text: str) -> str:
    """Digest of a text's letters and digits; of the text itself if it has none."""
    return hashlib.sha256((bare(text) or text).encode('utf-8', 'replace')).hexdigest()[:24]


def mark(text: str, *more: object) -> str:
    """Return the mark of a new entry."""
    told = '\0'.join([text, *map(str, more)])
    return hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()[:12]


def escape(text: str) -> str:
    """Keep lines of a text from reading as headings: nothing remembered can forge an entry."""
    return _FORGED.sub(r'\1\\\2', text)


def unescape(text: str) -> str:
    """Undo :func:`escape`."""
    return _ESCAPED.sub(r'\1\2', text)


def parse(page: str, path: str, modified: float, zone: tzinfo | None = None) -> list[Entry]:
    """Read all entries of a note.

    Parameters
    ----------
    path
        Of the note, relative to the memory folder.
    modified
        When the file was last changed, seconds since 1970: the age of what bears no date.
    """
    entries: list[Entry] = []
    head: Entry | None = None
    begin = body = 0
    titled = False

    def close(end: int) -> None:
        text = page[body:end]
        if head is not None:
            told = unescape(text).strip().replace('\r\n', '\n')
            if told:
                entries.append(replace(head, text=told, path=path, start=begin, end=end))
        else:
            entries.extend(_pieces(text, body, path, modified))

    place = 0
    for line in page.split('\n'):
        heading = _HEADING.match(line.strip('\r\ufeff'))
        if heading:
            close(place)
            head = _head(heading[1] or '', zone)
            begin = place
            is_title = not titled and not entries and head is None and line.startswith('# ')
            # a person's heading belongs to the text below it; a note's title does not
            body = place + len(line) + 1 if head is not None or is_title else place
            titled = True
        place += len(line) + 1
    close(len(page))
    return entries


def _head(title: str, zone: tzinfo | None) -> Entry | None:
    at, rest = take_stamp(title, zone)
    if at is None:
        return None
    entry = Entry('', '', at, ('person',))
    for part in (part.strip() for part in rest.split('·')):
        origins = tuple(dict.fromkeys(part.split('+')))
        if all(origin in ORIGINS for origin in origins):
            entry = replace(entry, origins=origins)
        elif _MARK.fullmatch(part):
            entry = replace(entry, id=part)
        elif _IMPORTANCE.fullmatch(part):
            entry = replace(entry, importance=float(part))
        elif count := _COUNT.fullmatch(part):
            entry = replace(entry, count=max(1, int(count[1])))
    return entry if entry.id else None


def _pieces(text: str, offset: int, path: str, modified: float) -> list[Entry]:
    """Take what a person wrote apart at paragraphs."""
    pieces: list[tuple[int, int]] = []
    for found in re.finditer(r'(?:[^\n]*\S[^\n]*(?:\n|\Z))+', text):
        start, end = found.span()
        if pieces and end - pieces[-1][0] <= PIECE_CHARACTERS:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
    entries = []
    for start, end in pieces:
        told = text[start:end].strip().replace('\r\n', '\n')
        entries.append(
            Entry(
                mark(told, path),
                told,
                # to the minute, as everywhere
                modified // 60 * 60,
                ('person',),
                path=path,
                start=offset + start,
                end=offset + end,
            )
        )
    return entries
