"""Answers that the middleware drops are sent again.

Fast DDS gives an answer up, after 0.1 s, if it has not found the reader of whoever asked by then:
somebody who has only just come asks, and is never answered. rclpy tells of it by a warning and by
nothing else, so for this one warning it is made to raise: its bindings ignore that, and Python
then reports a SystemError which the warning has caused. What was not sent is sent again until it
gets through.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rclpy.action import ActionServer
from rclpy.clock import Clock, ClockType
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.service import Service

from soul.core.backoff import Backoff

#: How often is looked whether an answer is to be sent again, s.
TICK = 0.1
#: The pause before an answer is sent again doubles from the first to the second, s.
PAUSES = 0.1, 1.6
#: Nobody is looked for longer than this, s: who has gone is not found either.
FIND_SECONDS = 10.0
#: How rclpy begins its warning.
WARNING = 'failed to send'

Send = Callable[[], None]

#: Sends the answers of an action, by the address of its server.
_actions: dict[int, Delivery] = {}


@dataclass(eq=False)
class _Undelivered:
    name: str  # of the service or action
    send: Send
    gives_up: float  # monotonic s
    due: float = 0.0  # monotonic s
    pauses: Backoff = field(default_factory=lambda: Backoff(*PAUSES))


class Delivery:
    """Sends the answers of one node. Everything happens on the thread of its executor."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._undelivered: list[_Undelivered] = []
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(TICK, self._again, clock=steady, autostart=False)
        warnings.filterwarnings('error', message=WARNING, category=RuntimeWarning)
        _watch_bindings()

    def watch(self, service: Service[Any, Any]) -> None:
        """Look after the answers of a service."""
        send = service.send_response

        def send_response(response: Any, header: Any) -> None:
            self.send(service.srv_name, partial(send, response, header))

        service.send_response = send_response  # type: ignore[method-assign]

    def watch_action(self, server: ActionServer[Any, Any, Any]) -> None:
        """Look after what the clients of an action are answered; until :meth:`forget`."""
        _actions[server._handle.pointer] = self

    def forget(self, server: ActionServer[Any, Any, Any]) -> None:
        """Look after an action no longer: it is about to be destroyed."""
        _actions.pop(server._handle.pointer, None)

    def send(self, name: str, send: Send) -> None:
        """Do `send`, and again if nothing was sent.

        Parameters
        ----------
        name
            Of the service or action, for the log.
        """
        if not _sent(send):
            self._undelivered.append(_Undelivered(name, send, time.monotonic() + FIND_SECONDS))
            if self._timer.is_canceled():
                self._timer.reset()

    def _again(self) -> None:
        now = time.monotonic()
        waiting = next((one for one in self._undelivered if one.due <= now), None)
        if waiting is not None:  # one at a time: each that fails takes 0.1 s
            self._undelivered.remove(waiting)
            self._try(waiting)
        if not self._undelivered:
            self._timer.cancel()

    def _try(self, waiting: _Undelivered) -> None:
        try:
            done = _sent(waiting.send)
        except _rclpy.InvalidHandle:  # the service has ended meanwhile
            return
        now = time.monotonic()
        if done:
            self._node.get_logger().debug(f'{waiting.name}: the answer was sent again')
        elif now >= waiting.gives_up:
            text = f'{waiting.name}: whoever asked is not found and stays without an answer'
            self._node.get_logger().warning(text)
        else:
            waiting.due = now + waiting.pauses.next()
            self._undelivered.append(waiting)


def _sent(send: Send) -> bool:
    try:
        send()
    except SystemError as error:
        if isinstance(error.__cause__, RuntimeWarning):
            return False
        raise
    return True


def _watch_bindings() -> None:
    """Let the answers of actions go through here; an action has no place for that of its own."""
    for name in ('send_goal_response', 'send_cancel_response', 'send_result_response'):
        send = getattr(_rclpy.ActionServer, name)
        if not hasattr(send, 'watched'):
            setattr(_rclpy.ActionServer, name, _watched(send))


def _watched(send: Callable[[Any, Any, Any], None]) -> Callable[[Any, Any, Any], None]:
    def watched(handle: Any, header: Any, response: Any) -> None:
        delivery = _actions.get(handle.pointer)
        sending = partial(send, handle, header, response)
        if delivery is None:
            sending()
        else:
            delivery.send('an action', sending)

    watched.watched = True  # type: ignore[attr-defined]
    return watched
