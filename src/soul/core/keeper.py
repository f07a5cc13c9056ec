"""Keeps one organ's state: its memory file, its journals and its place in the home."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from soul.core.state_file import StateFile
from soul.store.home import Home, HomeUnusable
from soul.store.journal import MEBIBYTE, Journal
from soul.store.lock import HomeInUse, InstanceLock

#: So many entries wait for room on the disk.
OWED_LIMIT = 10_000
#: The start reads at most so much of each journal.
START_BYTES = MEBIBYTE


class Keeper:
    """The one writer of an organ's files.

    Parameters
    ----------
    home
        Where she lives; None: nothing is kept (tests, simulations).
    organ
        Name of the organ, also of its lock.
    memory_file, memory_type, journals
        As in :class:`soul.core.organ.Organ`.
    holder
        Who takes the lock, for people: for example the node's full name.
    unfit
        As :meth:`soul.core.organ.Organ.unfit`.
    """

    def __init__(
        self,
        home: Home | None,
        organ: str,
        memory_file: str = '',
        journals: Sequence[str] = (),
        holder: str = '',
        unfit: Callable[[str, Mapping[str, Any]], str] = lambda journal, entry: '',
        memory_type: type[Any] = dict,
    ) -> None:
        #: Why entries wait to be written; empty: none does.
        self.trouble = ''
        self._owed: deque[tuple[str, Mapping[str, Any]]] = deque()
        self._lost = 0
        self._lock: InstanceLock | None = None
        self._memory: StateFile[Any] | None = None
        self._journals: dict[str, Journal] = {}
        self._unfit = unfit
        self._vanished: list[str] = []
        if home is None:
            return
        home.ensure()
        self._lock = InstanceLock(home.run / f'{organ}.lock', holder or organ).acquire()
        if memory_file:
            self._memory = StateFile(home.path / memory_file, memory_type)
        self._journals = {name: Journal(home.path / f'{name}.jsonl') for name in journals}

    def load(self) -> Any:
        """Return the memory, of the organ's own type; None in its first life.

        Raises
        ------
        Unreadable
            If it exists and no generation is valid, or it has another shape.
        """
        return self._memory.read() if self._memory else None

    def past(self, wanted: Collection[str] | None = None) -> dict[str, list[dict[str, Any]]]:
        """Read the newest part of the journals.

        Parameters
        ----------
        wanted
            Which of them; None: all.
        """
        return {
            name: list(journal.entries(START_BYTES, partial(self._unfit, name)))
            for name, journal in self._journals.items()
            if wanted is None or name in wanted
        }

    def save(self, memory: Any) -> None:
        """Write the memory; when this returns it is on the disk.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        if self._memory:
            self._memory.write(memory)

    def record(self, journal: str, entry: Mapping[str, Any], durable: bool) -> None:
        """Append to a journal.

        What nobody waits to see on the disk, and cannot be written now, is written as soon as it
        can be; the entries keep their order.

        Raises
        ------
        OSError
            If a durable entry cannot be written; it is not in the journal then.
        """
        if not self._journals:
            return
        try:
            self.retry()
            self._journals[journal].append(entry, durable)
        except OSError as error:
            if durable:
                raise
            self._owe(journal, entry, error)

    def _owe(self, journal: str, entry: Mapping[str, Any], error: OSError) -> None:
        self.trouble = str(error)
        self._owed.append((journal, entry))
        if len(self._owed) > OWED_LIMIT:
            self._owed.popleft()
            self._lost += 1
            self.trouble += f'; {self._lost} entries could not be kept any longer'

    def retry(self) -> None:
        """Write what could not be written before.

        Raises
        ------
        OSError
            If it still cannot be.
        """
        while self._owed:
            journal, entry = self._owed[0]
            self._journals[journal].append(entry, durable=False)
            self._owed.popleft()
        self.trouble = ''

    def hold(self) -> str:
        """Make sure that the home is still held for this organ alone.

        Returns
        -------
        str
            Why it is not, in words; empty: it is.
        """
        if self._lock is None:
            return ''
        try:
            if found := self._lock.renew():
                self._vanished.append(found)
        except (HomeInUse, HomeUnusable, OSError) as error:
            return str(error)
        return ''

    @property
    def anomalies(self) -> list[str]:
        """What was wrong with the files, in words."""
        found = list(self._memory.anomalies) if self._memory else []
        for journal in self._journals.values():
            found += journal.anomalies
        return found + self._vanished

    def close(self) -> None:
        """Close the files and let the home go; what still waits for room is lost with it."""
        with contextlib.suppress(OSError):
            self.retry()
        for journal in self._journals.values():
            journal.close()
        if self._lock:
            self._lock.release()
