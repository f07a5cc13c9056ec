"""Which turns have been felt already. They come on two topics, in any order, and more than once.

A turn counts once by (epoch, sequence). One that comes after a newer one is late: what it did is
felt, but what a newer one has decided since stays.
"""

from __future__ import annotations

from collections.abc import Iterable

from soul.heart.memory import FeltTurn, TurnsMemory
from soul.signals import Turn

#: So many of the newest turns are remembered one by one; whatever is older counts as felt.
REMEMBERED = 64


class FeltTurns:
    """The newest turns, oldest first.

    Parameters
    ----------
    memory
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(self, memory: TurnsMemory | None = None) -> None:
        memory = memory or TurnsMemory()
        self._entries = list(memory.entries)
        #: Epochs of the mind, oldest first: a new one means that it has lost its state.
        self._epochs = list(memory.epochs)
        self._before = memory.before  # boredom before the remembered ones

    def memory(self) -> TurnsMemory:
        """Return what must survive."""
        return TurnsMemory(tuple(self._entries), tuple(self._epochs), self._before)

    def known(self, turn: Turn) -> bool:
        """Whether a turn has been felt."""
        if turn.sequence == 0:
            return True
        if any((e.epoch, e.sequence) == (turn.epoch, turn.sequence) for e in self._entries):
            return True
        full = len(self._entries) >= REMEMBERED
        return full and turn.epoch in self._epochs and self._key(turn) < self._oldest()

    def note(self, turn: Turn, waking: bool, novel: bool, decided: Iterable[str] = ()) -> bool:
        """Remember a turn that was not known; True if it is the newest.

        Parameters
        ----------
        waking
            Whether it was a waking that counts (a dream or an empty failure is none).
        novel
            Whether something new happened in it.
        decided
            Names of the drives whose level it has set.
        """
        if turn.epoch not in self._epochs:
            self._epochs = [*self._epochs, turn.epoch][-REMEMBERED:]
        newest = not self._entries or self._key(turn) > self._key(self._entries[-1])
        self._entries.append(FeltTurn(turn.epoch, turn.sequence, waking, novel, tuple(decided)))
        self._entries.sort(key=self._key)
        while len(self._entries) > REMEMBERED:
            gone = self._entries.pop(0)
            self._before = 0 if gone.novel else self._before + gone.waking
        return newest

    def decided_after(self, turn: Turn) -> set[str]:
        """Names of the drives whose level a newer turn has set."""
        newer = [e for e in self._entries if self._key(e) > self._key(turn)]
        return {name for entry in newer for name in entry.decided}

    def routine(self) -> int:
        """Count the wakings since something new happened."""
        count = self._before
        for entry in self._entries:
            count = 0 if entry.novel else count + entry.waking
        return count

    def _key(self, turn: Turn | FeltTurn) -> tuple[int, int]:
        age = self._epochs.index(turn.epoch) if turn.epoch in self._epochs else len(self._epochs)
        return age, turn.sequence

    def _oldest(self) -> tuple[int, int]:
        return self._key(self._entries[0])
