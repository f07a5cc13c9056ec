"""What becomes of an organ that fails: it is told, begun anew with its memory, or stays down.

The policy alone, for every wiring: nothing here knows of nodes or of the bus. An exception in an
organ is a bug of that organ and ends this life of it; all the others go on.
"""

from __future__ import annotations

import collections
import traceback
from collections.abc import Callable
from typing import TypeVar

from soul.core.organ import Health

#: An organ is begun anew so often ...
RESTARTS = 3
#: ... within this, s; the next failure in it ends it for good.
WITHIN_SECONDS = 600.0
#: Pause before it is begun anew, s; doubles with each failure of :data:`WITHIN_SECONDS`.
PAUSE_SECONDS = 0.25
#: So many exceptions from outside the organ (malformed requests, the middleware) ...
STRAY_LIMIT = 50
#: ... within this, s, are more than somebody's mistake: the organ is begun anew.
STRAY_SECONDS = 10.0

T = TypeVar('T')


class Supervisor:
    """Looks after one organ, over all its lives in this process.

    Parameters
    ----------
    name
        Of the organ.
    clock
        Seconds of a clock that is not set.
    tell
        Hears what happened for the log: (level, text).
    """

    def __init__(
        self, name: str, clock: Callable[[], float], tell: Callable[[str, str], None]
    ) -> None:
        self._name = name
        self._clock = clock
        #: Hears what happened; exchanged with each life, for it may be the node's own log.
        self.tell = tell
        #: Why this life of the organ is over; empty: it lives.
        self.broken = ''
        #: Whether it stays down.
        self.down = False
        #: How many exceptions came from outside of it so far.
        self.strays = 0
        self._stray = ''
        self._failures: collections.deque[float] = collections.deque()
        self._recent_strays: collections.deque[float] = collections.deque(maxlen=STRAY_LIMIT)
        self._why = ''

    # --- while it lives -------------------------------------------------------------------

    def attempt(self, work: Callable[[], T]) -> T | None:
        """Do something of the organ's own.

        Returns
        -------
        T or None
            What `work` returns; None also if it fails, and then the organ is `broken`.

        Raises
        ------
        OSError
            What could not be written or read is no bug; whoever wires the organ deals with it.
        """
        return self._caught(work, self.fail, (OSError,))

    def shield(
        self, work: Callable[[], T], passing: tuple[type[BaseException], ...] = ()
    ) -> T | None:
        """Do something that outsiders can make fail: it is told, and the organ goes on.

        Parameters
        ----------
        passing
            Exceptions that are no failure and are raised.

        Returns
        -------
        T or None
            What `work` returns; None also if it fails.
        """
        return self._caught(work, self._on_stray, passing)

    @staticmethod
    def _caught(
        work: Callable[[], T],
        failed: Callable[[Exception], None],
        passing: tuple[type[BaseException], ...],
    ) -> T | None:
        try:
            return work()
        except passing:
            raise
        except Exception as error:  # noqa: BLE001 - the one place: an organ's bug, whatever it is
            failed(error)
            return None

    def fail(self, error: Exception) -> None:
        """End this life of the organ; only the first reason counts."""
        told = in_a_line(error)
        self.tell('error', f'{self._name} failed: {told}')
        self.tell('debug', ''.join(traceback.format_exception(error)))
        self.broken = self.broken or told

    def _on_stray(self, error: Exception) -> None:
        self._stray = in_a_line(error)
        self.strays += 1
        self.tell('error', f'{self._name} was given what it cannot take: {self._stray}')
        self.tell('debug', ''.join(traceback.format_exception(error)))
        now = self._clock()
        self._recent_strays.append(now)
        many = len(self._recent_strays) == STRAY_LIMIT
        if many and now - self._recent_strays[0] < STRAY_SECONDS:
            self._recent_strays.clear()
            self.broken = self.broken or f'{STRAY_LIMIT} times in a row: {self._stray}'

    # --- between two lives ----------------------------------------------------------------

    def again(self) -> float | None:
        """Decide whether the broken organ is begun anew.

        Returns
        -------
        float or None
            After how many seconds; None: it stays down.
        """
        now = self._clock()
        while self._failures and now - self._failures[0] >= WITHIN_SECONDS:
            self._failures.popleft()
        self._failures.append(now)
        self._why, self.broken = self.broken, ''
        if len(self._failures) > RESTARTS:
            self.down = True
            self.tell('error', f'{self._name}: {self._down_text()}')
            return None
        self.tell('warning', f'{self._name} is begun anew with its memory ({self._count()})')
        return float(PAUSE_SECONDS * 2.0 ** (len(self._failures) - 1))

    def _count(self) -> str:
        return f'{len(self._failures)} of {RESTARTS} times in {WITHIN_SECONDS / 60:.0f} minutes'

    def _down_text(self) -> str:
        return (
            f'it stays down: it failed {len(self._failures)} times in '
            f'{WITHIN_SECONDS / 60:.0f} minutes, last with {self._why}; start her anew'
        )

    # --- telling --------------------------------------------------------------------------

    def health(self, own: Health) -> Health:
        """Return the organ's health together with what became of it before."""
        if self.down:
            return Health('error', self._down_text())
        values = dict(own.values)
        if self.strays:
            values['not understood'] = f'{self.strays}, last: {self._stray}'
        recent = [at for at in self._failures if self._clock() - at < WITHIN_SECONDS]
        if not recent and not values:
            return own
        if not recent:
            return Health(own.level, own.message, values)
        text = f'begun anew {len(recent)} times in {WITHIN_SECONDS / 60:.0f} minutes: {self._why}'
        values['begun anew'] = text
        if own.level == 'ok':
            return Health('warn', text, values)
        return Health(own.level, own.message, values)


def in_a_line(error: BaseException | None) -> str:
    """Say in one line what was raised and where, at most about 300 characters."""
    if error is None:
        return 'nothing was raised'
    text = ' '.join(str(error).split())
    told = f'{type(error).__name__}: {text[:200]}' if text else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return told
    path = frames[-1].filename.replace('\\', '/').split('/')
    return f'{told} ({"/".join(path[-2:])}:{frames[-1].lineno})'


class Unsupervised(Supervisor):
    """Looks after nobody: whatever is raised goes to the caller, as tests and simulations want."""

    def attempt(self, work: Callable[[], T]) -> T | None:
        """Do something of the organ's own; what it raises is raised."""
        return work()

    def shield(
        self, work: Callable[[], T], passing: tuple[type[BaseException], ...] = ()
    ) -> T | None:
        """Do something that outsiders can make fail; what it raises is raised."""
        return work()
