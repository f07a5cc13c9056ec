"""Carries what an organ says and asks over ROS, and what others say and ask to its runtime."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Collection
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.qos import qos_policy_name_from_kind

from soul.core.interfaces import LATCHED
from soul.core.organ import Ask, Finish, Organ, Progress, Report
from soul.core.output import Signal
from soul.core.questions import Question
from soul.core.runtime import Runtime
from soul.ros import convert, qos
from soul.ros.clients import Clients
from soul.ros.delivery import Delivery
from soul.ros.local import LocalPlace
from soul.ros.servers import NodeServers

#: How often open questions to neighbours are looked after, s.
TICK = 0.1
#: A state is on DDS after at most this, s, if nobody there hears it yet.
LATCH_SECONDS = 0.05
#: A timer never sleeps longer than this, s: the system clock may be set and the host suspended.
LONGEST_SLEEP = 60.0


class RosTransport:
    """The ends of one node: publishers, subscriptions, services, actions, clients and a timer.

    All but :meth:`wake` happens on the thread of the node's executor. What neighbours in the same
    process say and ask does not come over DDS; on DDS it is said for everybody else: states
    always, events if somebody listens.

    Parameters
    ----------
    clock
        The organ's clock.
    unwatched
        Topics whose publishers are not watched for life: they end together with this process.
    on_wake
        Called on the executor's thread after :meth:`wake`.
    local
        Its place among the organs of this process; None: everything goes over DDS.
    """

    def __init__(
        self,
        node: Node,
        organ: type[Organ],
        clock: Clock,
        unwatched: Collection[str],
        on_wake: Callable[[], None],
        local: LocalPlace | None = None,
    ) -> None:
        self._node = node
        self._local = local
        self._organ = organ
        self._clock = clock
        self._unwatched = unwatched
        self._runtime: Runtime | None = None
        self._over = False
        self._delivery = Delivery(node)
        for service in node.services:  # those of rclpy itself: parameters, transitions
            self._delivery.watch(service)
        self._publishers: dict[str, Any] = {}
        self._guard_condition = node.create_guard_condition(on_wake)
        self._timer = node.create_timer(
            LONGEST_SLEEP, self._on_timer, clock=clock, autostart=False
        )
        self._armed = -math.inf  # what the timer is set to; -inf: it must be set anew
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._deadlines = node.create_timer(TICK, self._on_tick, clock=steady, autostart=False)
        self._unheard: dict[str, Signal] = {}  # newest states that are not on DDS yet, by topic
        self._latching = node.create_timer(
            LATCH_SECONDS, self._publish_states, clock=steady, autostart=False
        )
        for topic in organ.says:
            if topic not in organ.perhaps:
                self._publishers[topic] = self._new_publisher(topic)

    def connect(self, runtime: Runtime) -> None:
        """Let what is asked go to `runtime`, and answers."""
        self._runtime = runtime
        self._clients = Clients(self._node, self._organ.asks, runtime.answer)
        self._servers = NodeServers(self._node, runtime, self._delivery)
        if self._local is not None:
            self._local.connect(runtime)

    def listen(self) -> None:
        """Hear topics from now on; all neighbours have their places by then."""
        assert self._runtime is not None
        for topic, kind in self._organ.hears.items():
            if self._local is not None and self._local.hears_here(topic):
                self._local.listen(topic)
            else:
                self._subscribe(self._runtime, topic, kind)

    def leave(self) -> None:
        """Be asked no more by neighbours; those who wait are told. Idempotent."""
        if self._local is not None:
            self._local.leave()

    def close(self) -> None:
        """Wake nobody any more, and let go of what the node does not destroy by itself."""
        self._over = True
        self.leave()
        if self._runtime is not None:
            self._clients.close()
            self._servers.close()

    # --- out ------------------------------------------------------------------------------

    def publish(self, topic: str, signal: Signal) -> None:
        """Let everybody who hears `topic` hear the signal."""
        if self._local is not None:
            self._local.say(topic, signal)
        publisher = self._publishers[topic]
        if publisher.get_subscription_count():
            self._unheard.pop(topic, None)
            publisher.publish(convert.to_ros(signal))
        elif topic in LATCHED:
            # A state is there for whoever comes later, but nobody waits for it: the newest one
            # is published a moment later. An event that nobody hears is no message.
            self._unheard[topic] = signal
            if self._latching.is_canceled():
                self._latching.reset()

    def _publish_states(self) -> None:
        self._latching.cancel()
        states, self._unheard = self._unheard, {}
        for topic, signal in states.items():
            self._publishers[topic].publish(convert.to_ros(signal))

    def ask(self, ask: Ask) -> None:
        """Send a question as soon as its server is there."""
        if self._local is None or not self._local.ask(ask):
            self._clients.send(ask)
        elif self._deadlines.is_canceled():
            self._deadlines.reset()

    def _on_tick(self) -> None:
        assert self._local is not None
        questions = self._local.questions
        questions.step(time.monotonic())
        if questions.due() == math.inf:
            self._deadlines.cancel()

    def cancel(self, token: str) -> None:
        """Ask the server to end the goals asked for with `token`."""
        if self._local is not None:
            self._local.cancel(token)
        self._clients.cancel(token)

    def finish(self, goal: Any, finish: Finish) -> None:
        """Tell whoever asked for `goal` how it ended."""
        if isinstance(goal, Question):
            assert self._local is not None
            self._local.questions.finish(goal, finish)
        else:
            self._servers.finish(goal, finish)

    def progress(self, goal: Any, progress: Progress) -> None:
        """Tell whoever asked for `goal` how far it is; a neighbour does not ask."""
        if not isinstance(goal, Question):
            self._servers.progress(goal, progress)

    def offer(self, topics: Collection[str]) -> None:
        """Have publishers for exactly these of the topics that exist only at times."""
        for topic in sorted(self._organ.perhaps):
            if topic in topics and topic not in self._publishers:
                self._publishers[topic] = self._new_publisher(topic)
            elif topic not in topics and topic in self._publishers:
                self._unheard.pop(topic, None)
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
        if at == self._armed:
            return
        self._armed = at
        now = float(self._clock.now().nanoseconds) * 1e-9
        wait = LONGEST_SLEEP if at == math.inf else min(max(0.0, at - now), LONGEST_SLEEP)
        self._timer.timer_period_ns = max(1, int(wait * 1e9))
        self._timer.reset()

    def forget_time(self) -> None:
        """Set the timer anew at the next :meth:`arm`: the clock has jumped."""
        self._armed = -math.inf

    def wake(self) -> None:
        """Let the runtime do what waits; thread-safe."""
        if not self._over:
            with contextlib.suppress(InvalidHandle):  # it ends at this very moment
                self._guard_condition.trigger()

    @property
    def busy(self) -> bool:
        """Whether a question is with its server, or an end is not told yet."""
        asks = self._local is not None and self._local.questions.under_way(self._local)
        return asks or self._clients.under_way or self._servers.concluding

    def give_up(self) -> None:
        """Answer every open question now."""
        if self._local is not None:
            self._local.questions.give_up(self._local)
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
        self._armed = -math.inf
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
