"""What an organ writes: when it is saved, and what becomes of what cannot be written."""

from __future__ import annotations

import math
from collections.abc import Callable

from soul.core.keeper import Keeper
from soul.core.organ import Health, Organ, Record

#: Memory is written at least this often while it changes, s of the organ's clock.
SAVE_PERIOD = 60.0
#: What is to be written soon waits for so much stillness, s of the organ's clock.
QUIET_SECONDS = 2.0
#: What could not be written is tried again after this, s of the organ's clock.
RETRY_SECONDS = 2.0


class Storage:
    """Saves and records for one life of an organ.

    Parameters
    ----------
    now
        Seconds of the organ's clock.
    tell
        Hears lines for the log: (level, text).
    period
        Longest time for which a change is not written, s of the organ's clock; inf: only when
        the organ says so and at the end.
    """

    def __init__(
        self,
        organ: Organ,
        keeper: Keeper,
        now: Callable[[], float],
        tell: Callable[[str, str], None],
        period: float = SAVE_PERIOD,
    ) -> None:
        self._organ = organ
        self._keeper = keeper
        self._now = now
        self._tell = tell
        self._period = period
        #: When :meth:`catch_up` is wanted next, s of the organ's clock; inf: not at all.
        self.due = math.inf
        self._wanted = math.inf  # since when it is to be written soon
        self._trouble = ''
        self._told = 0  # so many anomalies are in the log
        self._saved = organ.memory()
        self._tell_anomalies()

    @property
    def trouble(self) -> str:
        """Why something could not be written last; empty: everything could be."""
        return self._trouble or self._keeper.trouble

    def record(self, record: Record) -> None:
        """Append to a journal.

        Raises
        ------
        OSError
            If a durable entry cannot be written.
        """
        self._keeper.record(record.journal, record.entry, record.durable)
        if self._keeper.trouble:
            self.due = min(self.due, self._now() + RETRY_SECONDS)
        self._tell_anomalies()

    def save(self) -> None:
        """Write the organ's memory if it has changed.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        self.due = self._wanted = math.inf
        memory = self._organ.memory()
        if memory != self._saved or self._trouble:
            self._keeper.save(memory)
            self._saved = memory
        if self._trouble:
            self._tell('warning', f'storage: it can be written again ({self._trouble})')
        self._trouble = ''

    def want(self) -> None:
        """Let the memory be written as soon as nothing waits."""
        if self._organ.memory_file:
            self._wanted = min(self._wanted, self._now())

    def changed(self, busy: bool) -> None:
        """Note that the organ may have changed: it is saved within the period.

        Parameters
        ----------
        busy
            Whether it has said or done something, so that what is to be written soon waits.
        """
        if not self._organ.memory_file:
            return
        if self._wanted < math.inf:
            if busy or self.due == math.inf:
                latest = self._wanted + min(self._period, SAVE_PERIOD)
                self.due = max(self._now(), min(self._now() + QUIET_SECONDS, latest))
        elif self.due == math.inf:
            self.due = self._now() + self._period

    def catch_up(self) -> None:
        """Write what is due to be written; what still cannot be is noted."""
        try:
            self.save()
            self._keeper.retry()
        except OSError as error:
            self.unwritten(error)

    def unwritten(self, error: OSError) -> None:
        """Note that something could not be written; it is tried again."""
        if str(error) != self._trouble:  # said once, not each time it is tried
            self._tell('error', f'storage: {error}')
        self._trouble = str(error)
        self.due = self._now() + RETRY_SECONDS

    def health(self, own: Health) -> Health:
        """Add to an organ's health what is wrong with its files."""
        trouble = self._keeper.hold() or self.trouble
        self._tell_anomalies()
        problems = [*self._keeper.anomalies, *([trouble] if trouble else [])]
        if not problems:
            return own
        values = {**own.values, **{f'storage {n}': p for n, p in enumerate(problems)}}
        if own.level == 'error':
            return Health('error', own.message, values)
        return Health('error' if trouble else 'warn', problems[-1], values)

    def _tell_anomalies(self) -> None:
        anomalies = self._keeper.anomalies
        for anomaly in anomalies[self._told :]:
            self._tell('error', anomaly)
        self._told = max(self._told, len(anomalies))
