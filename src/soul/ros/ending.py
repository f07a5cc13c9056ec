"""Waits for the end of a process: a signal, or an organ that has failed."""

from __future__ import annotations

import contextlib
import os
import select
import signal


class Ending:
    """Something to wait for that signals and other threads can end.

    The kernel may deliver a signal to any thread, and Python runs its handler only in the main
    one: a main thread that sleeps on a lock would never notice. So it sleeps on a pipe that
    the C side of the signal handler writes to.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._over = False

    def on_signals(self) -> None:
        """End on SIGINT, SIGTERM and a terminal that goes away; only in the main thread."""
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                continue  # somebody wants her to outlive the terminal: nohup
            signal.signal(number, lambda *_: self.end())

    @staticmethod
    def ignore_signals() -> None:
        """Let no further signal disturb the last moments; only in the main thread.

        While Python winds itself down it gives signals back to the system, which would kill the
        process: whoever presses Ctrl-C twice would read of nodes that died.
        """
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def end(self) -> None:
        """End the waiting; thread-safe, again and again."""
        self._over = True
        with contextlib.suppress(BlockingIOError):  # full: there is enough to wake anybody
            os.write(self._write, b'.')

    def wait(self) -> None:
        """Wait for the end."""
        while not self._over:
            select.select([self._read], [], [])
            os.read(self._read, 4096)
