"""Turns an organ into a ROS node, once for all organs.

Subscriptions, publishers, services, actions and clients come from the tables on the organ's
class; this module calls its methods and carries out what they return. All of it happens on the
one thread of the node's executor; other threads use :meth:`OrganNode.inject`.
"""

from __future__ import annotations

import collections
import contextlib
import math
import random
import time
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import InvalidHandle
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import qos_policy_name_from_kind

from soul.birth import Birth, Config, bear
from soul.border import Border
from soul.organ import (
    Ask,
    CancelAsk,
    Finish,
    Health,
    Offer,
    Organ,
    Progress,
    Record,
    Report,
    Save,
    handler_name,
)
from soul.printable import printable
from soul.ros import convert, params, qos
from soul.ros.careful import shield_services
from soul.ros.clients import Clients
from soul.ros.diagnostics import Diagnostics
from soul.ros.managed import ManagedNode
from soul.ros.servers import Servers
from soul.ros.sole import NameLock
from soul.ros.transforms import transform_of
from soul.store import Home, Keeper
from soul.supervision import Supervisor

#: A timer never sleeps longer than this, s: the system clock may be set and the host suspended.
LONGEST_SLEEP = 60.0
#: Memory is written at least this often while it changes, s.
SAVE_PERIOD = 60.0
#: What could not be written is tried again after this, s.
RETRY_SECONDS = 2.0
#: An organ that stops hears for at most so long how what it asked for ended, s.
SETTLE_SECONDS = 1.0
#: Pause between two looks whether that is so, s.
SETTLE_TICK = 0.01
#: So many looks in a row at which nothing is under way are enough.
SETTLED_TICKS = 3
#: Longest text in the log, characters.
LOG_LIMIT = 2000
#: Messages kept while there is no clock yet.
EARLY_LIMIT = 1000


@dataclass(frozen=True)
class OrganSpec(Generic[Config]):
    """How an organ becomes a node: everything an organ's node.py has to say."""

    name: str
    organ: type[Organ]
    config: type[Config]
    build: Callable[[Birth[Config]], Organ]
    managed: bool = False
    hardware_id: str = 'soul'
    #: Whether the organ's `now` is monotonic real time, as wires need it: the node's clock may be
    #: set back, paused, or run at another speed. Its life still begins with the node's clock.
    steady: Callable[[Config], bool] = lambda config: False
    #: Whether it is given points in other frames.
    transforms: bool = False


