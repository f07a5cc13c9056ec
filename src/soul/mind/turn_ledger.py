"""What was begun, spent, answered and ended, in all her conversations, kept as a journal.

Kinds of entries: `begun` (a wake's turn begins), `asked` (the model is about to be asked, and
what that is expected to cost), `usage` (what it did cost), `reply` (an answer to a person), `turn`
(how a turn ended). The chat messages of the one stream of
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
    #: A call of which nothing was heard: it counts as it was expected.
    asked: Mapping[str, Any] | None = None

    def used(self, entry: Mapping[str, Any]) -> None:
        """Count a call by its `usage` or `asked` entry."""
        usage = Usage(_count(entry['in']), _count(entry['cached']), _count(entry['out']))
        dollars = float(entry['cost'])
        if not 0.0 <= dollars < 1e12:
            raise ValueError(f'the cost is {dollars!r}')
        self.steps += 1
        self.usage += usage
        self.cost += dollars
        self.asked = None

    def close(self) -> Orphan:
        """Count what was asked and never answered; returns itself."""
        if self.asked is not None:
            self.used(self.asked)
        return self


class TurnLedger:
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
            self._journal.append(entry, durable=entry['kind'] in ('reply', 'turn'))

    def begin(self, wake: WakeId, sequence: int, session: str, now: float) -> None:
        """Write down that a wake's turn begins; :meth:`sync` brings it to the disk.

        Without that it survives the death of the process, but not a power cut.
        """
        self._write(
            {
                'kind': 'begun',
                'wake': [wake.epoch, wake.sequence],
                'sequence': sequence,
                'session': session,
                'at': now,
            }
        )

    def sync(self) -> None:
        """Bring to the disk what was written so far.

        Raises
        ------
        OSError
            If it cannot be brought there.
        """
        if self._journal is not None:
            self._journal.sync()

    def asked(self, sequence: int, usage: Usage, cost: float) -> None:
        """Write down what a call is expected to cost, before it is made.

        Parameters
        ----------
        sequence
            Of the turn; 0: it belongs to none.
        """
        self._call('asked', sequence, usage, cost)

    def used(self, sequence: int, usage: Usage, cost: float) -> None:
        """Write down what a call cost."""
        self._call('usage', sequence, usage, cost)

    def _call(self, kind: str, sequence: int, usage: Usage, cost: float) -> None:
        self._write(
            {
                'kind': kind,
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
            The turns that ended, oldest first, and those that a crash has left open; one of them
            has the number 0 if a call outside any turn was never heard of again.
        """
        turns: list[Turn] = []
        outside = Orphan(WakeId(), 0)
        open_turns: dict[int, Orphan] = {0: outside}
        newest = 0
        for entry in entries:
            try:
                kind = entry.get('kind')
                if kind == 'begun':
                    newest = entry['sequence']
                    wake = WakeId(*entry['wake'])
                    open_turns[newest] = Orphan(wake, newest, entry.get('session', ''))
                elif kind in ('asked', 'usage'):
                    orphan = open_turns.get(entry.get('turn', newest))
                    if orphan is not None and kind == 'asked':
                        orphan.asked = entry
                    elif orphan is outside:
                        outside.asked = None  # counted where it was made
                    elif orphan is not None:
                        orphan.used(entry)
                elif kind == 'reply':
                    orphan = open_turns.get(entry.get('turn', newest))
                    if orphan is not None:
                        orphan.replies.append(reply_from(entry['reply']))
                elif kind == 'turn':
                    turn = turn_from(entry['turn'])
                    if turn.sequence:
                        open_turns.pop(turn.sequence, None)
                    turns.append(turn)
            except (AttributeError, KeyError, TypeError, ValueError) as wrong:
                what = f'an entry of her turns cannot be read ({wrong}): {entry}'
                self.anomalies.append(what[:300])
        if outside.asked is None:
            del open_turns[0]
        orphans = []
        for orphan in open_turns.values():
            try:
                orphans.append(orphan.close())
            except (KeyError, TypeError, ValueError) as wrong:
                self.anomalies.append(f'what a call was expected to cost is unreadable: {wrong}')
                orphan.asked = None
                orphans.append(orphan)
        return turns, orphans


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**53:
        raise ValueError(f'{value!r} is no number of tokens')
    return value


def reply_from(plain: Mapping[str, Any]) -> Reply:
    """Read a reply that was kept as plain values.

    Raises
    ------
    TypeError
        If it is none.
    """
    return Reply(**_as_named_now(plain))


def _as_named_now(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values by the names of today: homes of before have others."""
    now = {_NAMES.get(name, name): value for name, value in plain.items()}
    if 'rest_minutes' in now:
        asked, minutes = now.pop('rest_requested', False), float(now.pop('rest_minutes'))
        now['rest'] = 60.0 * minutes if asked else 0.0
    return now


_NAMES = {'seconds': 'duration', 'final': 'is_final'}


def turn_from(plain: Mapping[str, Any] | None) -> Turn:
    """Read a turn that was kept as plain values.

    Raises
    ------
    KeyError, TypeError, ValueError
        If it is none.
    """
    if not plain:
        return Turn()
    plain = _as_named_now(plain)
    turn = Turn(
        **{
            **plain,
            'wake': WakeId(**plain['wake']),
            'causes': tuple(plain['causes']),
            'calls': tuple(Call(**_as_named_now(call)) for call in plain['calls']),
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
