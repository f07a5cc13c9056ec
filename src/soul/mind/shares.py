"""Thoughts she wants to share, until she has."""

from __future__ import annotations

from collections.abc import Sequence

from soul.mind.mind_memory import SharedThought
from soul.mind.words import Words

#: So many thoughts wait at most; the oldest makes room.
MOST = 5
#: Longest thought, characters.
LONGEST = 400
#: What was never shared is let go after this, s.
FADES = 7 * 86400.0


class Shares:
    """The thoughts, oldest first.

    Parameters
    ----------
    memory
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(self, memory: Sequence[SharedThought] = ()) -> None:
        self._thoughts = [(thought.text, thought.since) for thought in memory]

    def memory(self) -> tuple[SharedThought, ...]:
        """Return the thoughts with the times they came up."""
        return tuple(SharedThought(text, since) for text, since in self._thoughts)

    def add(self, text: str, now: float) -> bool:
        """Keep a thought to share; False if it is there already."""
        self._fade(now)
        text = text.strip()[:LONGEST]
        if any(known.casefold() == text.casefold() for known, _ in self._thoughts):
            return False
        self._thoughts = [*self._thoughts, (text, now)][-MOST:]
        return True

    def shared(self, words: str) -> list[str]:
        """Let go of the thoughts that contain these words; empty: of the oldest."""
        gone = [text for text, _ in self._thoughts if words.casefold() in text.casefold()]
        if not words:
            gone = gone[:1]
        self._thoughts = [(text, since) for text, since in self._thoughts if text not in gone]
        return gone

    def text(self, now: float, words: Words) -> str:
        """Return them as she reads them."""
        self._fade(now)
        return '\n'.join(
            words.say('share', text=text, span=words.span(max(0.0, now - since)))
            for text, since in self._thoughts
        )

    def _fade(self, now: float) -> None:
        self._thoughts = [(text, since) for text, since in self._thoughts if now - since < FADES]

    def __len__(self) -> int:
        return len(self._thoughts)
