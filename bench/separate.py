"""From a published message to the request at a model's server, with the organs in processes.

Each organ in a process of its own, all of them in one process, and the bare chain of rclpy nodes
are measured by turns. The request crosses a socket here, so the figures are a little larger than
those of :mod:`bench.latency`; what counts is how they stand to each other.
"""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import rclpy
import yaml

from bench import footprint
from bench.domains import free_domain
from bench.figure import Figure
from bench.latency import HOPS, Side, chain, context, measure_one, percentile, spinning
from soul import graph as table
from soul.ros import convert, qos
from soul.signals import Message, MindState, Phase, Turn

_NAME = re.compile(r'\b[0-9a-f]{32}\b')
#: After a turn everything is still within this, s.
STILL_SECONDS = 0.2
WARM_UP = 5


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing: she hangs up when she ends."""


class Model:
    """A server of the chat completions that notes when which message arrives; it says: sleep."""

    def __init__(self) -> None:
        self.arrived: dict[str, float] = {}
        answer = {'index': 0, 'id': 'c1', 'function': {'name': 'sleep', 'arguments': '{}'}}
        chunks = [
            {'choices': [{'index': 0, 'delta': {'tool_calls': [answer]}}]},
            {'choices': [{'index': 0, 'delta': {}, 'finish_reason': 'tool_calls'}]},
        ]
        lines = [f'data: {json.dumps(chunk)}\n\n' for chunk in chunks]
        told = ''.join([*lines, 'data: [DONE]\n\n']).encode()
        arrived = self.arrived

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers['Content-Length'])).decode()
                now = time.perf_counter()
                for name in _NAME.findall(body):
                    arrived.setdefault(name, now)
                self.send_response(200)
                self.send_header('Content-Type', 'text/event-stream')
                self.send_header('Content-Length', str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = _Server(('127.0.0.1', 0), Handler)
        self.url = f'http://127.0.0.1:{self._server.server_address[1]}/v1'
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End."""
        self._server.shutdown()
        self._server.server_close()


def parameters(folder: Path, home: Path, url: str) -> Path:
    """Write the parameters of all organs to a file; returns its path."""
    guard = {'daily_wakes': 0, 'daily_tokens': 0, 'daily_cost': 0.0}
    mind = {'backend': 'openai', 'base_url': url, 'model': 'probe', 'requests_per_minute': 10_000}
    given = {
        '/**': {'soul_home': str(home)},
        '/soul/guard': guard,
        '/soul/mind': mind,
    }
    path = folder / 'parameters.yaml'
    path.write_text(yaml.safe_dump({n: {'ros__parameters': v} for n, v in given.items()}))
    return path


def commands(separate: bool) -> list[list[str]]:
    """Commands that start the organs without a body."""
    if not separate:
        return [['-m', 'soul.bringup', '--no-mock', '--driver', 'none']]
    entries = table.entries(use_mock=False, driver='none')
    return [
        ['-c', f'import sys; from soul.entry import {e.name}; sys.exit({e.name}())']
        for e in entries
    ]


@contextlib.contextmanager
def life(separate: bool) -> Iterator[Side]:
    """She in processes of her own."""
    domain, model = free_domain(), Model()
    outside = context(domain)
    source = rclpy.create_node('source', namespace='/soul', context=outside)
    publisher = source.create_publisher(convert.ros_class(Message), 'door/message', qos.event())
    state = {'phase': None, 'turns': 0}

    def hear_state(told: object) -> None:
        state['phase'] = convert.from_ros(told, MindState).phase

    def hear_turn(_: object) -> None:
        state['turns'] += 1

    for topic, kind, hear in (
        ('mind/state', MindState, hear_state),
        ('mind/turn', Turn, hear_turn),
    ):
        source.create_subscription(convert.ros_class(kind), topic, hear, qos.for_reader(topic))

    def send(name: str) -> None:
        text = f'hello {name}'
        publisher.publish(convert.to_ros(Message(id=name, sender='ann', text=text)))

    def settle() -> None:
        while state['phase'] != Phase.IDLE or not publisher.get_subscription_count():
            time.sleep(0.005)
        turns = -1
        while turns != state['turns']:
            turns = state['turns']
            time.sleep(STILL_SECONDS)

    with tempfile.TemporaryDirectory() as folder, spinning([source], outside):
        file = parameters(Path(folder), Path(folder) / 'home', model.url)
        ros = [
            '--ros-args',
            '-r',
            '__ns:=/soul',
            '--params-file',
            str(file),
            '--log-level',
            'error',
        ]
        processes = [
            subprocess.Popen(
                [sys.executable, *command, *ros],
                env=footprint.environment(domain),
                stdout=subprocess.DEVNULL,
            )
            for command in commands(separate)
        ]
        try:
            yield Side(send, model.arrived, settle)
        finally:
            for process in reversed(processes):
                process.terminate()
            for process in processes:
                process.wait(30)
            model.close()


def figures(samples: int = 60) -> list[Figure]:
    """Measure."""
    with chain() as bare, life(True) as apart, life(False) as composed:
        sides = {'bare': bare, 'apart': apart, 'composed': composed}
        for number in range(samples + WARM_UP):
            for side in sides.values():
                side.settle()
                seconds = measure_one(side.send, side.arrived)
                if number >= WARM_UP:
                    side.counted.seconds.append(seconds)
    found = {name: side.counted.seconds for name, side in sides.items()}
    p50 = {name: statistics.median(seconds) for name, seconds in found.items()}
    against = f'bare chain of {HOPS} hops'

    def figure(name: str, of: str, part: float) -> Figure:
        value, reference = (1e3 * percentile(found[one], part) for one in (of, 'bare'))
        return Figure(name, value, 'ms', reference, against)

    return [
        figure('a process each: message to request, p50', 'apart', 0.5),
        figure('a process each: message to request, p99', 'apart', 0.99),
        Figure('a process each: ratio p50', p50['apart'] / p50['bare'], 'times'),
        figure('one process: message to request, p50', 'composed', 0.5),
        figure('one process: message to request, p99', 'composed', 0.99),
        Figure('one process: ratio p50', p50['composed'] / p50['bare'], 'times'),
    ]
