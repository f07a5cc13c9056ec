"""From a stop to the stop frame at the device and the closed socket of the model, under load.

The graph, the device and this are three processes. The model streams without end; the stop comes
by the STOP file, the service and `body/halt` in turn. A load is something that goes on meanwhile:
see :class:`Load`.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rclpy

from bench.figure import Figure
from bench.latency import context, percentile, spinning
from soul.ros import convert, qos
from soul.signals import Connection, GuardState, Message, TriggerRequest

#: Stops for each load; each third one by another way.
SAMPLES = 60
GOAL_MS = 100.0
LONGEST = 20.0
_HEAD = b'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'
_CHUNK = b'data: {"choices": [{"delta": {"content": "well "}}]}\n\n'


class EndlessModel:
    """A model server that streams one word every 20 ms and notes when it is hung up on."""

    def __init__(self) -> None:
        self._listener = socket.create_server(('127.0.0.1', 0))
        self.url = f'http://127.0.0.1:{self._listener.getsockname()[1]}/v1'
        self.open = 0
        self.closed: list[float] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                threading.Thread(
                    target=self._serve, args=(self._listener.accept()[0],), daemon=True
                ).start()

    def _serve(self, client: socket.socket) -> None:
        client.settimeout(LONGEST)
        with client, contextlib.suppress(OSError):
            data = b''
            while b'\r\n\r\n' not in data:
                data += client.recv(65536)
            head, _, body = data.partition(b'\r\n\r\n')
            length = next(
                int(line.split(b':')[1])
                for line in head.split(b'\r\n')
                if line.lower().startswith(b'content-length')
            )
            while len(body) < length:
                body += client.recv(65536)
            client.sendall(_HEAD)
            self.open += 1
            client.settimeout(0.02)
            while True:
                try:
                    if not client.recv(4096):
                        break
                except TimeoutError:
                    client.sendall(b'%x\r\n%s\r\n' % (len(_CHUNK), _CHUNK))
        self.closed.append(time.time())

    def close(self) -> None:
        """Take no more."""
        self._listener.close()


class Scene:
    """The graph and the device as processes, and somebody beside them."""

    def __init__(self, home: Path, domain: int, hostile: str = '') -> None:
        self.home = home
        self.model = EndlessModel()
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
        ours = ['--ros-args', '-r', '__ns:=/soul', '-p', f'soul_home:={home}']
        mind = ['backend:=openai', f'base_url:={self.model.url}', 'model:=endless', 'port:=mock']
        given = [part for value in mind for part in ('-p', value)]
        graph = ['bench.hostile', hostile] if hostile else ['soul.bringup']
        device = 'from soul.entry import mock_body; mock_body()'
        self.log = open(home.parent / 'graph.log', 'wb')  # noqa: SIM115 - closed in close()
        self._processes = [
            subprocess.Popen(
                [sys.executable, *command], env=environment, stdout=self.log, stderr=self.log
            )
            for command in (
                ['-m', *graph, '--no-mock', *ours, *given],
                ['-c', device, *ours],
            )
        ]
        self.pid = self._processes[0].pid
        self.context = context()
        self.node = rclpy.create_node('bench', namespace='/soul', context=self.context)
        self.stopped = False
        self.connected = False
        for topic, kind, hear in (
            ('guard/state', GuardState, self._on_guard),
            ('connection', Connection, self._on_connection),
        ):
            self.node.create_subscription(
                convert.ros_class(kind), topic, hear, qos.for_reader(topic)
            )
        self.messages = self.node.create_publisher(
            convert.ros_class(Message), 'door/message', qos.event()
        )
        trigger = convert.service_class(TriggerRequest)
        self.clients = {
            name: self.node.create_client(trigger, name, qos_profile=qos.service())
            for name in ('stop', 'resume', 'body/halt')
        }
        self._request = trigger.Request

    def _on_guard(self, state: Any) -> None:
        self.stopped = state.stopped

    def _on_connection(self, state: Any) -> None:
        self.connected = state.connected

    def ask(self, name: str) -> None:
        """Call a service and wait for nothing."""
        self.clients[name].call_async(self._request())

    def say(self, text: str) -> None:
        """Publish a message to her."""
        self.messages.publish(
            convert.to_ros(Message(id=f'{time.time_ns()}', sender='ann', text=text))
        )

    def device_stops(self) -> list[float]:
        """When the device heard of a stop, s since 1970."""
        times = []
        for path in (self.home / 'run').glob('device*.jsonl'):
            for line in path.read_text(encoding='utf-8').splitlines():
                if '"stop"' in line:
                    times.append(float(json.loads(line)['at']))
        return times

    def close(self) -> None:
        """End all."""
        for process in self._processes:
            process.send_signal(signal.SIGINT)
        for process in self._processes:
            try:
                process.wait(LONGEST)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.model.close()
        self.log.close()


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Wait until a condition holds.

    Raises
    ------
    RuntimeError
        If it does not in time.
    """
    end = time.monotonic() + LONGEST
    while not (value := condition()):
        if time.monotonic() > end:
            raise RuntimeError(f'within {LONGEST:g} s not: {what}')
        time.sleep(0.002)
    return value


