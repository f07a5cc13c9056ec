"""From a published message to the request at the provider, beside a bare chain of rclpy nodes.

Chain and graph live in one process and are measured by turns, so that whatever else the machine
does hits both. Counted besides: processor time of a whole turn, syncs of the disk, publications.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher

from bench.figure import Figure
from soul import graph as table
from soul.mind.providers.base import Completion, Request, ToolCall
from soul.ros import convert, dds, qos
from soul.ros.runner import Runner
from soul.signals import Message, Phase

#: outside -> field -> heart -> field -> mind
HOPS = 4
DOMAIN = 99
#: The first ones warm up.
WARM_UP = 10
#: Less processor time than this within 50 ms is stillness, s.
STILL_SECONDS = 0.004


def percentile(values: Sequence[float], part: float) -> float:
    """Value below which `part` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@contextlib.contextmanager
def spinning(nodes: Sequence[Node], context: Context) -> Iterator[None]:
    """Spin each node on a thread of its own."""
    executors = []
    threads = []

    def spin(executor: SingleThreadedExecutor) -> None:
        with contextlib.suppress(ExternalShutdownException):
            executor.spin()

    for node in nodes:
        executor = SingleThreadedExecutor(context=context)
        executor.add_node(node)
        executors.append(executor)
        threads.append(threading.Thread(target=spin, args=(executor,)))
        threads[-1].start()
    try:
        yield
    finally:
        rclpy.shutdown(context=context)
        for thread in threads:
            thread.join()


def context(domain: int = DOMAIN) -> Context:
    """Make a ROS context."""
    dds.prefer_quick_discovery()
    made = Context()
    rclpy.init(context=made, domain_id=domain, args=[])
    return made


def measure_one(send: Callable[[str], None], arrived: Mapping[str, float]) -> float:
    """Send once and wait; seconds."""
    name = uuid.uuid4().hex
    begun = time.perf_counter()
    send(name)
    while name not in arrived:
        if time.perf_counter() - begun > 10.0:
            raise RuntimeError('a message did not arrive within 10 s')
        time.sleep(0.0002)
    return arrived[name] - begun


@dataclass
class Counted:
    """What one side took, per message."""

    seconds: list[float] = field(default_factory=list)  # until it arrived
    processor: list[float] = field(default_factory=list)  # s of CPU until all was still
    syncs_before: list[int] = field(default_factory=list)  # of the disk, until it arrived
    syncs: list[int] = field(default_factory=list)  # of the disk, until all was still
    published: list[int] = field(default_factory=list)  # on DDS, until all was still


class Counter:
    """Counts what is synced to disk and published in this process while it is entered."""

    def __init__(self) -> None:
        self.syncs: list[float] = []  # when, s of perf_counter
        self.published = 0

    def __enter__(self) -> Counter:
        self._kept = os.fsync, os.fdatasync, Publisher.publish
        fsync, fdatasync, publish = self._kept

        def counted_fsync(fd: Any) -> None:
            self.syncs.append(time.perf_counter())
            fsync(fd)

        def counted_fdatasync(fd: Any) -> None:
            self.syncs.append(time.perf_counter())
            fdatasync(fd)

        def counted_publish(publisher: Any, message: Any) -> None:
            self.published += 1
            publish(publisher, message)

        os.fsync, os.fdatasync = counted_fsync, counted_fdatasync
        Publisher.publish = counted_publish  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync, os.fdatasync, Publisher.publish = self._kept  # type: ignore[method-assign]


@dataclass
class Side:
    """One of the two that are compared."""

    send: Callable[[str], None]
    arrived: Mapping[str, float]
    settle: Callable[[], None] = lambda: None  # waits until all is still
    counted: Counted = field(default_factory=Counted)


def _cpu() -> float:
    """CPU of this process but for this thread, which only looks on, s."""
    return time.process_time() - time.thread_time()


def measure(sides: Sequence[Side], counter: Counter, samples: int) -> None:
    """Send to each side by turns, each time after it has become still."""
    for number in range(samples + WARM_UP):
        for side in sides:
            side.settle()
            time.sleep(0.02)
            before = _cpu(), len(counter.syncs), counter.published
            begun = time.perf_counter()
            seconds = measure_one(side.send, side.arrived)
            arrived = begun + seconds
            side.settle()
            time.sleep(0.02)
            if number < WARM_UP:
                continue
            counted = side.counted
            counted.seconds.append(seconds)
            counted.processor.append(_cpu() - before[0])
            synced = counter.syncs[before[1] :]
            counted.syncs_before.append(sum(at < arrived for at in synced))
            counted.syncs.append(len(synced))
            counted.published.append(counter.published - before[2] - 1)  # the message itself


