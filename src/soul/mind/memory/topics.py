"""Where in the tree of notes a topic lies."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

DEPTH = 3
_PART_BYTES = 80
_UNFIT = re.compile(r'[^\w-]+')
NOTES = 'notes'


def note_path(topic: str, otherwise: str) -> str:
    """Return the note of a topic, relative to the memory folder.

    Parameters
    ----------
    topic
        Words, `/` between folders: `people/Anna`. Whatever it is, the result lies below notes/.
    otherwise
        The topic of what has none.
    """
    parts = [fit for part in re.split(r'[/\\]', topic) if (fit := _fit(part))]
    parts = parts[: DEPTH - 1] + parts[DEPTH - 1 :][:1]
    return PurePosixPath(NOTES, *(parts or [_fit(otherwise) or 'inbox'])).as_posix() + '.md'


def _fit(part: str) -> str:
    part = unicodedata.normalize('NFC', part.removesuffix('.md')).strip().casefold()
    part = _UNFIT.sub('-', part).strip('-_')
    return part.encode()[:_PART_BYTES].decode('utf-8', 'ignore')


def numbered(path: str, number: int) -> str:
    """Return the note that goes on where another one is full; 1 is the note itself."""
    base = re.sub(r'\.md$', '', path)
    return path if number <= 1 else f'{base}-{number}.md'


def title(path: str) -> str:
    """Return the title of a note."""
    return PurePosixPath(path).stem.replace('-', ' ')
