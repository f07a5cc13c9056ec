"""The one session of her life: what was said and done, kept as a journal.

Kinds of entries: `begun` (a wake's turn begins), `message` (a chat message), `usage` (what a
call cost), `reply` (an answer to a person), `turn` (how the turn ended).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from soul.mind.providers.base import Completion
from soul.signals import Reply, Turn, WakeId
from soul.store import Journal

JOURNAL = 'sessions/life'


class Session:
    """The life session.

    Parameters
    ----------
    journal
        Where it is kept; None: nowhere.
    history_characters
        How much of earlier wakings is carried along.
    """

    def __init__(self, journal: Journal | None, history_characters: int) -> None:
        self._journal = journal
        self._limit = history_characters
        self._past: list[list[dict[str, Any]]] = []  # messages of earlier wakings
        self._current: list[dict[str, Any]] = []

    def _write(self, entry: Mapping[str, Any], durable: bool = False) -> None:
        if self._journal is not None:
            self._journal.append(entry, durable)

    # --- a turn ---------------------------------------------------------------------------

    def begin(self, wake: WakeId, sequence: int, now: float) -> None:
        """Write down that a wake's turn begins; on the disk when this returns."""
        entry = {
            'kind': 'begun',
            'wake': [wake.epoch, wake.sequence],
            'sequence': sequence,
            'at': now,
        }
        self._write(entry, durable=True)
        self._current = []

    def add(self, message: dict[str, Any], line: str = '') -> None:
        """Add a chat message; `line` is what later wakings see instead of it."""
        self._current.append({**message, 'line': line} if line else message)
        self._write({'kind': 'message', 'message': message, 'line': line})

    def used(self, completion: Completion, cost: float) -> None:
        """Write down what a call cost."""
        usage = completion.usage
        self._write(
            {
                'kind': 'usage',
                'in': usage.tokens_in,
                'cached': usage.cached,
                'out': usage.tokens_out,
                'cost': cost,
            }
        )

    def reply(self, reply: Reply) -> None:
        """Write an answer down; on the disk before anybody hears it."""
        self._write({'kind': 'reply', 'reply': dataclasses.asdict(reply)}, durable=True)

    def end(self, turn: Turn) -> None:
        """Write down how the turn ended; on the disk when this returns."""
        self._write({'kind': 'turn', 'turn': dataclasses.asdict(turn)}, durable=True)
        self._keep()

    def _keep(self) -> None:
        self._past.append(shrink(self._current))
        self._current = []
        while len(self._past) > 1 and self._size() > self._limit:
            self._past.pop(0)

    def _size(self) -> int:
        return sum(len(str(message)) for waking in self._past for message in waking)

    # --- the conversation -----------------------------------------------------------------

    def history(self) -> list[dict[str, Any]]:
        """Messages of earlier wakings, as they are carried along."""
        return [message for waking in self._past for message in waking]

    def conversation(self) -> list[dict[str, Any]]:
        """Messages of this waking."""
        return [{k: v for k, v in message.items() if k != 'line'} for message in self._current]

    # --- after a restart ------------------------------------------------------------------

    def load(self, entries: Iterable[Mapping[str, Any]]) -> Orphan | None:
        """Read the journal's newest part.

        Returns
        -------
        Orphan or None
            The turn that a crash has left open.
        """
        orphan: Orphan | None = None
        for entry in entries:
            kind = entry.get('kind')
            if kind == 'begun':
                orphan = Orphan(WakeId(*entry['wake']), entry['sequence'])
                self._current = []
            elif kind == 'message':
                line = entry.get('line')
                message = entry['message']
                self._current.append({**message, 'line': line} if line else message)
            elif kind == 'usage' and orphan is not None:
                orphan.usage(entry)
            elif kind == 'reply' and orphan is not None:
                orphan.replies.append(Reply(**entry['reply']))
            elif kind == 'turn':
                orphan = None
                self._keep()
        return orphan


@dataclasses.dataclass
class Orphan:
    """A turn that began and never ended."""

    wake: WakeId
    sequence: int
    replies: list[Reply] = dataclasses.field(default_factory=list)
    steps: int = 0
    tokens_in: int = 0
    cached: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def usage(self, entry: Mapping[str, Any]) -> None:
        """Count a call."""
        self.steps += 1
        self.tokens_in += entry['in']
        self.cached += entry['cached']
        self.tokens_out += entry['out']
        self.cost += entry['cost']


def shrink(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Make a waking fit to be carried along: views shrink to a line, calls stay paired."""
    kept: list[dict[str, Any]] = []
    answered = {m.get('tool_call_id') for m in messages if m['role'] == 'tool'}
    for message in messages:
        line = message.get('line')
        message = {k: v for k, v in message.items() if k != 'line'}
        if line:
            message['content'] = line
        calls = message.get('tool_calls')
        if calls:
            calls = [call for call in calls if call['id'] in answered]
            message = {**message, 'tool_calls': calls}
            if not calls:
                del message['tool_calls']
        if message['role'] != 'assistant' or message.get('content') or message.get('tool_calls'):
            kept.append(message)
    return kept