@contextlib.contextmanager
def chain() -> Iterator[Side]:
    """A bare chain with the same number of hops, the same message and profiles."""
    kind = convert.ros_class(Message)
    inside, outside = context(), context()
    arrived: dict[str, float] = {}
    nodes = []
    for hop in range(HOPS):
        node = rclpy.create_node(f'hop_{hop}', context=inside)
        if hop == HOPS - 1:

            def hear(message: Any) -> None:
                arrived[message.id] = time.perf_counter()
        else:
            publisher = node.create_publisher(kind, f'hop_{hop + 1}', qos.event())
            hear = publisher.publish
        node.create_subscription(kind, f'hop_{hop}', hear, qos.event())
        nodes.append(node)
    source = rclpy.create_node('source', context=outside)
    first = source.create_publisher(kind, 'hop_0', qos.event())
    with spinning(nodes, inside), spinning([source], outside):
        while first.get_subscription_count() == 0:
            time.sleep(0.01)
        yield Side(lambda name: first.publish(kind(id=name, text='hello')), arrived)


class Probe:
    """A provider that notes when it is asked about which message, answers, and sleeps."""

    name = 'probe'

    def __init__(self) -> None:
        self.arrived: dict[str, float] = {}

    async def complete(self, request: Request, heard: Callable[[str, str], None]) -> Completion:
        """Note the time; answer, then sleep."""
        now = time.perf_counter()
        calls = []
        for message in request.view.messages:
            if message.id not in self.arrived:
                self.arrived[message.id] = now
                calls.append(
                    ToolCall(message.id, 'reply', f'{{"text": "yes", "message": "{message.id}"}}')
                )
        return Completion(calls=(*calls, ToolCall('sleep', 'sleep', '{}')))

    async def close(self) -> None:
        """Nothing to let go of."""


@contextlib.contextmanager
def graph(
    executor: str = 'wait_set',
    home: str = '',
    domain: int = DOMAIN,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[Side]:
    """The whole composition without a body.

    Parameters
    ----------
    home
        Where she lives; empty: a new home that is removed again.
    domain
        ROS domain, 0 to 101.
    parameters
        Further ones, by organ.
    """
    import soul.mind.compose as mind_compose

    probe = Probe()
    original, mind_compose.chosen = mind_compose.chosen, lambda config: probe
    inside, outside = context(domain), context(domain)
    # Hears nothing of her during the measurement: nobody looks on.
    source = rclpy.create_node('source', namespace='/soul', context=outside)
    publisher = source.create_publisher(convert.ros_class(Message), 'door/message', qos.event())

    def send(name: str) -> None:
        publisher.publish(convert.to_ros(Message(id=name, sender='ann', text='hello')))

    with tempfile.TemporaryDirectory() as new, spinning([source], outside):
        entries = table.entries(use_mock=False, driver='none')
        given: dict[str, dict[str, Any]] = {
            entry.name: {'soul_home': home or new, 'executor': executor} for entry in entries
        }
        given['guard'] |= {'daily_wakes': 0, 'daily_tokens': 0, 'daily_cost': 0.0}
        given['mind']['requests_per_minute'] = 10_000
        for organ, values in (parameters or {}).items():
            given[organ].update(values)
        runner = Runner(table.specs(entries), inside, '/soul', given, []).start()
        mind = next(organ for organ in runner.organs if organ.spec.name == 'mind')
        try:

            def settle() -> None:
                # What she has heard must have led to its end: idle, and nobody's thread at work.
                while (
                    mind.organ.health(0.0).values['phase'] != Phase.IDLE
                    or not publisher.get_subscription_count()
                ):
                    time.sleep(0.001)
                used = time.process_time()
                while True:
                    time.sleep(0.05)
                    before, used = used, time.process_time()
                    if used - before < STILL_SECONDS:
                        return

            yield Side(send, probe.arrived, settle)
        finally:
            runner.stop()
            rclpy.shutdown(context=inside)
            mind_compose.chosen = original


def figures(samples: int = 200) -> list[Figure]:
    """Measure."""
    with chain() as bare, graph() as whole, Counter() as counter:
        measure((bare, whole), counter, samples)
    mine, its = whole.counted, bare.counted
    against = f'bare chain of {HOPS} hops'
    median = statistics.median

    def both(name: str, unit: str, of: Callable[[Counted], float]) -> Figure:
        return Figure(name, of(mine), unit, of(its), against)

    return [
        both('message to request, p50', 'ms', lambda c: 1e3 * median(c.seconds)),
        both('message to request, p99', 'ms', lambda c: 1e3 * percentile(c.seconds, 0.99)),
        Figure(
            'ratio p50 (first 3.5, goal 2)', median(mine.seconds) / median(its.seconds), 'times'
        ),
        Figure(
            'ratio p99 (first 5, goal 3)',
            percentile(mine.seconds, 0.99) / percentile(its.seconds, 0.99),
            'times',
        ),
        both('CPU of a turn', 'ms', lambda c: 1e3 * median(c.processor)),
        Figure('ratio of CPU (goal 12)', median(mine.processor) / median(its.processor), 'times'),
        Figure('syncs before the request (goal 0)', median(mine.syncs_before), ''),
        Figure('syncs of a turn (goal 6)', median(mine.syncs), ''),
        Figure('publications of a turn on DDS (goal 14)', median(mine.published), ''),
    ]
