"""Bodies behind other protocols: many openings leave nothing behind, and what is old is void."""

from __future__ import annotations

import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.stackchan.emulated import About, Emulated
from soul.stackchan.http_port import HttpPort
from soul.stackchan.link import Lost, Received, Up
from soul.stackchan.xiaozhi_port import Listening, XiaozhiPort
from soul.stackchan.xiaozhi_tools import Tools, angles
from soul.wire import DEVICE_FRAMES, Decoder, encode, parse, schema


class Online(BaseHTTPRequestHandler):
    """An adapter whose body is always there."""

    def log_message(self, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers['Content-Length']))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"online": true}')


@pytest.fixture
def adapter():
    server = ThreadingHTTPServer(('127.0.0.1', 0), Online)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f'http://127.0.0.1:{server.server_address[1]}'
    server.shutdown()
    server.server_close()


def wait_for(events: queue.Queue, kind: type):
    while True:
        event = events.get(timeout=20)
        if isinstance(event, kind):
            return event


def test_many_openings_leave_nothing_behind(adapter):
    events: queue.Queue = queue.Queue()
    port = HttpPort(adapter, ('status', 'speak'), '', 5.0, 5.0, events.put)
    process = psutil.Process()
    try:
        counts = []
        for n in range(120):
            port.open()
            up = wait_for(events, Up)
            assert port.is_current(up)
            port.close()
            assert not port.is_current(up)
            if n in (20, 119):
                port.open()  # the one before has then let go
                wait_for(events, Up)
                port.close()
                counts.append((process.num_fds(), threading.active_count()))
        (files, _), (files_later, _) = counts
        assert files_later <= files + 3, 'sockets of the adapter may still be closing'
    finally:
        port.shut_down()
    assert not [t for t in threading.enumerate() if t.name == 'http_port']


def test_shut_down_ends_it_in_every_state():
    for prepare in ((), ('open',), ('open', 'close'), ('open', 'open')):
        told: queue.Queue = queue.Queue()
        port = XiaozhiPort(Listening(), told.put, lambda event: None)
        for step in prepare:
            getattr(port, step)()
        if prepare == ('open',):
            assert told.get(timeout=20) > 0
        port.shut_down()
    assert not [t for t in threading.enumerate() if t.name == 'xiaozhi_port']


def test_nobody_there_is_told():
    events: queue.Queue = queue.Queue()
    port = HttpPort('http://127.0.0.1:9', ('status',), '', 1.0, 1.0, events.put)
    port.open()
    assert 'cannot be reached' in wait_for(events, Lost).reason
    port.shut_down()


# --- the emulated device --------------------------------------------------------------------


class Host:
    """Somebody who talks to an emulated device."""

    def __init__(self) -> None:
        self.decoder = Decoder()
        self.frames: list[schema.Frame] = []
        self.done: list[schema.Command] = []
        self.stops = 0
        about = About('uid', 'fw', 'boot', ('tts', 'head'))
        self.device = Emulated(about, self._hear, self.done.append, self._stop)

    def _hear(self, data: bytes) -> None:
        self.frames += [parse(m, DEVICE_FRAMES) for m in self.decoder.feed(data)]

    def _stop(self) -> None:
        self.stops += 1

    def send(self, kind: str, sid: str = 's1', **fields: object) -> None:
        self.device.feed(encode({'t': kind, 'q': 1, 'sid': sid, **fields}))

    def acks(self) -> list[tuple[str, str, str]]:
        return [(f.id, f.st, f.why) for f in self.frames if isinstance(f, schema.Ack)]


def test_it_joins_acknowledges_and_never_does_a_thing_twice():
    host = Host()
    host.send('say', id='a', text='too early')
    host.send('hello', proto=[1, 0])
    assert isinstance(host.frames[-1], schema.Welcome)
    for _ in range(3):
        host.send('say', id='b', text='hello')
    host.send('cam', id='c')
    host.send('say', sid='other', id='d', text='hello')
    host.send('nonsense', id='e')
    host.send('head', id='f', yaw='x', pitch=0)
    host.send('stop')
    assert [c.id for c in host.done] == ['b']
    assert host.stops == 1
    assert host.acks() == [
        ('a', 'nack', 'stale_session'), ('b', 'ok', ''), ('b', 'dup', ''), ('b', 'dup', ''),
        ('c', 'nack', 'unsupported'), ('d', 'nack', 'stale_session'), ('e', 'nack', 'unsupported'),
        ('f', 'nack', 'bad_field'),
    ]  # fmt: skip


@given(st.lists(st.binary(max_size=200), max_size=20))
def test_no_bytes_harm_it(pieces):
    host = Host()
    for piece in pieces:
        host.device.feed(piece)
    assert host.done == []


# --- tools ----------------------------------------------------------------------------------


@given(st.text(max_size=50) | st.sampled_from(['{"yaw": 1, "pitch": NaN}', '{"yaw": true}', '5']))
def test_no_answer_of_a_tool_is_misread(text):
    found = angles(text)
    assert found is None or all(abs(a) < float('inf') for a in found)


@given(
    st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0.1, 1000.0),
    st.sampled_from(['speed', 'speed_dps', '']),
)  # fmt: skip
def test_arguments_follow_the_tools_own_schema(yaw, pitch, dps, speed):
    properties = {'yaw': {'minimum': -90, 'maximum': 90}, 'pitch': {'minimum': 0, 'maximum': 88}}
    if speed:
        properties[speed] = {'minimum': 100, 'maximum': 1000}
    tools = Tools({
        'self.robot.set_head_angles': {'inputSchema': {'properties': properties}},
        'self.robot.get_head_angles': {},
    })  # fmt: skip
    assert 'head' in tools.capabilities
    assert (tools.limits.yaw, tools.limits.pitch) == ((-900.0, 900.0), (50.0, 850.0))
    head = schema.Head(t='head', q=0, yaw=yaw, pitch=pitch, dps=dps)
    given = tools.turn(head)
    assert all(isinstance(value, int) for value in given.values())
    assert set(given) == {'yaw', 'pitch', *([speed] if speed else [])}
    if speed == 'speed':
        assert 100 <= given['speed'] <= 1000


@pytest.mark.parametrize(
    'broken', [{'inputSchema': 5}, {'inputSchema': {'properties': []}}, {}, {'inputSchema': {
        'properties': {'yaw': {'minimum': 'x'}, 'pitch': 7}}}]
)  # fmt: skip
def test_a_broken_schema_leaves_the_safe_range(broken):
    tools = Tools({'a.set_head_angles': broken, 'a.get_head_angles': broken})
    assert (tools.limits.yaw, tools.limits.pitch) == ((-1280.0, 1280.0), (50.0, 850.0))


def test_what_belongs_to_an_earlier_opening_is_void(adapter):
    events: queue.Queue = queue.Queue()
    port = HttpPort(adapter, ('status', 'speak'), '', 5.0, 5.0, events.put)
    try:
        port.open()
        first = wait_for(events, Received)
        port.open()
        assert not port.is_current(first)
        assert port.is_current(wait_for(events, Up))
    finally:
        port.shut_down()
