"""Managed (lifecycle) nodes: transitions are handed to the organ."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from soul.core.organ import Organ, Report


class ManagedNode(LifecycleNode):
    """A lifecycle node whose transitions an organ carries out."""

    _organ: Organ | None = None
    _run: Callable[[Callable[[float], Iterable[Any]]], None]

    def manage(
        self, organ: Organ, run: Callable[[Callable[[float], Iterable[Any]]], None]
    ) -> None:
        """Hand the transitions to `organ` from now on."""
        self._organ, self._run = organ, run

    def autostart(self) -> Iterable[Any]:
        """Configure and activate; also after a respawn nobody has to do it by hand."""
        for step in (self.trigger_configure, self.trigger_activate):
            if step() != TransitionCallbackReturn.SUCCESS:
                return (Report('error', f'autostart: {step.__name__} failed'),)
        return ()

    def _transition(self, name: str) -> TransitionCallbackReturn:
        if self._organ is None:
            return TransitionCallbackReturn.FAILURE
        self._run(getattr(self._organ, name))
        return TransitionCallbackReturn.SUCCESS

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Get ready, touch nothing."""
        return self._transition('configure')

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Act from now on."""
        super().on_activate(state)
        return self._transition('activate')

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Act no more."""
        super().on_deactivate(state)
        return self._transition('deactivate')

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Let go of everything."""
        return self._transition('cleanup')

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End quietly from any state."""
        self._transition('deactivate')
        return self._transition('cleanup')
