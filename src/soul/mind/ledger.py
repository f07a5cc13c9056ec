"""What was begun, spent, answered and ended, in all her conversations, kept as a journal.

Kinds of entries: `begun` (a wake's turn begins), `usage` (what a call of the model cost), `reply`
(an answer to a person), `turn` (how a turn ended). The chat messages of the one stream of
consciousness lie between them in the same journal.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from soul.mind.providers.base import Usage
from soul.signals import Call, NamedValue, Reply, Turn, WakeId
from soul.store import Journal


@dataclasses.dataclass
class Orphan:
    """A turn that began and never ended."""

    wake: WakeId
    sequence: int
    session: str = ''
    replies: list[Reply] = dataclasses.field(default_factory=list)
    steps: int = 0
    usage: Usage = Usage()
    cost: float = 0.0

    def used(self, entry: Mapping[str, Any]) -> None:
        """Count a call."""
        self.steps += 1
        self.usage += Usage(entry['in'], entry['cached'], entry['out'])
        self.cost += entry['cost']


class Ledger:
    """The journal of the mind's turns.

    Parameters
    ----------
    journal
        Where it is kept; None: nowhere.
    """

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self.anomalies: list[str] = []

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._journal is not None:
            self._journal.append(entry, durable=entry['kind'] != 'usage')

    def begin(self, wake: WakeId, sequence: int, session: str, now: float) -> None:
        """Write down that a wake's turn begins; on the disk when this returns."""
        self._write(
            {
                'kind': 'begun',
                'wake': [wake.epoch, wake.sequence],
                'sequence': sequence,
                'session': session,
                'at': now,
            }
        )

    def used(self, sequence: int, usage: Usage, cost: float) -> None:
        """Write down what a call cost."""
        self._write(
            {
                'kind': 'usage',
                'turn': sequence,
                'in': usage.tokens_in,
                'cached': usage.cached,
                'out': usage.tokens_out,
                'cost': cost,
            }
        )

    def reply(self, sequence: int, reply: Reply) -> None:
        """Write an answer down; on the disk before anybody hears it."""
        self._write({'kind': 'reply', 'turn': sequence, 'reply': dataclasses.asdict(reply)})

    def end(self, turn: Turn) -> None:
        """Write down how a turn ended; on the disk when this returns."""
        self._write({'kind': 'turn', 'turn': dataclasses.asdict(turn)})

    # --- after a restart ------------------------------------------------------------------

    def read(self, entries: Iterable[Mapping[str, Any]]) -> tuple[list[Turn], list[Orphan]]:
        """Read the newest part of the journal.

        Returns
        -------
        tuple
            The turns that ended, oldest first, and those that a crash has left open.
        """
        turns: list[Turn] = []
        open_turns: dict[int, Orphan] = {}
        newest = 0
        for entry in entries:
            try:
                kind = entry.get('kind')
                if kind == 'begun':
                    newest = entry['sequence']
                    wake = WakeId(*entry['wake'])
                    open_turns[newest] = Orphan(wake, newest, entry.get('session', ''))
                elif kind == 'usage':
                    orphan = open_turns.get(entry.get('turn', newest))
                    if orphan is not None:
                        orphan.used(entry)
                elif kind == 'reply':
                    orphan = open_turns.get(entry.get('turn', newest))
                    if orphan is not None:
                        orphan.replies.append(Reply(**entry['reply']))
                elif kind == 'turn':
                    turn = turn_from(entry['turn'])
                    open_turns.pop(turn.sequence, None)
                    turns.append(turn)
            except (AttributeError, KeyError, TypeError, ValueError) as wrong:
                what = f'an entry of her turns cannot be read ({wrong}): {entry}'
                self.anomalies.append(what[:300])
        return turns, list(open_turns.values())


def turn_from(plain: Mapping[str, Any] | None) -> Turn:
    """Read a turn that was kept as plain values.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is none.
    """
    if not plain:
        return Turn()
    turn = Turn(
        **{
            **plain,
            'wake': WakeId(**plain['wake']),
            'causes': tuple(plain['causes']),
            'calls': tuple(Call(**call) for call in plain['calls']),
            'messages_seen': tuple(plain['messages_seen']),
            'messages_answered': tuple(plain.get('messages_answered', ())),
            'drives': tuple(NamedValue(**value) for value in plain['drives']),
            'stages': tuple(NamedValue(**value) for value in plain.get('stages', ())),
        }
    )
    for name in ('sequence', 'steps', 'tokens_in', 'tokens_cached', 'tokens_out'):
        if not isinstance(getattr(turn, name), int) or getattr(turn, name) < 0:
            raise ValueError(f'{name} is {getattr(turn, name)!r}')
    return turn
