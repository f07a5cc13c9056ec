"""Turns an organ into a ROS node, once for all organs.

What an organ's tables say becomes the ends of the node (:mod:`soul.ros.transport`), and one
:class:`~soul.core.runtime.Runtime` lives on the one thread of the node's executor; other threads
use :meth:`OrganNode.inject`. Here the two are built, and end in good order.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any

from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.context import Context
from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node
from rclpy.parameter import Parameter

from soul.core.clocks import Clocks
from soul.core.context import OrganContext
from soul.core.inbox import Inbox
from soul.core.keeper import Keeper
from soul.core.organ import Health, Organ
from soul.core.output import Work
from soul.core.runtime import Runtime
from soul.core.supervision import Supervisor
from soul.graph import OrganSpec
from soul.ros import params
from soul.ros.careful import shield_services
from soul.ros.diagnostics import Diagnostics
from soul.ros.executor import WaitSetExecutor
from soul.ros.local import LocalPlace, Neighbours
from soul.ros.managed import ManagedNode
from soul.ros.sole import NameLock
from soul.ros.transforms import transform_of
from soul.ros.transport import RosTransport
from soul.store import Home

#: An organ that stops hears for at most so long how what it asked for ended, s.
SETTLE_SECONDS = 1.0
#: Pause between two looks whether that is so, s.
SETTLE_TICK = 0.01
#: So many looks in a row at which nothing is under way are enough.
SETTLED_TICKS = 3
#: Pause between two looks for simulated time that has not begun, s.
CLOCK_TICK = 0.05


class OrganNode:
    """One organ living in one ROS node.

    Parameters
    ----------
    together_with
        The organs of this process.
    supervisor
        Looks after the organ, also over several nodes one after the other. None: over this one.
    neighbours
        The organs of this process that hear each other without DDS; None: over DDS.

    Raises
    ------
    ParameterRefused
        If a parameter has a wrong value.
    HomeInUse
        If another process runs this organ on the same home.
    Unreadable
        If the organ's memory exists and cannot be read.
    """

    organ: Organ
    runtime: Runtime
    transport: RosTransport

    def __init__(
        self,
        spec: OrganSpec[Any],
        context: Context | None = None,
        namespace: str | None = None,
        overrides: Sequence[Parameter] = (),
        arguments: Sequence[str] | None = None,
        together_with: Sequence[OrganSpec[Any]] = (),
        supervisor: Supervisor | None = None,
        neighbours: Neighbours | None = None,
    ) -> None:
        self.spec = spec
        self.supervisor = supervisor or Supervisor(spec.name, time.monotonic, lambda *_: None)
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
        self._neighbours = neighbours
        self.keeper = Keeper(None, spec.name)  # until it is known where she lives
        self._stop_wanted = False
        self._settles_until = 0.0  # monotonic s; it has stopped and hears how its asks ended
        self._settled = 0
        # Within one participant Fast DDS lets every automatic lease run out; organs that live
        # in this process also end with it, so there is nothing to watch.
        unwatched = {topic for other in together_with for topic in other.organ.says}
        try:
            self._build(unwatched)
        except BaseException:
            self._close_all()
            self.keeper.close()
            self.node.destroy_node()
            self._release_name()
            raise

    def _build(self, unwatched: Collection[str]) -> None:
        spec, node = self.spec, self.node
        common = self._common = params.declare(node, params.CommonConfig)
        config = params.declare(node, spec.config)
        home = Home(common.soul_home)
        full_name, domain = node.get_fully_qualified_name(), node.context.get_domain_id()
        self._name = NameLock(full_name, domain, str(home)).acquire()
        self.keeper = Keeper(
            home,
            spec.name,
            spec.organ.memory_file,
            spec.organ.journals,
            holder=full_name,
            unfit=spec.organ.unfit,
            memory_type=spec.organ.memory_type,
        )
        real = Clock(clock_type=ClockType.STEADY_TIME)
        self._clock = real if spec.steady(config) else node.get_clock()
        self._inbox = Inbox(lambda: self.transport.wake())
        local = None
        if self._neighbours is not None and common.use_intra_process_comms:
            local = LocalPlace(self._neighbours, spec.organ, self._inbox, node.resolve_topic_name)
        self.transport = RosTransport(
            node, spec.organ, self._clock, unwatched, self._on_wake, local
        )
        self.organ = spec.make(
            OrganContext(
                config=config,
                home=home,
                clock=self.now,
                rng=random.Random(),
                memory=self.keeper.load(),
                past=self.keeper.past(spec.organ.recalls),
                inject=self._inbox.put,
                on_close=self._closers.append,
                stamped=lambda at: self._ros_now() - (self.now() - at),
                transform=transform_of(node) if spec.transforms else None,
            )
        )
        clocks = Clocks(self.now, self._ros_now, time.monotonic, self._has_begun)
        self.runtime = Runtime(
            spec.name,
            self.organ,
            self.keeper,
            clocks,
            self.transport,
            self.supervisor,
            self._inbox,
        )
        self.supervisor.tell = self.runtime.tell
        self.transport.connect(self.runtime)
        self._diagnostics = Diagnostics(node, spec.hardware_id, self.health)
        if isinstance(node, ManagedNode):
            node.manage(self.organ, self.runtime.run)
            if common.autostart:
                self.inject(lambda now: node.autostart())
        shield_services(node, self.supervisor)
        # Simulated time may start late, jump or go back.
        self._jumps = node.get_clock().create_jump_callback(
            JumpThreshold(
                min_forward=Duration(seconds=1),
                min_backward=Duration(nanoseconds=-1),
                on_clock_change=True,
            ),
            post_callback=self._on_jump,
        )
        self._looking = None
        if not self._has_begun():  # real time looks for it
            self._looking = node.create_timer(CLOCK_TICK, self._on_wake, clock=real)
        self.transport.wake()

    def listen(self) -> None:
        """Hear topics from now on; the other organs of this process exist by then."""
        self.transport.listen()

    def _on_jump(self, jump: object) -> None:
        self.transport.forget_time()
        self.transport.wake()

    def new_executor(self) -> SingleThreadedExecutor:
        """Make an executor that runs this node, of the kind that its parameter names."""
        wanted = self._common.executor
        kind = WaitSetExecutor if wanted == 'wait_set' else SingleThreadedExecutor
        executor = kind(context=self.node.context)
        executor.add_node(self.node)
        return executor

    # --- while it lives -------------------------------------------------------------------

    def now(self) -> float:
        """Seconds of the organ's clock: the node's, or monotonic real time."""
        return float(self._clock.now().nanoseconds) * 1e-9

    def _ros_now(self) -> float:
        return float(self.node.get_clock().now().nanoseconds) * 1e-9

    def _has_begun(self) -> bool:
        return self._ros_now() > 0.0  # else simulated time has not begun

    def inject(self, work: Work) -> None:
        """Run `work(now)` on the node's thread and carry out what it returns. Thread-safe."""
        self._inbox.put(work)

    def miss(self, topics: Collection[str]) -> None:
        """Hear that whoever published these topics in this process has failed. Thread-safe."""
        for topic in self.spec.organ.watches:
            if topic in topics:
                self.inject(lambda now, t=topic: self.organ.on_silence(t, now))  # type: ignore[misc]

    def _on_wake(self) -> None:
        if self._stop_wanted:
            self._wind_down()
            return
        self.runtime.drain()
        if self._looking is not None and self.runtime.alive:
            self.node.destroy_timer(self._looking)
            self._looking = None

    def health(self) -> Health:
        """Return how the organ is, for /diagnostics."""
        return self.runtime.health()

    # --- the end --------------------------------------------------------------------------

    @property
    def ended(self) -> bool:
        """Whether the organ has stopped."""
        return self.runtime.ended

    @property
    def has_goals(self) -> bool:
        """Whether it performs actions: their clients ask for a result only once they are told."""
        return self.transport.has_actions

    def request_stop(self) -> None:
        """Ask the organ to stop; thread-safe, also before its life has begun."""
        self._stop_wanted = True
        self.transport.wake()

    def _wind_down(self) -> None:
        """Stop, hear how what was asked for ended, let the last answers go out, then end."""
        runtime = self.runtime
        if runtime.alive and not runtime.winding_down:
            self._settles_until = time.monotonic() + SETTLE_SECONDS
            runtime.wind_down()
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._settling = self.node.create_timer(SETTLE_TICK, self._wind_down, clock=steady)
        if runtime.alive:
            runtime.drain()
        self._settled = 0 if self.transport.busy else self._settled + 1
        # Goals end, and then their results are sent, by tasks of the executor between its timers.
        settled = self._settled >= SETTLED_TICKS or time.monotonic() >= self._settles_until
        if settled or not runtime.alive:
            runtime.stop()
            self.transport.leave()

    def abandon(self) -> None:
        """End a broken organ: quietly if it still can, and nobody waits for it in vain."""
        self.runtime.abandon()

    def _close_all(self) -> None:
        while self._closers:
            # One that fails must not keep the others from letting go of threads, ports and files.
            self.supervisor.shield(self._closers.pop())

    def _release_name(self) -> None:
        if self._name is not None:
            self._name.release()

    def destroy(self) -> None:
        """Let go of the node, the files and the home; after its executor has ended."""
        self.runtime.ended = True
        self.transport.close()
        self._close_all()
        self._jumps.unregister()
        self.node.destroy_node()
        self.keeper.close()
        self._release_name()
