"""From a published message to the request at the provider, beside a bare chain of rclpy nodes."""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from soul import bringup
from soul.mind.providers.base import Completion, Request, ToolCall
from soul.ros import convert, dds, qos
from soul.ros.runner import Runner
from soul.signals import Message, MindState, Phase

#: outside -> field -> heart -> field -> mind
HOPS = 4
DOMAIN = 99
#: The first ones warm up.
WARM_UP = 10


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


def context() -> Context:
    """Make a ROS context."""
    dds.prefer_quick_discovery()
    made = Context()
    rclpy.init(context=made, domain_id=DOMAIN, args=[])
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


def measure(
    send: Callable[[str], None],
    arrived: Mapping[str, float],
    samples: int,
    settle: Callable[[], None] = lambda: None,
) -> list[float]:
    """Send one after the other, each after `settle`, and wait for each; seconds."""
    times = []
    for _ in range(samples + WARM_UP):
        settle()
        time.sleep(0.02)
        times.append(measure_one(send, arrived))
    return times[WARM_UP:]


def chain(samples: int) -> list[float]:
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
        return measure(lambda name: first.publish(kind(id=name, text='hello')), arrived, samples)


class Probe:
    """A provider that notes when it is asked about which message, and sleeps."""

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


def graph(samples: int) -> list[float]:
    """The whole composition without a body."""
    import soul.mind.compose as mind_compose

    probe = Probe()
    original, mind_compose.chosen = mind_compose.chosen, lambda config: probe
    inside, outside = context(), context()
    source = rclpy.create_node('source', namespace='/soul', context=outside)
    phase: list[str] = []
    source.create_subscription(
        convert.ros_class(MindState),
        'mind/state',
        lambda message: phase.append(message.phase),
        qos.for_reader('mind/state'),
    )
    publisher = source.create_publisher(convert.ros_class(Message), 'door/message', qos.event())

    def send(name: str) -> None:
        publisher.publish(convert.to_ros(Message(id=name, sender='ann', text='hello')))

    with tempfile.TemporaryDirectory() as home, spinning([source], outside):
        entries = bringup.entries(use_mock=False, driver='none')
        given: dict[str, dict[str, Any]] = {
            entry.executable: {'soul_home': home} for entry in entries
        }
        given['guard']['daily_wakes'] = 0
        runner = Runner(bringup.specs(entries), inside, '/soul', given, []).start()
        try:
            while not phase or phase[-1] != Phase.IDLE or not publisher.get_subscription_count():
                time.sleep(0.01)

            def idle() -> None:
                while phase[-1] != Phase.IDLE:
                    time.sleep(0.001)

            return measure(send, probe.arrived, samples, idle)
        finally:
            runner.stop()
            rclpy.shutdown(context=inside)
            mind_compose.chosen = original


def figures(samples: int = 200) -> dict[str, float]:
    """Measure; milliseconds, ratios without a unit."""
    bare, whole = chain(samples), graph(samples)
    return {
        'message to request p50 ms': 1e3 * statistics.median(whole),
        'message to request p99 ms': 1e3 * percentile(whole, 0.99),
        f'bare chain of {HOPS} hops p50 ms': 1e3 * statistics.median(bare),
        f'bare chain of {HOPS} hops p99 ms': 1e3 * percentile(bare, 0.99),
        'ratio p50 (goal 2)': statistics.median(whole) / statistics.median(bare),
        'ratio p99 (goal 3)': percentile(whole, 0.99) / percentile(bare, 0.99),
    }
