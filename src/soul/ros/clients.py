"""Sends what an organ asks of others; every question gets an answer or a failure in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future

from soul.core.backoff import Backoff
from soul.core.organ import Answer, Ask
from soul.core.refusal import answer_type, is_goal
from soul.core.repeats import REPEAT_SECONDS, may_repeat, with_id
from soul.ros import convert, qos
from soul.ros.sent_goal import SentGoal

#: How often pending questions are looked after, s.
TICK = 0.1
#: The pause before a request is sent again doubles up to this, s.
LONGEST_REPEAT = 8.0


@dataclass(eq=False)
class _Pending:
    ask: Ask
    request: Any  # what is sent: that of the question, with an id if it can have one
    ends: float  # monotonic s
    gives_up: float  # monotonic s, if it could not be sent until then
    sent: bool = False
    repeats: float = 0.0  # monotonic s, when it is sent again if no answer has come; 0: never
    pauses: Backoff = field(default_factory=lambda: Backoff(REPEAT_SECONDS, LONGEST_REPEAT))
    goal: SentGoal | None = None
    missed: int = 0  # looks in a row at which its server was not there


class Clients:
    """The clients of one organ. Everything happens on the executor's thread.

    Parameters
    ----------
    asks
        Services and actions by name, with their request types.
    hear
        Is told each answer, or that there is none.
    """

    def __init__(
        self,
        node: Node,
        asks: Mapping[str, type],
        hear: Callable[[Answer], None],
    ) -> None:
        self._node = node
        self._hear = hear
        self._clients: dict[str, Client | ActionClient] = {}
        for name, request_type in asks.items():
            if is_goal(request_type):
                self._clients[name] = ActionClient(
                    node,
                    convert.action_class(request_type),
                    name,
                    goal_service_qos_profile=qos.service(),
                    result_service_qos_profile=qos.service(),
                    cancel_service_qos_profile=qos.service(),
                )
            else:
                self._clients[name] = node.create_client(
                    convert.service_class(request_type), name, qos_profile=qos.service()
                )
        self._pending: list[_Pending] = []
        self._timer = None
        if asks:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = node.create_timer(TICK, self._look_after, clock=steady, autostart=False)

    def send(self, ask: Ask) -> None:
        """Send a question, as soon as its server is there."""
        now = time.monotonic()
        gives_up = now + min(ask.patience, ask.deadline)
        pending = _Pending(ask, with_id(ask.request), now + ask.deadline, gives_up)
        self._pending.append(pending)
        self._try(pending)
        if self._timer is not None and self._timer.is_canceled():
            self._timer.reset()

    def cancel(self, token: str) -> None:
        """Ask the server to end a goal; if it was not sent yet, it never will be."""
        for pending in list(self._pending):
            if pending.ask.token != token:
                continue
            if not pending.sent:
                self._settle(pending, failure='canceled')
            elif pending.goal is not None:
                pending.goal.cancel()

    @property
    def under_way(self) -> bool:
        """Whether somebody is still at what was asked."""
        return any(pending.sent for pending in self._pending)

    def give_up(self) -> None:
        """Wait no longer: what was sent may have happened, what was not will not."""
        for pending in list(self._pending):
            self._settle(pending, failure='lost' if pending.sent else 'canceled')

    def close(self) -> None:
        """Ask nobody any more; a node does not let go of its actions by itself."""
        for client in self._clients.values():
            if isinstance(client, ActionClient):
                client.destroy()
        self._clients.clear()
        self._pending.clear()

    def _try(self, pending: _Pending) -> None:
        client = self._clients[pending.ask.to]
        if isinstance(client, ActionClient):
            if client.server_is_ready():
                pending.sent = True
                pending.goal = SentGoal(
                    self._node,
                    client,
                    pending.ask.to,
                    convert.to_ros(pending.request),
                    lambda result, failure: self._on_end(pending, result, failure),
                )
        elif client.service_is_ready():
            pending.sent = True
            if may_repeat(pending.request):
                pending.repeats = time.monotonic() + pending.pauses.next()
            future = client.call_async(convert.to_ros(pending.request))
            future.add_done_callback(lambda done: self._on_response(pending, done))

    def _on_response(self, pending: _Pending, future: Future) -> None:
        error = future.exception()
        if error is not None:  # it may have happened
            self._node.get_logger().warning(f'{pending.ask.to} gave no answer: {error!r}')
            self._settle(pending, failure='lost')
            return
        kind = answer_type(type(pending.ask.request))
        self._settle(pending, convert.from_ros(future.result(), kind))

    def _on_end(self, pending: _Pending, result: Any, failure: str) -> None:
        if result is not None:
            result = convert.from_ros(result, answer_type(type(pending.ask.request)))
        self._settle(pending, result, failure)

    def _settle(self, pending: _Pending, answer: Any = None, failure: str = '') -> None:
        if pending not in self._pending:  # its deadline has passed
            return
        self._pending.remove(pending)
        ask = pending.ask
        self._hear(Answer(ask.to, ask.token, ask.request, answer, failure))

    def _look_after(self) -> None:
        now = time.monotonic()
        for pending in list(self._pending):
            if not pending.sent:
                self._try(pending)
                if not pending.sent and now >= pending.gives_up:
                    self._settle(pending, failure='absent')
            elif self._gone(pending):
                self._settle(pending, failure='lost')
            elif 0.0 < pending.repeats <= now < pending.ends:
                self._try(pending)
            elif pending.goal is not None:
                pending.goal.look_after(now)
            if now >= pending.ends and pending in self._pending:
                if pending.goal is not None:
                    pending.goal.cancel()
                self._settle(pending, failure='lost')
        if not self._pending and self._timer is not None:
            self._timer.cancel()

    def _gone(self, pending: _Pending) -> bool:
        """Whether the server has gone, and its last word, if there was one, has been heard."""
        client = self._clients[pending.ask.to]
        if isinstance(client, ActionClient):
            there = client.server_is_ready()
        else:
            there = client.service_is_ready()
        # A timer comes before an answer that has arrived at the same time.
        pending.missed = 0 if there else pending.missed + 1
        return pending.missed > 1
