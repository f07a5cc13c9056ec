"""Carries what an organ says and asks over ROS, and what others say and ask to its runtime."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection
from typing import Any

from rclpy.clock import Clock
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import qos_policy_name_from_kind

from soul.core.output import Signal
from soul.core.runtime import Runtime
from soul.organ import Ask, Finish, Organ, Progress, Report
from soul.ros import convert, qos
from soul.ros.clients import Clients
from soul.ros.servers import Servers

#: A timer never sleeps longer than this, s: the system clock may be set and the host suspended.
LONGEST_SLEEP = 60.0


class RosTransport:
    """The ends of one node: publishers, subscriptions, services, actions, clients and a timer.

    All but :meth:`wake` happens on the thread of the node's executor.

    Parameters
    ----------
    clock
        The organ's clock.
    unwatched
        Topics whose publishers are not watched for life: they end together with this process.
    on_wake
        Called on the executor's thread after :meth:`wake`.
    """

    def __init__(
        self,
        node: Node,
        organ: type[Organ],
        clock: Clock,
        unwatched: Collection[str],
        on_wake: Callable[[], None],
    ) -> None:
        self._node = node
        self._organ = organ
        self._clock = clock
        self._unwatched = unwatched
        self._runtime: Runtime | None = None
        self._over = False
        self._publishers: dict[str, Any] = {}
        self._guard_condition = node.create_guard_condition(on_wake)
        self._timer = node.create_timer(
            LONGEST_SLEEP, self._on_timer, clock=clock, autostart=False
        )
        for topic in organ.says:
            if topic not in organ.perhaps:
                self._publishers[topic] = self._new_publisher(topic)

    def connect(self, runtime: Runtime) -> None:
        """Let everything that arrives go to `runtime`, from now on."""
        self._runtime = runtime
        self._clients = Clients(self._node, self._organ.asks, runtime.answer)
        self._servers = Servers(self._node, runtime)
        for topic, kind in self._organ.hears.items():
            self._subscribe(runtime, topic, kind)

    def close(self) -> None:
        """Wake nobody any more: the node ends."""
        self._over = True

    # --- out ------------------------------------------------------------------------------

    def publish(self, topic: str, signal: Signal) -> None:
        """Let everybody who hears `topic` hear the signal."""
        self._publishers[topic].publish(convert.to_ros(signal))

    def ask(self, ask: Ask) -> None:
        """Send a question as soon as its server is there."""
        self._clients.send(ask)

    def cancel(self, token: str) -> None:
        """Ask the server to end the goals asked for with `token`."""
        self._clients.cancel(token)

    def finish(self, goal: Any, finish: Finish) -> None:
        """Tell whoever asked for `goal` how it ended."""
        self._servers.finish(goal, finish)

    def progress(self, goal: Any, progress: Progress) -> None:
        """Tell whoever asked for `goal` how far it is."""
        self._servers.progress(goal, progress)

    def offer(self, topics: Collection[str]) -> None:
        """Have publishers for exactly these of the topics that exist only at times."""
        for topic in sorted(self._organ.perhaps):
            if topic in topics and topic not in self._publishers:
                self._publishers[topic] = self._new_publisher(topic)
            elif topic not in topics and topic in self._publishers:
                self._node.destroy_publisher(self._publishers.pop(topic))

    def log(self, report: Report) -> None:
        """Write a line to the node's log."""
        logger = self._node.get_logger()
        # One line of code per level: rclpy refuses a second level from the same line.
        if report.level == 'error':
            logger.error(report.text)
        elif report.level == 'warning':
            logger.warning(report.text)
        elif report.level == 'info':
            logger.info(report.text)
        else:
            logger.debug(report.text)

    def arm(self, at: float) -> None:
        """Call the runtime at `at`, s of the organ's clock, and look in from time to time."""
        now = float(self._clock.now().nanoseconds) * 1e-9
        wait = LONGEST_SLEEP if at == math.inf else min(max(0.0, at - now), LONGEST_SLEEP)
        self._timer.timer_period_ns = max(1, int(wait * 1e9))
        self._timer.reset()

    def wake(self) -> None:
        """Let the runtime do what waits; thread-safe."""
        if not self._over:
            with contextlib.suppress(InvalidHandle):  # it ends at this very moment
                self._guard_condition.trigger()

    @property
    def busy(self) -> bool:
        """Whether a question is with its server, or an end is not told yet."""
        return self._clients.under_way or self._servers.concluding

    def give_up(self) -> None:
        """Answer every open question now."""
        self._clients.give_up()

    @property
    def has_actions(self) -> bool:
        """Whether anything is performed as an action: its clients ask for their results later."""
        return self._servers.has_actions

    def reaches(self, topic: str, readers: int = 1) -> bool:
        """Tell whether at least so many readers of a topic of ours have been found."""
        return self._publishers[topic].get_subscription_count() >= readers

    def _new_publisher(self, topic: str) -> Any:
        return self._node.create_publisher(
            convert.ros_class(self._organ.says[topic]),
            topic,
            qos.for_publisher(topic),
            event_callbacks=qos.silent_publisher(),
        )

    # --- in -------------------------------------------------------------------------------

    def _on_timer(self) -> None:
        if self._runtime is not None:
            self._runtime.on_time()

    def _subscribe(self, runtime: Runtime, topic: str, kind: type) -> None:
        watched = topic in self._organ.watches and topic not in self._unwatched

        def on_liveliness(status: Any) -> None:
            if status.alive_count == 0 and status.alive_count_change < 0:
                runtime.silence(topic)

        def on_incompatible(info: Any) -> None:
            policy = qos_policy_name_from_kind(info.last_policy_kind)
            text = f'a publisher of {topic} cannot be heard: it offers too little {policy}'
            runtime.tell('warning', text)

        self._node.create_subscription(
            convert.ros_class(kind),
            topic,
            lambda message: runtime.hear(topic, convert.from_ros(message, kind)),
            qos.for_reader(topic),
            event_callbacks=SubscriptionEventCallbacks(
                incompatible_qos=on_incompatible,
                liveliness=on_liveliness if watched else None,
                use_default_callbacks=False,
            ),
        )
