"""The numbers of her turns and the ledger of them: what has begun, and what the disk knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from soul.mind.turn_ids import TurnIds
from soul.mind.turn_ledger import Orphan, TurnLedger
from soul.signals import Turn, WakeId


class TurnBook:
    """Begins and ends turns on the disk.

    Parameters
    ----------
    now
        Seconds of the node's clock.
    report
        Called with why something could not be written.
    """

    def __init__(
        self,
        ids: TurnIds,
        ledger: TurnLedger,
        now: Callable[[], float],
        report: Callable[[str], None],
    ) -> None:
        self.ids = ids
        self.ledger = ledger
        self._now = now
        self._report = report
        #: Whether something has begun that is to be brought to the disk in a moment.
        self.settling = False
        self.trouble = ''  # why her life cannot be written; empty: it can

    def begin(self, wake: WakeId, session: str) -> int:
        """Write down that a turn begins; it survives the death of the process.

        Returns
        -------
        int
            Its number.

        Raises
        ------
        OSError
            If it cannot be written: it has not begun.
        """
        sequence = self.ids.next()
        self.ledger.begin(wake, sequence, session, self._now())
        self.settling = True
        return sequence

    def settle(self) -> None:
        """Bring to the disk what has begun: before her first deed, and before others are told.

        Raises
        ------
        OSError
            If it cannot be brought there.
        """
        self.settling = False
        if self.ids.told != self.ids.begun:
            begun = self.ids.begun
            self.ledger.sync()
            self.ids.on_disk(begun)

    def end(self, turn: Turn) -> None:
        """Write down how a turn ended.

        What cannot be written is told all the same: after a crash the turn is closed again under
        its number, and nobody counts a number twice.
        """
        self.settling = False

        def write() -> None:
            self.ledger.end(turn)
            self.ids.on_disk(self.ids.begun)
            self.trouble = ''

        self.attempt(write)

    def attempt(self, write: Callable[[], None]) -> None:
        """Write something; if it cannot be written, that is noted as trouble."""
        try:
            write()
        except OSError as error:
            self.unwritten(error)

    def unwritten(self, error: OSError) -> None:
        """Note that something could not be written."""
        self.trouble = f'her life cannot be written: {error}'
        self._report(self.trouble)

    def recover(self, past: Iterable[Mapping[str, Any]]) -> tuple[list[Turn], list[Orphan]]:
        """Read the newest part of the ledger.

        Returns
        -------
        tuple
            The turns that ended and are not in the memory yet, oldest first, and those that a
            crash has left open; one of them has the number 0 if a call outside any turn was never
            heard of again.
        """
        ids = self.ids
        ended, orphans = self.ledger.read(past)
        turns = []
        for turn in ended:
            if turn.epoch == ids.epoch and turn.sequence > ids.sequence:
                ids.sequence = turn.sequence
                ids.begin(turn.wake)
                turns.append(turn)
        for orphan in orphans:
            ids.begin(orphan.wake)
            ids.sequence = max(ids.sequence, orphan.sequence)
        return turns, orphans
