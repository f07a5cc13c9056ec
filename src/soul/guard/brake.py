"""The brake: stop, pause, resume, and the STOP file. Nothing can gate it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from soul.guard.acts import Acts
from soul.guard.audit import Audit
from soul.organ import Ask, CancelAsk, Report, Save
from soul.signals import GuardState, TriggerRequest

#: Longest time to wait for the body's word that it has halted, s.
HALT_SECONDS = 1.0
#: Reason of a stop whose file says nothing.
UNSAID = 'STOP file'


class Brake:
    """Whether anything may act at all.

    Parameters
    ----------
    stop_file
        Reads and writes the STOP file: called with a reason to write it, with None to remove
        it.
    stopped
        What the STOP file says now; None: it is not there.
    state
        Makes the guard's state as it is published.
    """

    def __init__(
        self,
        acts: Acts,
        audit: Audit,
        stop_file: Callable[[str | None], None],
        stopped: str | None,
        state: Callable[[float], GuardState],
        memory: Mapping[str, Any],
    ) -> None:
        self._acts = acts
        self._audit = audit
        self._stop_file = stop_file
        self._state = state
        self.stopped = stopped is not None
        self.reason = stopped or ''
        self.epoch: int = memory.get('stop_epoch', 0)  # counts stops
        self.paused: bool = memory.get('paused', False)
        #: Why the STOP file is not there though she is stopped; empty: it is, or need not be.
        self.unwritten = ''

    def memory(self) -> dict[str, Any]:
        """What must survive; whether she is stopped is the file's affair."""
        return {'stop_epoch': self.epoch, 'paused': self.paused}

    def hindrance(self) -> str:
        """Say why nothing may act; empty if it may."""
        if self.stopped:
            return f'stopped ({self.reason}); nothing acts until resume'
        return 'paused' if self.paused else ''

    def stop(self, reason: str, now: float, write: bool = True) -> Iterable[Any]:
        """Stop everything; the state goes out before anything is written."""
        if self.stopped:
            yield self._state(now)
            return
        self.stopped, self.reason = True, reason
        self.epoch += 1
        yield self._state(now)
        yield Ask('body/halt', TriggerRequest(), 'halt', HALT_SECONDS)
        if write:
            yield from self.write()
        for act in self._acts.open:
            yield CancelAsk(act.id)
        self._audit.note(now, 'stop', str(self.epoch), {'reason': reason})
        yield from _saved()

    def write(self) -> Iterable[Any]:
        """Write the STOP file, so that a restart does not end the stop; tried again by a step."""
        try:
            self._stop_file(self.reason)
        except OSError as error:
            self.unwritten = str(error)
            yield Report('error', f'stopped, but the STOP file could not be written: {error}')
        else:
            self.unwritten = ''

    def resume(self, reason: str, now: float) -> Iterable[Any]:
        """Let her act again."""
        self._stop_file(None)
        self.stopped, self.reason, self.unwritten = False, '', ''
        self._audit.note(now, 'resume', str(self.epoch), {'reason': reason})
        yield self._state(now)
        yield from _saved()

    def on_stop_file(self, content: str | None, now: float) -> Iterable[Any]:
        """The STOP file appeared (its content) or went (None)."""
        if content is not None and not self.stopped:
            return self.stop(content.strip() or UNSAID, now, write=False)
        if content is not None and self.reason == UNSAID and content.strip():
            self.reason = content.strip()  # it was seen before its text was written
            return (self._state(now),)
        # A stop that could not be written is not ended because nothing is there.
        if content is None and self.stopped and not self.unwritten:
            return self.resume('STOP file removed', now)
        return ()

    def pause(self, paused: bool, now: float) -> Iterable[Any]:
        """Keep still without aborting anything, or go on."""
        self.paused = paused
        self._audit.note(now, 'pause', '', {'paused': paused})
        yield self._state(now)
        yield from _saved()


def _saved() -> Iterable[Any]:
    """Save if it is possible: whether she acts never waits for room on a disk."""
    with contextlib.suppress(OSError):  # the shell tells of it and tries again
        yield Save()
