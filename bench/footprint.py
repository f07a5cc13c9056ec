"""Idle CPU, memory and start of the whole graph, beside bare rclpy in the same run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import psutil
import rclpy

from bench.latency import DOMAIN, context, spinning
from soul.ros import convert, qos
from soul.signals import MindState, View

TALKER = """
import rclpy
from std_msgs.msg import String
rclpy.init()
node = rclpy.create_node('talker_and_listener')
publisher = node.create_publisher(String, 'chatter', 10)
node.create_subscription(String, 'chatter', lambda message: None, 10)
node.create_timer(1.0, lambda: publisher.publish(String(data='hello')))
print('up', flush=True)
rclpy.spin(node)
"""

SIX = """
import threading, rclpy
from rclpy.executors import SingleThreadedExecutor
rclpy.init()
for number in range(6):
    executor = SingleThreadedExecutor()
    executor.add_node(rclpy.create_node(f'empty_{number}'))
    threading.Thread(target=executor.spin, daemon=True).start()
print('up', flush=True)
threading.Event().wait()
"""

START = """
import rclpy
rclpy.init()
node = rclpy.create_node('first')
print('up', flush=True)
"""


def environment(domain: int = DOMAIN) -> dict[str, str]:
    """Environment of the measured processes."""
    return {**os.environ, 'ROS_DOMAIN_ID': str(domain)}


def bare(code: str) -> subprocess.Popen[str]:
    """Start a reference and wait until it is up."""
    process = subprocess.Popen(
        [sys.executable, '-c', code], stdout=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def composition(home: str, *arguments: str, domain: int = DOMAIN) -> subprocess.Popen[bytes]:
    """Start all organs in one process."""
    return subprocess.Popen(
        [
            sys.executable,
            '-m',
            'soul.bringup',
            *arguments,
            '--ros-args',
            '-r',
            '__ns:=/soul',
            '-p',
            f'soul_home:={home}',
            '--log-level',
            'error',
        ],
        env=environment(domain),
    )


class Observer:
    """Sees when she is awake and when she shows her first view."""

    def __init__(self, domain: int = DOMAIN) -> None:
        self._context = context(domain)
        self.node = rclpy.create_node('observer', namespace='/soul', context=self._context)
        self.view = threading.Event()
        self.awake = threading.Event()
        self.node.create_subscription(
            convert.ros_class(View),
            'field/view',
            lambda message: self.view.set(),
            qos.for_reader('field/view'),
        )
        self.node.create_subscription(
            convert.ros_class(MindState),
            'mind/state',
            lambda message: self.awake.set() if message.model_available else None,
            qos.for_reader('mind/state'),
        )
        self._spinning = spinning([self.node], self._context)
        self._spinning.__enter__()

    def forget(self) -> None:
        """Begin anew."""
        self.view.clear()
        self.awake.clear()

    def close(self) -> None:
        """Leave."""
        self._spinning.__exit__(None, None, None)


def cpu_share(pid: int, seconds: float) -> float:
    """Percent of one core that a process uses over some seconds."""
    process = psutil.Process(pid)
    before = process.cpu_times()
    begun = time.monotonic()
    time.sleep(seconds)
    after = process.cpu_times()
    used = after.user + after.system - before.user - before.system
    return 100.0 * used / (time.monotonic() - begun)


def resident(pid: int) -> float:
    """Resident memory of a process, MB."""
    return psutil.Process(pid).memory_info().rss / 1e6


def start_times(observer: Observer, times: int) -> tuple[list[float], list[float]]:
    """Start -> first view, and start -> a bare node, s."""
    first_view, first_node = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as home:
            observer.forget()
            begun = time.perf_counter()
            process = composition(home, '--no-mock', '--driver', 'none')
            if not observer.view.wait(30.0):
                raise RuntimeError('no view within 30 s')
            first_view.append(time.perf_counter() - begun)
            process.terminate()
            process.wait(20)
        begun = time.perf_counter()
        reference = bare(START)
        first_node.append(time.perf_counter() - begun)
        reference.wait(20)
    return first_view, first_node


def figures(seconds: float = 30.0, times: int = 5) -> dict[str, float]:
    """Measure; percent of a core, megabytes, seconds."""
    observer = Observer()
    found: dict[str, float] = {}
    try:
        view, node = start_times(observer, times)
        found['start to first view s'] = statistics.median(view)
        found['import rclpy, init and a node s'] = statistics.median(node)
        found['start ratio (goal 2.5)'] = statistics.median(view) / statistics.median(node)
    finally:
        observer.close()
    talker, six = bare(TALKER), bare(SIX)
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        plain = composition(one, '--no-mock', '--driver', 'none')
        time.sleep(10.0)  # let discovery and the first seconds pass
        found['idle CPU, no wire %'] = cpu_share(plain.pid, seconds)
        found['idle CPU, talker and listener %'] = cpu_share(talker.pid, seconds)
        found['idle CPU ratio (goal 2)'] = (
            found['idle CPU, no wire %'] / found['idle CPU, talker and listener %']
        )
        found['resident, composed MB'] = resident(plain.pid)
        found['resident, six empty nodes MB'] = resident(six.pid)
        found['memory ratio (goal 1.6)'] = (
            found['resident, composed MB'] / found['resident, six empty nodes MB']
        )
        plain.terminate()
        plain.wait(20)
        wired = composition(two)
        time.sleep(10.0)
        found['idle CPU with the wire and the simulated body %'] = cpu_share(wired.pid, seconds)
        wired.terminate()
        wired.wait(20)
    for reference in (talker, six):
        reference.kill()
        reference.wait()
    return found
