"""Tells a supervisor that she lives, as long as every organ does what it is given to do."""

from __future__ import annotations

import threading

from rclpy.executors import Executor
from rclpy.task import Task

from soul.ros.runner import Runner
from soul.service.notify import Notifier

#: So often within the supervisor's patience it is told.
TIMES = 3.0


class Watchdog:
    """Asks each organ's thread for a sign; tells the supervisor once all have given it.

    An organ that hangs gives none, and the supervisor starts her anew. One that has failed and is
    begun again, or stays down, is her own affair.

    Parameters
    ----------
    notifier
        Tells the supervisor.
    """

    def __init__(self, runner: Runner, notifier: Notifier) -> None:
        self._runner = runner
        self._notifier = notifier
        self._over = threading.Event()
        self._asked: list[tuple[Executor, Task]] = []
        self._thread: threading.Thread | None = None

    def start(self) -> Watchdog:
        """Say that she is ready, and watch, if the supervisor wants it."""
        self._notifier.ready()
        if self._notifier.watchdog_seconds:
            self._thread = threading.Thread(target=self._watch, name='watchdog', daemon=True)
            self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(self._notifier.watchdog_seconds / TIMES):
            living = self._runner.living()
            if all(task.done() for executor, task in self._asked if executor in living):
                self._notifier.alive()
                self._asked = [(one, one.create_task(_sign)) for one in living]

    def close(self) -> None:
        """Say that the end has begun."""
        self._notifier.stopping()
        self._over.set()
        if self._thread is not None:
            self._thread.join()


def _sign() -> None:
    """Show that whoever runs this does what it is given."""