class OrganNode:
    """One organ living in one ROS node.

    Parameters
    ----------
    together_with
        The organs of this process.
    supervisor
        Looks after the organ, also over several nodes one after the other. None: over this one.

    Raises
    ------
    ParameterRefused
        If a parameter has a wrong value.
    HomeInUse
        If another process runs this organ on the same home.
    Unreadable
        If the organ's memory exists and cannot be read.
    """

    def __init__(
        self,
        spec: OrganSpec[Any],
        context: Context | None = None,
        namespace: str | None = None,
        overrides: Sequence[Parameter] = (),
        arguments: Sequence[str] | None = None,
        together_with: Sequence[OrganSpec[Any]] = (),
        supervisor: Supervisor | None = None,
    ) -> None:
        self.spec = spec
        self.supervisor = supervisor or Supervisor(spec.name, time.monotonic, lambda *_: None)
        # Within one participant Fast DDS lets every automatic lease run out; organs that live
        # in this process also end with it, so there is nothing to watch.
        self._unwatched = {topic for other in together_with for topic in other.organ.says}
        node_class = ManagedNode if spec.managed else Node
        self.node: Node | LifecycleNode = node_class(
            spec.name,
            context=context,
            namespace=namespace,
            parameter_overrides=list(overrides),
            cli_args=list(arguments) if arguments is not None else None,
        )
        self._name: NameLock | None = None
        self._closers: list[Callable[[], None]] = []
        self.keeper = Keeper(None, spec.name)  # until it is known where she lives
        self.supervisor.tell = self._tell
        try:
            self._build()
        except BaseException:
            self._close_all()
            self.keeper.close()
            self.node.destroy_node()
            self._release_name()
            raise

    def _release_name(self) -> None:
        if self._name is not None:
            self._name.release()

    def _build(self) -> None:
        spec, node = self.spec, self.node
        common = params.declare(node, params.CommonConfig)
        config = params.declare(node, spec.config)
        home = Home(common.soul_home)
        full_name, domain = node.get_fully_qualified_name(), node.context.get_domain_id()
        self._name = NameLock(full_name, domain, str(home)).acquire()
        self.keeper = Keeper(
            home,
            spec.name,
            spec.organ.memory_file,
            spec.organ.journals,
            holder=node.get_fully_qualified_name(),
            unfit=spec.organ.unfit,
        )
        real = Clock(clock_type=ClockType.STEADY_TIME)
        self._clock = real if spec.steady(config) else node.get_clock()
        self._queue: collections.deque[Callable[[float], Iterable[Any]]] = collections.deque()
        self._early: collections.deque[Callable[[float], Iterable[Any]]] = collections.deque(
            maxlen=EARLY_LIMIT
        )
        self._alive = False
        self._ended = False
        self._stop_wanted = False
        self._settles_until = math.inf  # monotonic s; it has stopped and hears how its asks ended
        self._settled = 0
        self._trouble = ''
        self._step_again = -math.inf  # organ's clock; a step that failed is not due before that
        self._anomalies = 0  # how many are in the log
        self._border = Border()
        self._guard_condition = node.create_guard_condition(self._drain)
        self.organ = bear(
            spec.build,
            Birth(
                config=config,
                home=home,
                clock=self.now,
                rng=random.Random(),
                memory=self.keeper.load(),
                past=self.keeper.past(),
                inject=self.inject,
                on_close=self._closers.append,
                stamped=lambda at: self._ros_now() - (self.now() - at),
                transform=transform_of(node) if spec.transforms else None,
            ),
            spec.organ.memory_file,
        )
        self._log_anomalies()
        self._saved: Mapping[str, Any] = self.organ.memory()
        self._save_at = math.inf
        self._publishers: dict[type, tuple[Any, bool]] = {}  # with: whether it has a header
        for topic, said in spec.organ.says.items():
            if topic not in spec.organ.perhaps:
                self._publishers[said] = self._new_publisher(topic, said)
        self._clients = Clients(
            node,
            spec.organ.asks,
            lambda answer: self._run(lambda now: self.organ.on_answer(answer, now)),
            self._admit,
        )
        self._servers = Servers(
            node,
            self.organ,
            self.carry_out,
            self.unwritten,
            self.now,
            self._hindrance,
            self.supervisor,
            self._admit,
        )
        self._timer = node.create_timer(
            LONGEST_SLEEP, self._on_timer, clock=self._clock, autostart=False
        )
        # Simulated time may start late, jump or go back.
        self._jumps = node.get_clock().create_jump_callback(
            JumpThreshold(
                min_forward=Duration(seconds=1),
                min_backward=Duration(nanoseconds=-1),
                on_clock_change=True,
            ),
            post_callback=lambda jump: self._guard_condition.trigger(),
        )
        self._diagnostics = Diagnostics(node, spec.hardware_id, self._health)
        if isinstance(node, ManagedNode):
            node.manage(self.organ, self._run)
            if common.autostart:
                self.inject(lambda now: node.autostart())
        for topic, heard in spec.organ.hears.items():
            self._listen(topic, heard)
        shield_services(node, self.supervisor)
        self._waiting = None
        if self._ros_now() <= 0.0:
            # Simulated time has not begun; real time looks for it.
            self._waiting = node.create_timer(0.05, self._drain, clock=real)
        self._guard_condition.trigger()

    # --- in -------------------------------------------------------------------------------

    def now(self) -> float:
        """Seconds of the organ's clock: the node's, or monotonic real time."""
        return float(self._clock.now().nanoseconds) * 1e-9

    def _ros_now(self) -> float:
        return float(self.node.get_clock().now().nanoseconds) * 1e-9

    def _hindrance(self) -> str:
        if self.supervisor.broken:
            return f'{self.spec.name} has failed and is begun anew: {self.supervisor.broken}'
        return '' if self._alive else 'not awake yet: no clock'

    def inject(self, work: Callable[[float], Iterable[Any]]) -> None:
        """Run `work(now)` on the node's thread and carry out what it returns. Thread-safe."""
        self._queue.append(work)
        self._wake()

    def _wake(self) -> None:
        if not self._ended:
            with contextlib.suppress(InvalidHandle):  # it ends at this very moment
                self._guard_condition.trigger()

    def _listen(self, topic: str, heard: type) -> None:
        method = getattr(self.organ, handler_name(heard))
        watched = topic in self.spec.organ.watches and topic not in self._unwatched
        callbacks = SubscriptionEventCallbacks(
            incompatible_qos=lambda info: self._on_incompatible(topic, info),
            liveliness=(lambda status: self._on_liveliness(topic, status)) if watched else None,
            use_default_callbacks=False,
        )
        self.node.create_subscription(
            convert.ros_class(heard),
            topic,
            lambda message: self._hear(method, topic, convert.from_ros(message, heard)),
            qos.for_reader(topic),
            event_callbacks=callbacks,
        )

    def _hear(
        self, method: Callable[[Any, float], Iterable[Any]], topic: str, signal: Any
    ) -> None:
        if self._settles_until < math.inf:
            return
        signal, _ = self._admit(topic, signal)
        if signal is not None:
            self._run(lambda now: method(signal, now))

    def _admit(self, name: str, signal: Any) -> tuple[Any, str]:
        """Bring what came in within its limits; None, and why, if it is refused."""
        passed = self._border.admit(name, signal, time.monotonic())
        for report in passed.reports:
            self._log(report)
        return passed.signal, passed.reason

    def _on_incompatible(self, topic: str, info: Any) -> None:
        policy = qos_policy_name_from_kind(info.last_policy_kind)
        self.node.get_logger().warning(
            f'a publisher of {topic} cannot be heard: it offers too little {policy}'
        )

    def _on_liveliness(self, topic: str, status: Any) -> None:
        if status.alive_count == 0 and status.alive_count_change < 0:
            self._run(lambda now: self.organ.on_silence(topic, now))

    def miss(self, topics: Collection[str]) -> None:
        """Hear that whoever published these topics in this process has failed. Thread-safe."""
        for topic in self.spec.organ.watches:
            if topic in topics:
                self.inject(lambda now, t=topic: self.organ.on_silence(t, now))  # type: ignore[misc]

    def request_stop(self) -> None:
        """Ask the organ to stop; thread-safe, also before its life has begun."""
        self._stop_wanted = True
        self._wake()

    def _drain(self) -> None:
        if self._stop_wanted:
            self._wind_down()
            return
        if not self._alive and not self._begin():
            return
        while self._queue:
            self._run(self._queue.popleft())
        self.supervisor.attempt(self._rearm)

    def _begin(self) -> bool:
        if self._ros_now() <= 0.0:  # simulated time has not begun: no behaviour yet
            return False
        self._alive = True
        if self._waiting is not None:
            self.node.destroy_timer(self._waiting)
        self._run(self.organ.start)
        while self._early:
            self._run(self._early.popleft())
        return True

    def _on_timer(self) -> None:
        if self._alive and self._settles_until == math.inf:
            self._run(self._due_step)

    def _due_step(self, now: float) -> Iterable[Any]:
        if now >= self._save_at:
            try:
                self._save()
                self.keeper.retry()
            except OSError as error:
                self.unwritten(error)
        if now < max(self.organ.due(), self._step_again):
            return
        self._step_again = now + RETRY_SECONDS  # should it fail: it may still be due then
        yield from self.organ.step(now)
        self._step_again = -math.inf

    def _run(self, work: Callable[[float], Iterable[Any]]) -> None:
        if self._ended or self.supervisor.broken:
            return
        if not self._alive:
            self._early.append(work)
            self._guard_condition.trigger()
            return
        self.supervisor.attempt(lambda: self._do(work))

    def _do(self, work: Callable[[float], Iterable[Any]]) -> None:
        try:
            self.carry_out(work(self.now()))
        except OSError as error:
            # What could not be written is not carried out; she goes on with what she has.
            self.unwritten(error)
        self._rearm()

    def unwritten(self, error: OSError) -> None:
        """Remember that something could not be written; it is tried again."""
        if str(error) != self._trouble:  # said once, not each time it is tried
            self.node.get_logger().error(f'storage: {error}')
        self._trouble = str(error)
        self._save_at = self.now() + RETRY_SECONDS

    # --- out ------------------------------------------------------------------------------

    def carry_out(self, outputs: Iterable[Any]) -> None:
        """Carry out an organ's outputs in their order.

        Raises
        ------
        OSError
            If something cannot be written; what follows it is not carried out then.
        """
        iterator = iter(outputs)
        error: OSError | None = None
        while True:
            try:
                if error is None:
                    output = next(iterator)
                else:  # at its yield a generator learns of it, and may go on in its own way
                    output = iterator.throw(error)  # type: ignore[attr-defined]
                    error = None
            except StopIteration:
                break
            try:
                self._carry_out_one(output)
            except OSError as unwritten:
                if not isinstance(iterator, Generator):
                    raise
                error = unwritten
                self.unwritten(error)
        if self.spec.organ.memory_file and self._save_at == math.inf:
            self._save_at = self.now() + SAVE_PERIOD

    def _carry_out_one(self, output: Any) -> None:
        if type(output) in self._publishers:
            self._publish(output)
        elif isinstance(output, Record):
            self.keeper.record(output.journal, output.entry, output.durable)
            if self.keeper.trouble:
                self._save_at = min(self._save_at, self.now() + RETRY_SECONDS)
            if len(self.keeper.anomalies) > self._anomalies:
                self._log_anomalies()
        elif isinstance(output, Save):
            self._save()
        elif isinstance(output, Ask):
            self._clients.send(output)
        elif isinstance(output, Finish):
            self._servers.finish(output)
        elif isinstance(output, Progress):
            self._servers.progress(output)
        elif isinstance(output, CancelAsk):
            self._clients.cancel(output.token)
        elif isinstance(output, Offer):
            self._offer(output.topics)
        elif isinstance(output, Report):
            self._log(output)
        else:
            raise TypeError(f'{self.spec.name} never says {type(output).__name__}')

    def _log_anomalies(self) -> None:
        anomalies = self.keeper.anomalies
        for anomaly in anomalies[self._anomalies :]:
            self.node.get_logger().error(anomaly)
        self._anomalies = len(anomalies)

    def _tell(self, level: str, text: str) -> None:
        self._log(Report(level, text))

    def _log(self, report: Report) -> None:
        logger = self.node.get_logger()
        # It may quote anybody: a line is no order to a terminal, and no novel.
        text = printable(report.text, LOG_LIMIT)
        # One line of code per level: rclpy refuses a second level from the same line.
        if report.level == 'error':
            logger.error(text)
        elif report.level == 'warning':
            logger.warning(text)
        elif report.level == 'info':
            logger.info(text)
        else:
            logger.debug(text)

    def _new_publisher(self, topic: str, said: type) -> tuple[Any, bool]:
        kind: Any = convert.ros_class(said)
        publisher = self.node.create_publisher(
            kind, topic, qos.for_publisher(topic), event_callbacks=qos.silent_publisher()
        )
        return publisher, 'header' in kind.get_fields_and_field_types()

    def _offer(self, topics: Sequence[str]) -> None:
        organ = self.spec.organ
        for topic in sorted(organ.perhaps):
            said = organ.says[topic]
            if topic in topics and said not in self._publishers:
                self._publishers[said] = self._new_publisher(topic, said)
            elif topic not in topics and said in self._publishers:
                self.node.destroy_publisher(self._publishers.pop(said)[0])

    def _publish(self, signal: Any) -> None:
        publisher, stamped = self._publishers[type(signal)]
        message = convert.to_ros(signal)
        if stamped and signal.stamp == 0.0:
            message.header.stamp = self.node.get_clock().now().to_msg()
        publisher.publish(message)

    def _save(self) -> None:
        self._save_at = math.inf
        memory = self.organ.memory()
        if memory != self._saved or self._trouble:
            self.keeper.save(memory)
            self._saved = memory
        if self._trouble:
            self.node.get_logger().warning(f'storage: it can be written again ({self._trouble})')
        self._trouble = ''

    def _rearm(self) -> None:
        if self._ended or not self._alive or self.supervisor.broken:
            return
        due = min(max(self.organ.due(), self._step_again), self._save_at)
        wait = min(max(0.0, due - self.now()), LONGEST_SLEEP)
        self._timer.timer_period_ns = max(1, int(wait * 1e9))
        self._timer.reset()

    def _health(self) -> Health:
        if not self._alive:
            return Health('warn', 'waiting for the clock')
        own = self.supervisor.attempt(self._own_health)
        if own is None:
            return Health('error', f'it failed: {self.supervisor.broken}')
        return self.supervisor.health(own)

    def _own_health(self) -> Health:
        health = self._border.health(self.organ.health(self.now()), time.monotonic())
        trouble = self.keeper.hold() or self._trouble or self.keeper.trouble
        if len(self.keeper.anomalies) > self._anomalies:
            self._log_anomalies()
        problems = [*self.keeper.anomalies, *([trouble] if trouble else [])]
        if not problems:
            return health
        values = {**health.values, **{f'storage {n}': p for n, p in enumerate(problems)}}
        if health.level == 'error':
            return Health('error', health.message, values)
        return Health('error' if trouble else 'warn', problems[-1], values)

    # --- the end --------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether the organ has stopped."""
        return self._ended

    def _wind_down(self) -> None:
        """Stop, hear how what was asked for ended, let the last answers go out, then end."""
        if self._ended or not self._alive:
            self._ended = True
            return
        if self._settles_until == math.inf:
            self._settles_until = time.monotonic() + SETTLE_SECONDS
            self._run(self.organ.stop)
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._settling = self.node.create_timer(SETTLE_TICK, self._wind_down, clock=steady)
        while self._queue:
            self._run(self._queue.popleft())
        if self._clients.under_way or self._servers.concluding:
            self._settled = 0
        else:
            self._settled += 1
        # Goals end, and then their results are sent, by tasks of the executor between its timers.
        if self._settled >= SETTLED_TICKS or time.monotonic() >= self._settles_until:
            self.stop()

    def stop(self) -> None:
        """End quietly: hardware first, then memory. Idempotent; on the executor's thread."""
        if self._ended:
            return
        if self._alive:
            if self._settles_until == math.inf:
                self._settles_until = time.monotonic()
                self._run(self.organ.stop)
            self._clients.give_up()
            self._run(lambda now: (Save(),))
        self._ended = True

    def abandon(self) -> None:
        """End a broken organ: quietly if it still can, and nobody waits for it in vain.

        Its memory is not written: it is begun anew with what it was when it was well.
        """
        if not self._ended and self._alive and self._settles_until == math.inf:
            self._settles_until = time.monotonic() + SETTLE_SECONDS
            try:
                self.supervisor.attempt(lambda: self.carry_out(self.organ.stop(self.now())))
            except OSError as error:
                self.unwritten(error)
        self._servers.give_up(self._hindrance())

    @property
    def has_goals(self) -> bool:
        """Whether it performs actions: their clients ask for a result only once they are told."""
        return self._servers.has_goals

    def _close_all(self) -> None:
        while self._closers:
            # One that fails must not keep the others from letting go of threads, ports and files.
            self.supervisor.shield(self._closers.pop())

    def destroy(self) -> None:
        """Let go of the node, the files and the home; after its executor has ended."""
        self._ended = True
        self._close_all()
        self._jumps.unregister()
        self.node.destroy_node()
        self.keeper.close()
        self._release_name()