@dataclass(frozen=True)
class Load:
    """Something that goes on while she is stopped.

    Parameters
    ----------
    during
        A context around all the stops.
    before, after
        Done right before and after each of them.
    hostile
        What her helper process is given all the time, see :mod:`bench.hostile`.
    """

    name: str
    during: Callable[[Scene], contextlib.AbstractContextManager[Any]] = field(
        default=lambda scene: contextlib.nullcontext()
    )
    before: Callable[[Scene], None] = field(default=lambda scene: None)
    after: Callable[[Scene], None] = field(default=lambda scene: None)
    hostile: str = ''


@contextlib.contextmanager
def held_database(scene: Scene) -> Iterator[None]:
    """Hold a write transaction on guard.db."""
    other = sqlite3.connect(scene.home / 'guard.db', isolation_level=None, timeout=LONGEST)
    try:
        other.execute('BEGIN IMMEDIATE')
        yield
    finally:
        other.close()


_FREE = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


def fill_disk(scene: Scene) -> None:
    """Let no file of the graph take another byte."""
    resource.prlimit(scene.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def free_disk(scene: Scene) -> None:
    """Let its files grow again."""
    resource.prlimit(scene.pid, resource.RLIMIT_FSIZE, _FREE)


def many_messages(scene: Scene) -> None:
    """Say 2,000 things at once."""
    for number in range(2000):
        scene.say(f'message {number}')


#: What is measured.
LOADS = [
    Load('nothing else'),
    Load('a held database', during=held_database),
    Load('a full disk', before=fill_disk, after=free_disk),
    Load('2,000 messages at once', before=many_messages),
    Load('a catastrophic pattern', hostile='pattern'),
    Load('a hostile page', hostile='page'),
]


def stop_once(scene: Scene, load: Load, way: str) -> tuple[float, float]:
    """Stop once; seconds to the device's stop frame and to the closed socket (NaN: not due)."""
    opened = scene.model.open
    scene.say('go on')
    wait_for(
        lambda: scene.model.open > opened or len(scene.model.closed) < scene.model.open,
        'the model is asked',
    )
    load.before(scene)
    closed, heard = len(scene.model.closed), len(scene.device_stops())
    begun = time.time()
    if way == 'STOP file':
        (scene.home / 'STOP').touch()
    else:
        scene.ask(way)
    at = wait_for(lambda: scene.device_stops()[heard:], 'the device hears of the stop')[0]
    if way == 'body/halt':
        return at - begun, float('nan')
    gone = wait_for(lambda: scene.model.closed[closed:], 'the model is hung up on')[0]
    return at - begun, gone - begun


def resume(scene: Scene) -> None:
    """End the stop and wait until she acts again."""
    wait_for(lambda: scene.stopped, 'the guard says that it is stopped')
    scene.ask('resume')
    wait_for(lambda: not scene.stopped, 'the guard says that it goes on')


def measure(load: Load, samples: int, domain: int) -> dict[str, list[float]]:
    """Stop again and again under one load; seconds by way and end."""
    found: dict[str, list[float]] = {'frame': [], 'socket': []}
    ways = ('STOP file', 'stop', 'body/halt')
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / 'home'
        scene = Scene(home, domain, load.hostile)
        try:
            with spinning([scene.node], scene.context):
                wait_for(lambda: scene.connected, 'the body is connected')
                wait_for(scene.messages.get_subscription_count, 'her door is open')
                for client in scene.clients.values():
                    wait_for(client.service_is_ready, 'her services are there')
                with load.during(scene):
                    for number in range(samples):
                        way = ways[number % len(ways)]
                        try:
                            frame, gone = stop_once(scene, load, way)
                        finally:
                            load.after(scene)
                        found['frame'].append(frame)
                        if way != 'body/halt':
                            found['socket'].append(gone)
                            resume(scene)
        finally:
            scene.close()
    return found


def figures(samples: int = SAMPLES) -> list[Figure]:
    """Measure every load; milliseconds, beside the same without a load."""
    listed: list[Figure] = []
    reference: dict[str, float] = {}
    domain = 99
    for load in LOADS:
        found = measure(load, samples, domain)
        for end, told in (('frame', 'stop frame'), ('socket', 'closed socket')):
            values = found[end]
            p99 = 1e3 * percentile(values, 0.99)
            against = reference.setdefault(end, p99)
            name = f'{load.name}: stop to {told}'
            listed.append(Figure(f'{name}, p50', 1e3 * statistics.median(values), 'ms'))
            listed.append(
                Figure(f'{name}, p99 (goal {GOAL_MS:g})', p99, 'ms', against, 'without load')
            )
    return listed
