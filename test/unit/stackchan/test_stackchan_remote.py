"""Bodies behind other protocols: many openings leave nothing behind, and what is old is void."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.stackchan.pairing.admission import Admission
from soul.stackchan.pairing.register import Register
from soul.stackchan.transports.commands import FaceCommand, HeadCommand, SayCommand
from soul.stackchan.transports.direct_session import SILENCE, DirectSession
from soul.stackchan.transports.events import (
    ActEnded,
    Answered,
    BodyAbout,
    Heard,
    Joined,
    Left,
    WordsHeard,
    plain_text,
)
from soul.stackchan.transports.http_body import HttpBody
from soul.stackchan.transports.link import Broke, Lost, Met, Spoke
from soul.stackchan.transports.port import STALE
from soul.stackchan.transports.remote import RemoteBody
from soul.stackchan.transports.xiaozhi.server import Listening, XiaozhiServer
from soul.stackchan.transports.xiaozhi.tools import Tools, angles
from support.waiting import never


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


class Buggy(RemoteBody):
    """A body whose code fails where nobody expects it."""

    async def meet(self) -> BodyAbout:
        raise RuntimeError('a bug')


def test_a_bug_of_the_body_is_no_silence():
    """It ends this life of the driver, which is begun anew and says why."""
    events: queue.Queue = queue.Queue()
    body = Buggy('buggy', events.put)
    session = DirectSession(body, (0.1, 1.0), random.Random(1))
    try:
        session.connect(0.0)
        list(session.step(0.0))
        with pytest.raises(RuntimeError, match='a bug'):
            list(session.take(wait_for(events, Broke), 0.1))
    finally:
        body.shut_down()


def test_many_openings_leave_nothing_behind(adapter):
    events: queue.Queue = queue.Queue()
    port = HttpBody(adapter, ('status', 'speak'), '', 5.0, 5.0, events.put)
    process = psutil.Process()
    try:
        counts = []
        for n in range(120):
            opening = port.open()
            assert wait_for(events, Met).opening == opening
            port.close()
            if n in (20, 119):
                port.open()  # the one before has then let go
                wait_for(events, Met)
                port.close()
                counts.append((process.num_fds(), threading.active_count()))
        (files, _), (files_later, _) = counts
        assert files_later <= files + 3, 'sockets of the adapter may still be closing'
    finally:
        port.shut_down()
    assert not [t for t in threading.enumerate() if t.name == 'http_port']


def test_shut_down_ends_it_in_every_state(tmp_path):
    for prepare in ((), ('open',), ('open', 'close'), ('open', 'open')):
        told: queue.Queue = queue.Queue()
        admission = Admission(Register(tmp_path / 'paired.json'))
        port = XiaozhiServer(Listening(), admission, told.put, lambda event: None)
        for step in prepare:
            getattr(port, step)()
        if prepare == ('open',):
            assert told.get(timeout=20) > 0
        port.shut_down()
    assert not [t for t in threading.enumerate() if t.name == 'xiaozhi_port']


def test_nobody_there_is_told():
    events: queue.Queue = queue.Queue()
    port = HttpBody('http://127.0.0.1:9', ('status',), '', 1.0, 1.0, events.put)
    port.open()
    assert 'cannot be reached' in wait_for(events, Lost).reason
    port.shut_down()


# --- commands and events --------------------------------------------------------------------


class Puppet(RemoteBody):
    """A body that does nothing until it is told to, and notes what it was asked."""

    def __init__(self, deliver):
        super().__init__('puppet', deliver)
        self.asked: queue.Queue[tuple[str, object]] = queue.Queue()
        self.ended: list[str] = []  # acts that were cut
        self.frozen = threading.Event()

    async def meet(self):
        self.leaving, self.loop = asyncio.Event(), asyncio.get_running_loop()
        return BodyAbout('uid', 'fw', 'boot', ('tts', 'head'))

    async def stay(self):
        await self.leaving.wait()
        raise ConnectionResetError('it left')

    async def act(self, id, command):
        self.asked.put((id, command))
        if isinstance(command, SayCommand):
            try:
                await never()
            except asyncio.CancelledError:
                self.ended.append(id)
                raise
        self.tell(ActEnded(id, ok=True))

    async def freeze(self):
        self.frozen.set()

    def go(self):
        """Let it leave."""
        self.loop.call_soon_threadsafe(self.leaving.set)


class Driver:
    """Whoever uses a port, on one thread."""

    def __init__(self):
        self.news: queue.Queue = queue.Queue()
        self.puppet = Puppet(self.news.put)
        self.port = DirectSession(self.puppet, (0.05, 0.1), random.Random(1))
        self.events: list = []

    @property
    def now(self):
        return time.monotonic()

    def until(self, kind):
        """Live until there is such an event; return it."""
        end = self.now + 20
        while not (found := [e for e in self.events if isinstance(e, kind)]):
            assert self.now < end, kind
            self.events += self.port.step(self.now)
            with contextlib.suppress(queue.Empty):
                news = self.news.get(timeout=max(0.01, min(1.0, self.port.due() - self.now)))
                self.events += self.port.take(news, self.now)
        self.events = [e for e in self.events if e is not found[0]]
        return found[0]


@pytest.fixture
def driver():
    made = Driver()
    yield made
    made.puppet.shut_down()


def test_what_it_can_is_acknowledged_and_done_and_what_it_cannot_is_refused(driver):
    driver.port.connect(driver.now)
    joined = driver.until(Joined)
    assert (joined.about.uid, joined.rebooted) == ('uid', True)
    assert driver.port.joined
    turned = driver.port.send(HeadCommand(1.0, 2.0), driver.now)
    assert driver.until(Answered) == Answered(turned, 'ok')
    assert driver.until(Heard).told == ActEnded(turned, True)
    shown = driver.port.send(FaceCommand('happy'), driver.now)
    assert driver.until(Answered) == Answered(shown, 'nack', 'unsupported')
    said = driver.port.send(SayCommand('hello', id='mine'), driver.now)
    assert said == 'mine'
    assert driver.until(Answered) == Answered('mine', 'ok')
    assert [driver.puppet.asked.get(timeout=20)[0] for _ in range(2)] == [turned, 'mine']
    assert driver.puppet.asked.empty()


def test_a_halt_cuts_what_is_being_done(driver):
    driver.port.connect(driver.now)
    driver.until(Joined)
    id = driver.port.send(SayCommand('a long story'), driver.now)
    driver.until(Answered)
    assert driver.puppet.asked.get(timeout=20)[0] == id
    driver.port.halt()
    assert driver.puppet.frozen.wait(20)
    assert driver.puppet.ended == [id]
    assert driver.port.joined


def test_a_body_that_leaves_is_looked_for_and_nothing_is_repeated(driver):
    driver.port.connect(driver.now)
    driver.until(Joined)
    driver.port.send(SayCommand('hello'), driver.now)
    assert driver.puppet.asked.get(timeout=20)[1].text == 'hello'
    driver.puppet.go()
    assert driver.until(Left) == Left('it left', was_joined=True)
    assert not driver.until(Joined).rebooted, 'the same boot as before'
    assert driver.puppet.asked.empty()
    assert list(driver.port.disconnect(driver.now)) == [Left('disconnected', True)]
    assert driver.port.due() == float('inf')


def test_a_body_whose_thread_hangs_is_stale_and_then_gone(driver):
    driver.port.connect(driver.now)
    driver.until(Joined)
    later = driver.now + STALE
    assert driver.port.stale(later)
    assert not list(driver.port.step(later))
    (left,) = driver.port.step(later + SILENCE)
    assert (left.was_joined, left.asleep) == (True, False)
    assert '60 s' in left.reason


def test_news_of_an_earlier_opening_is_void(driver):
    driver.port.connect(driver.now)
    driver.until(Joined)
    list(driver.port.disconnect(driver.now))
    driver.port.connect(driver.now)
    old = (Met(1, BodyAbout('x', '', '', ())), Spoke(1, WordsHeard('boo'), 0), Lost(1, 'boo'))
    for news in old:
        assert list(driver.port.take(news, driver.now)) == []
    assert driver.until(Joined).about.uid == 'uid'


@given(st.text(max_size=50))
def test_text_from_outside_can_be_handed_on(text):
    plain = plain_text(text, 20)
    assert len(plain) <= 20
    assert plain.encode().decode() == plain


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
    head = HeadCommand(yaw, pitch, dps)
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


def test_each_opening_meets_it_anew(adapter):
    events: queue.Queue = queue.Queue()
    port = HttpBody(adapter, ('status', 'speak'), '', 5.0, 5.0, events.put)
    try:
        first = port.open()
        assert wait_for(events, Met).opening == first
        second = port.open()
        assert second != first
        assert wait_for(events, Met).opening == second
    finally:
        port.shut_down()
