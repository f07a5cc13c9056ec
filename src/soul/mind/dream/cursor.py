"""How far her dreams have come; it moves in the same change as what they did."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from soul.mind.memory.notebook import Note

#: Within the memory folder, so that it changes together with the notes.
FILE = 'dream.json'


@dataclass(frozen=True)
class Cursor:
    """The state between dreams."""

    diary_until: str = ''  # the last day whose diary has become gist: 2026-11-30

    def until(self, day: str) -> Cursor:
        """Return it after a day."""
        return replace(self, diary_until=max(self.diary_until, day))

    def text(self) -> str:
        """Return the file's content for these cursors."""
        return json.dumps(asdict(self), indent=1) + '\n'


def parse(note: Note) -> Cursor:
    """Read it; what cannot be read begins anew, which repeats gists and loses nothing."""
    try:
        data = json.loads(note.page or '{}')
        return Cursor(str(data.get('diary_until', '')))
    except (ValueError, AttributeError):
        return Cursor()
