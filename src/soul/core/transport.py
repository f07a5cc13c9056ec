"""What carries an organ's outputs to others: ROS (`soul.ros.transport`) or a bus (`soul.sim`).

A transport delivers and decides nothing. It calls the runtime with what arrives, on the organ's
own thread: ``hear``, ``answer``, ``silence``, ``on_time`` and ``drain`` of
:class:`~soul.core.runtime.Runtime`, and its ``requests``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from soul.core.organ import Ask, Finish, Progress, Report
from soul.core.output import Signal


class Transport(Protocol):
    """Carries what one organ says. All but :meth:`wake` is called on the organ's thread."""

    def publish(self, topic: str, signal: Signal) -> None:
        """Let everybody who hears `topic` hear the signal."""

    def ask(self, ask: Ask) -> None:
        """Send a question; what becomes of it goes to ``Runtime.answer``, within its deadline."""

    def cancel(self, token: str) -> None:
        """Ask the server to end the goals asked for with `token`; unsent ones are never sent."""

    def finish(self, goal: Any, finish: Finish) -> None:
        """Tell whoever asked for `goal` how it ended; `goal` is what ``perform`` was given."""

    def progress(self, goal: Any, progress: Progress) -> None:
        """Tell whoever asked for `goal` how far it is."""

    def offer(self, topics: Collection[str]) -> None:
        """Have publishers for exactly these of the topics that exist only at times."""

    def log(self, report: Report) -> None:
        """Write a line to the log; the text is fit for a terminal."""

    def arm(self, at: float) -> None:
        """Call ``Runtime.on_time`` at `at`, s of the organ's clock, and not earlier; inf: never.

        Replaces what was armed before.
        """

    def wake(self) -> None:
        """Call ``Runtime.drain`` soon on the organ's thread; thread-safe."""

    @property
    def busy(self) -> bool:
        """Whether a question is with its server, or an end is not told yet."""

    def give_up(self) -> None:
        """Answer every open question now: ``lost`` if it was sent, ``canceled`` if it was not."""
