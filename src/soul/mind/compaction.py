"""Keeps the conversation below a ceiling: the oldest wakings become an account of them.

An account is made of what was said and done, never of an earlier account: a summary of
summaries ends as the one sentence that a long uniform stretch has left, and she would take it
for herself. Accounts stand beside each other as chapters, and the oldest fade away; what she is
and what she wants to keep lies in her own files and her memory.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence

from soul.mind import tokens
from soul.mind.messages import AssistantMessage, Message, ToolResult
from soul.mind.session import Lived, Session
from soul.mind.words import Words

#: An account is asked for pieces of at most this many tokens: the request always fits.
PIECE = 12_000
#: So far above the ceiling it is shortened without a model, before a turn begins.
OVERDUE = 1.25
#: Longest account, characters.
LONGEST = 4000
#: Longest line of an account that no model has written, characters.
LINE = 160


class Compaction:
    """Decides what has to go, and writes the account of it.

    Parameters
    ----------
    ceiling
        Longest request, tokens.
    keep
        So many of the newest tokens stay word for word; at most half of the ceiling.
    """

    def __init__(self, ceiling: int, keep: int, words: Words) -> None:
        self._ceiling = ceiling
        self._keep = min(keep, ceiling // 2)
        self._words = words

    def wanted(self, length: int) -> bool:
        """Whether a request of so many tokens is above the ceiling."""
        return length > self._ceiling

    def overdue(self, length: int) -> bool:
        """Whether there was no quiet time to shorten for so long that it cannot wait."""
        return length > self._ceiling * OVERDUE

    def _oldest(self, session: Session, keep: int) -> list[Lived]:
        """Return the wakings that go so that `keep` tokens are left."""
        for number in range(len(session.past) - 1, -1, -1):
            keep -= session.past[number].tokens
            if keep < 0:
                return session.past[: number + 1]
        return []

    async def shorten(self, session: Session, write: Callable[[str], Awaitable[str]]) -> bool:
        """Replace the oldest wakings by an account.

        Parameters
        ----------
        write
            Asks the model for an account of a text; empty: it has none.

        Returns
        -------
        bool
            Whether anything went.
        """
        going = self._oldest(session, self._keep)
        if not going:
            return False
        parts = []
        for piece in _pieces(going):
            told = (await write(piece)).strip()
            parts.append(told or self._plain(piece))
        self._commit(session, going, '\n'.join(parts))
        return True

    def drop(self, session: Session) -> bool:
        """Shorten at once and without a model, when a request does not fit: half of it goes."""
        going = self._oldest(session, sum(lived.tokens for lived in session.past) // 2)
        if not going:
            return False
        self._commit(session, going, self._plain(_text(going)))
        return True

    def _commit(self, session: Session, going: Sequence[Lived], account: str) -> None:
        chapter = self._words.say('chapter', text=_clip(account, LONGEST))
        session.compact(going[-1].sequence, chapter)

    def _plain(self, text: str) -> str:
        """Make an account without a model: the first words of each line, alike ones once."""
        lines = dict.fromkeys(_clip(line, LINE) for line in text.splitlines() if line.strip())
        budget, chosen = LONGEST, []
        for line in reversed(list(lines)):  # the newest are worth the most
            budget -= len(line) + 1
            if budget < 0:
                break
            chosen.append(line)
        return '\n'.join(reversed(chosen))


def _pieces(lived: Sequence[Lived]) -> list[str]:
    pieces: list[str] = []
    lines: list[str] = []
    length = 0
    for line in _text(lived).splitlines():
        length += tokens.of_text(line)
        if lines and length > PIECE:
            pieces.append('\n'.join(lines))
            lines, length = [], tokens.of_text(line)
        lines.append(line)
    return [*pieces, '\n'.join(lines)]


def _text(lived: Sequence[Lived]) -> str:
    return '\n'.join(line for waking in lived for m in waking.messages for line in _lines(m))


def _lines(message: Message) -> list[str]:
    lines = [' '.join(message.text.split())] if message.text.strip() else []
    if isinstance(message, ToolResult):
        return [f'  -> {_clip(line, 400)}' for line in lines]
    if isinstance(message, AssistantMessage):
        for call in message.calls:
            lines.append(f'{call.name} {_clip(_plain_arguments(call.arguments), 400)}')
    return lines


def _plain_arguments(arguments: str) -> str:
    values = json.loads(arguments)
    return '; '.join(' '.join(str(value).split()) for value in values.values())


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + '…'
