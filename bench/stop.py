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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
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
    """A model server that streams one word every 20 ms and notes when it is hung up on.

    In the conversation `hostile` it uses the tool `hostile` names instead, and then sleeps.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(('127.0.0.1', 0))
        self.url = f'http://127.0.0.1:{self._listener.getsockname()[1]}/v1'
        self.open = 0
        self.closed: list[float] = []
        self.hostile = b''  # the events of an answer that uses a tool
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
            if HOSTILE.encode() in body:
                for event in (self.hostile, b'data: [DONE]\n\n'):
                    client.sendall(b'%x\r\n%s\r\n' % (len(event), event))
                client.sendall(b'0\r\n\r\n')
                return
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


def uses(tool: str, **arguments: Any) -> bytes:
    """Return the event of an answer that uses a tool."""
    function = {'name': tool, 'arguments': json.dumps(arguments)}
    delta = {'tool_calls': [{'index': 0, 'id': 'h', 'function': function}]}
    choice = {'delta': delta, 'finish_reason': 'tool_calls'}
    return f'data: {json.dumps({"choices": [choice]})}\n\n'.encode()


class Scene:
    """The graph and the device as processes, and somebody beside them."""

    def __init__(self, home: Path, domain: int, load: Load) -> None:
        self.home = home
        self.model = EndlessModel()
        self.folder = home.parent
        extra = (*load.extra, *load.prepare(self))
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
        ours = ['--ros-args', '-r', '__ns:=/soul', '-p', f'soul_home:={home}']
        mind = ['backend:=openai', f'base_url:={self.model.url}', 'model:=endless', 'port:=mock']
        # nothing but the stop ends what goes on here
        mind += ['requests_per_minute:=10000', 'fruitless_steps:=1000', 'waking_tokens:=0']
        mind += ['daily_wakes:=0', 'daily_tokens:=0']
        given = [part for value in (*mind, *extra) for part in ('-p', value)]
        self.log = open(home.parent / 'graph.log', 'wb')  # noqa: SIM115 - closed in close()
        self._processes = [
            subprocess.Popen(
                [
                    sys.executable,
                    '-c',
                    f'{load.prelude}; from soul.entry import {name}; {name}()',
                    *arguments,
                ],
                env=environment,
                stdout=self.log,
                stderr=self.log,
            )
            for name, arguments in (
                ('composition', ['--no-mock', *ours, *given]),
                ('mock_body', ours),
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

    def say(self, text: str, session: str = '') -> None:
        """Publish a message to her."""
        message = Message(id=f'{time.time_ns()}', sender='ann', text=text, session=session)
        self.messages.publish(convert.to_ros(message))

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
    extra
        Further parameters of the graph, `name:=value`; for example a file of MCP servers.
    """

    name: str
    during: Callable[[Scene], contextlib.AbstractContextManager[Any]] = field(
        default=lambda scene: contextlib.nullcontext()
    )
    before: Callable[[Scene], None] = field(default=lambda scene: None)
    after: Callable[[Scene], None] = field(default=lambda scene: None)
    extra: tuple[str, ...] = ()
    #: Called before the graph begins; returns further parameters.
    prepare: Callable[[Scene], Sequence[str]] = field(default=lambda scene: ())
    prelude: str = 'pass'  # a statement in the graph's process before anything else


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


#: Stands in the requests of the conversation in which she uses what is hostile, and nowhere else.
HOSTILE = 'You are in the conversation “hostile”'
_NOTES = """
import json, sys
answers = {
    'initialize': {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
                   'serverInfo': {'name': 'n', 'version': '1'}},
    'tools/list': {'tools': [{'name': 'odd', 'inputSchema': {
        'type': 'object', 'properties': {'a': {'type': 'string', 'pattern': '^(a+)+$'}}}}]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if 'id' in asked:
        known = asked['method'] in answers
        answer = {'result': answers[asked['method']]} if known else {
            'error': {'code': -32601, 'message': 'no such method'}}
        print(json.dumps({'jsonrpc': '2.0', 'id': asked['id'], **answer}), flush=True)
"""


def odd_server(scene: Scene) -> Sequence[str]:
    """Name an MCP server whose tool has a pattern that takes for ever."""
    script, servers = scene.folder / 'notes.py', scene.folder / 'mcp.json'
    script.write_text(_NOTES, encoding='utf-8')
    server = {'command': sys.executable, 'args': [str(script)]}
    servers.write_text(json.dumps({'mcpServers': {'n': server}}), encoding='utf-8')
    scene.model.hostile = uses('n__odd', a='a' * 60 + '!')
    return (f'mcp_servers:={servers}', 'allow:=[expression, web, mcp]')


def odd_page(scene: Scene) -> Sequence[str]:
    """Serve a page that takes for ever to read."""
    page = b'<a ' * 40_000
    head = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n'
    listener = socket.create_server(('127.0.0.1', 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client:
                    client.recv(65536)
                    client.sendall(head % len(page) + page)

    threading.Thread(target=serve, daemon=True).start()
    scene.model.hostile = uses('read_page', url=f'http://127.0.0.1:{listener.getsockname()[1]}/')
    return ('allow:=[expression, web, mcp]',)


def hostile(scene: Scene) -> None:
    """Let her use what is hostile in another conversation, and begin to work on it."""
    scene.say('have a look', session='hostile')
    wait_for(lambda: _working(scene.pid), 'her child process works')


def _working(pid: int) -> bool:
    """Whether the child process for what comes from outside takes time of a processor."""
    for process in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if 'soul.mind.confined_work' in process.cmdline():
                begun = process.cpu_times().user
                time.sleep(0.1)
                return process.cpu_times().user > begun + 0.04
    return False


#: What is measured; who adds something that runs off her loop adds its load here.
LOADS = [
    Load('nothing else'),
    Load('a held database', during=held_database),
    Load('a full disk', before=fill_disk, after=free_disk),
    Load('2,000 messages at once', before=many_messages),
    Load('a catastrophic pattern', before=hostile, prepare=odd_server),
    Load(
        'a hostile page',
        before=hostile,
        prepare=odd_page,
        # pages of this machine are not read otherwise
        prelude='import soul.mind.tools.addresses as a; a._public = lambda address: True',
    ),
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
        scene = Scene(home, domain, load)
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
