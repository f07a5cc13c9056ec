"""An executor that keeps its wait set, and what it runs an organ with.

rclpy's own executors build a wait set, and a list of everything that could be waited for, before
each single callback; with some forty entities a node that is most of what an idle message costs.
This one builds them when an entity comes or goes, waits, and calls everything that was ready
before it waits again. What is rare (services, clients, actions, events) is taken by rclpy's code.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeAlias

from rclpy.context import Context
from rclpy.executors import (
    ExternalShutdownException,
    SingleThreadedExecutor,
)
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.subscription import Subscription
from rclpy.task import Task
from rclpy.timer import Timer

Kind: TypeAlias = Literal['subscription', 'client', 'service', 'timer', 'guard_condition']
NANOSECONDS = 1_000_000_000


class _Ends:
    """Everything of some nodes that can be waited for, and a wait set of that size.

    Its handles are held until :meth:`release`: what is destroyed meanwhile lives on till then.
    """

    def __init__(self, nodes: list[Node], guards: list[Any], context: Context) -> None:
        assert context.handle is not None
        self._held = contextlib.ExitStack()
        self.subscriptions = self._hold(e for node in nodes for e in node.subscriptions)
        self.timers = self._hold(e for node in nodes for e in node.timers)
        self.clients = self._hold(e for node in nodes for e in node.clients)
        self.services = self._hold(e for node in nodes for e in node.services)
        self.guards = self._hold(e for node in nodes for e in node.guards)
        self._own_guards = self._hold(guards)
        self.waitables: list[Any] = []
        events = 0
        counts = [
            len(self.subscriptions),
            len(self.guards) + len(self._own_guards),
            len(self.timers),
            len(self.clients),
            len(self.services),
        ]
        for waitable in [e for node in nodes for e in node.waitables]:
            try:
                self._held.enter_context(waitable)
            except _rclpy.InvalidHandle:
                continue
            self.waitables.append(waitable)
            needs = waitable.get_num_entities()
            counts[0] += needs.num_subscriptions
            counts[1] += needs.num_guard_conditions
            counts[2] += needs.num_timers
            counts[3] += needs.num_clients
            counts[4] += needs.num_services
            events += needs.num_events
        self._held.enter_context(context.handle)
        # its stub names another constructor
        self.wait_set = _rclpy.WaitSet(*counts, events, context.handle)  # type: ignore[arg-type,call-arg]
        by_kind = (
            (self.wait_set.add_subscription, self.subscriptions),
            (self.wait_set.add_client, self.clients),
            (self.wait_set.add_service, self.services),
            (self.wait_set.add_timer, self.timers),
            (self.wait_set.add_guard_condition, self.guards),
            (self.wait_set.add_guard_condition, self._own_guards),
        )
        self._adding = [(add, entity.handle) for add, held in by_kind for entity in held.values()]

    def _hold(self, entities: Any) -> dict[int, Any]:
        held = {}
        for entity in entities:
            with contextlib.suppress(_rclpy.InvalidHandle):  # it was destroyed just now
                self._held.enter_context(entity.handle)
                held[entity.handle.pointer] = entity
        return held

    def wait(self, nanoseconds: int) -> None:
        """Wait until something is ready, at most so long; negative: for ever."""
        wait_set = self.wait_set
        wait_set.clear_entities()  # waiting strikes out what was not ready
        for add, handle in self._adding:
            add(handle)
        for waitable in self.waitables:
            waitable.add_to_wait_set(wait_set)
        wait_set.wait(nanoseconds)

    def ready(self, kind: Kind, entities: dict[int, Any]) -> list[Any]:
        """Those of one kind that the last :meth:`wait` found ready."""
        if not entities:
            return []
        found = self.wait_set.get_ready_entities(kind)
        return [entities[pointer] for pointer in found if pointer in entities]

    def release(self) -> None:
        """Hold nothing any more."""
        self._held.close()


class WaitSetExecutor(SingleThreadedExecutor):
    """Runs callbacks on the thread that spins, several after each wait.

    The order after one wait: events and actions, timers, messages, guard conditions, answers,
    requests. Callback groups are not looked at: on one thread plain functions exclude each other
    anyway. A callback that is a coroutine goes on as a task of the executor.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        self._stale = True  # the wait set is not that of the nodes as they are
        self._ends: _Ends | None = None
        self._ready: deque[Callable[[], None]] = deque()
        self._parked: list[Task[Any]] = []  # coroutines that wait for something
        self._spinning = threading.RLock()
        super().__init__(context=context)

    # --- what there is to wait for --------------------------------------------------------

    def wake(self) -> None:
        """Look anew at what there is to wait for; called where something was made or destroyed."""
        self._stale = True
        super().wake()

    def add_node(self, node: Node) -> bool:
        """Also run the callbacks of `node`."""
        self._stale = True
        return super().add_node(node)

    def remove_node(self, node: Node) -> None:
        """Run the callbacks of `node` no longer."""
        self._stale = True
        super().remove_node(node)

    def _refreshed(self) -> _Ends:
        if self._stale or self._ends is None:
            self._stale = False  # before looking: what is made meanwhile is looked for next time
            self._release()
            guards = [guard for guard in (self._guard, self._sigint_gc) if guard is not None]
            self._ends = _Ends(list(self.get_nodes()), guards, self._context)
        return self._ends

    def _release(self) -> None:
        if self._ends is not None:
            self._ends.release()
            self._ends = None

    # --- running --------------------------------------------------------------------------

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Run one callback; wait for it if none is ready.

        Parameters
        ----------
        timeout_sec
            Longest time to wait, s; None or negative: for ever.

        Raises
        ------
        ExternalShutdownException
            If the context was shut down.
        Exception
            What the callback raised.
        """
        with self._spinning:
            if not self._ready and not self._gather_tasks():
                self._wait(timeout_sec)
            if self._ready:
                self._ready.popleft()()

    def _wait(self, timeout_sec: float | None) -> None:
        if self._is_shutdown:
            return
        if not self._context.ok():
            raise ExternalShutdownException()
        ends = self._refreshed()
        waits = timeout_sec is None or timeout_sec < 0
        ends.wait(-1 if waits else int(timeout_sec * NANOSECONDS))  # type: ignore[operator]
        if self._is_shutdown:
            return
        if not self._context.ok():
            raise ExternalShutdownException()
        self._gather(ends)

    def _gather_tasks(self) -> bool:
        with self._tasks_lock:
            tasks = list(self._tasks)
            self._tasks.clear()
        self._ready.extend(partial(self._run_task, task) for task, _, _ in tasks)
        return bool(tasks)

    def _gather(self, ends: _Ends) -> None:
        ready = self._ready
        # What a coroutine waits for comes with one of these.
        parked, self._parked = self._parked, []
        for waitable in ends.waitables:
            if waitable.is_ready(ends.wait_set):
                ready.append(partial(self._take, self._take_waitable, waitable))
        for timer in ends.ready('timer', ends.timers):
            ready.append(partial(self._call_timer, timer))
        for subscription in ends.ready('subscription', ends.subscriptions):
            ready.append(partial(self._call_subscription, subscription))
        for guard in ends.ready('guard_condition', ends.guards):
            ready.append(partial(self._call_guard, guard))
        for client in ends.ready('client', ends.clients):
            ready.append(partial(self._take, self._take_client, client))
        for service in ends.ready('service', ends.services):
            ready.append(partial(self._take, self._take_service, service))
        ready.extend(partial(self._run_task, task) for task in parked)

    def _call_subscription(self, subscription: Subscription[Any]) -> None:
        try:
            with subscription.handle:
                taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
        except _rclpy.InvalidHandle:
            return
        if taken is None:
            return
        with_info = subscription._callback_type is Subscription.CallbackType.WithMessageInfo
        self._call(subscription.callback, *(taken if with_info else taken[:1]))

    def _call_timer(self, timer: Timer) -> None:
        try:
            with timer.handle:
                # A wait set also shows timers that were cancelled or set anew meanwhile.
                if not timer.handle.is_timer_ready():
                    return
                execute = self._take_timer(timer)
        except _rclpy.InvalidHandle:
            return
        if execute is not None:
            self._run_task(Task(execute, executor=self))

    def _call_guard(self, guard: GuardCondition) -> None:
        if guard.callback is not None:
            self._call(guard.callback)

    def _call(self, callback: Callable[..., Any], *arguments: Any) -> None:
        returned = callback(*arguments)
        if inspect.iscoroutine(returned):

            async def go_on() -> None:
                await returned

            self.create_task(go_on)

    def _take(self, take: Callable[[Any], Any], entity: Any) -> None:
        try:
            execute = take(entity)
        except _rclpy.InvalidHandle:
            return
        if execute is not None:
            self._run_task(Task(execute, executor=self))

    def _run_task(self, task: Task[Any]) -> None:
        task()
        if not task.done():
            self._parked.append(task)
        elif (error := task.exception()) is not None:
            raise error

    # --- the end --------------------------------------------------------------------------

    def shutdown(self, timeout_sec: float | None = None) -> bool:
        """Stop; from any thread.

        Parameters
        ----------
        timeout_sec
            Longest time to wait for the callback that runs, s; None: for ever.

        Returns
        -------
        bool
            Whether it has ended within that time.
        """
        ended = super().shutdown(timeout_sec)
        if not self._spinning.acquire(timeout=-1 if timeout_sec is None else timeout_sec):
            return False
        try:
            self._ready.clear()
            self._release()
        finally:
            self._spinning.release()
        return ended
