"""What strangers can do on a port of the driver: next to nothing, and nobody notices."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import random
import socket
import struct
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from soul.signals import PairRequest
from soul.stackchan.camera import Camera
from soul.stackchan.pairing.admission import Admission
from soul.stackchan.pairing.announce import SERVICE, Announcement
from soul.stackchan.pairing.desk import PairingDesk
from soul.stackchan.pairing.register import Register
from soul.stackchan.pictures import BadPicture, as_jpeg
from soul.stackchan.transports.events import LineLogged, PortTrouble
from soul.stackchan.transports.link import LinkNews, Lost, Met, Spoke
from soul.stackchan.transports.xiaozhi.server import Listening, XiaozhiServer
from soul.stackchan.web.limits import WebLimits
from soul.stackchan.web.nudge import NudgeServer
from support.waiting import wait_until

DEVICE = '02:50:0c:00:00:09'
QUICK = WebLimits(connections=12, per_host=8, head_seconds=0.4, request_seconds=1.0)


class Host:
    """The driver's end, without a driver."""

    def __init__(self, home: Path, token: str = '', limits: WebLimits = QUICK) -> None:
        self.news: list[LinkNews] = []
        known: queue.Queue[int] = queue.Queue()
        self.admission = Admission(Register(home / 'paired.json'), token)
        how = Listening(announces=False, limits=limits)
        self.server = XiaozhiServer(how, self.admission, known.put, self.news.append)
        self.server.open()
        self.port = known.get(timeout=20)
        self.url = f'http://127.0.0.1:{self.port}'

    def of(self, kind: type) -> list[Any]:
        return [news for news in list(self.news) if isinstance(news, kind)]

    def lines(self) -> list[str]:
        return [n.said.text for n in self.of(Spoke) if isinstance(n.said, LineLogged)]

    def troubles(self) -> list[str]:
        return [n.said.text for n in self.of(Spoke) if isinstance(n.said, PortTrouble)]

    def raw(self) -> socket.socket:
        connection = socket.create_connection(('127.0.0.1', self.port))
        connection.settimeout(20.0)
        return connection

    def ask(self, **headers: str) -> httpx.Response:
        named = {'Device-Id': DEVICE, **headers}
        return httpx.post(f'{self.url}/xiaozhi/ota/', headers=named, json={})


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    hosts = []

    def build(**how: Any) -> Host:
        hosts.append(Host(tmp_path / str(len(hosts)), **how))
        return hosts[-1]

    yield build
    for host in hosts:
        host.server.shut_down()


def answer(connection: socket.socket) -> bytes:
    """All that comes until the other end hangs up."""
    data = b''
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65_536):
            data += piece
    return data


def post(path: str, *headers: str, body: bytes = b'') -> bytes:
    lines = [f'POST {path} HTTP/1.1', 'Host: x', f'Device-Id: {DEVICE}', *headers, '', '']
    return '\r\n'.join(lines).encode() + body


def dial(host: Host, token: str = '', **named: str) -> Any:
    headers = {'Device-Id': DEVICE, **named}
    if token:
        headers['Authorization'] = token
    return connect(f'ws://127.0.0.1:{host.port}/', additional_headers=headers)


def until_closed(line: Any) -> None:
    """Hear a line out until the other end hangs up; fail if it does not."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            line.recv(timeout=20)


def hello(line: Any) -> str:
    line.send(json.dumps({'type': 'hello', 'version': 1, 'features': {}}))
    return json.loads(line.recv(timeout=20))['session_id']


# --- where to dial ------------------------------------------------------------------------------


@pytest.mark.parametrize('path', ['/xiaozhi/ota/', '/xiaozhi/ota'])
@pytest.mark.parametrize('method', ['GET', 'POST'])
def test_a_device_is_told_where_to_dial(make: Any, path: str, method: str):
    host = make()
    told = httpx.request(method, f'{host.url}{path}', headers={'Device-Id': DEVICE}).json()
    assert told['websocket']['url'] == f'ws://127.0.0.1:{host.port}/xiaozhi/v1/'
    assert abs(told['server_time']['timestamp'] / 1000.0 - time.time()) < 60.0


def test_who_is_not_paired_is_told_nothing_and_people_are_told(make: Any):
    host = make(token='set')
    refused = host.ask()
    assert refused.status_code == 403
    assert 'soul body pair' in refused.text
    assert 'set' not in refused.text.replace('settings', '')
    host.ask()
    wait_until(lambda: host.lines())
    assert len(host.lines()) == 1, 'said once'
    assert DEVICE in host.lines()[0]
    assert httpx.post(f'{host.url}/xiaozhi/ota/').status_code == 400


# --- the token ----------------------------------------------------------------------------------


@pytest.mark.parametrize('scheme', ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
def test_a_token_lets_a_device_in_in_any_case_of_letters(make: Any, scheme: str):
    host = make(token='dial-in')
    with dial(host, f'{scheme} dial-in') as line:
        assert hello(line)
        wait_until(lambda: host.of(Met))


@pytest.mark.parametrize('token', ['', 'dial-in', 'Bearer wrong', 'Basic dial-in', 'Bearer '])
def test_without_it_nobody_is_let_in(make: Any, token: str):
    host = make(token='dial-in')
    with pytest.raises(InvalidStatus) as refused, dial(host, token):
        pass
    assert refused.value.response.status_code == 401
    wait_until(lambda: host.lines())


def test_a_device_without_a_name_is_none(make: Any):
    host = make()
    for name in ('', 'a b', 'x' * 100):
        with pytest.raises(InvalidStatus) as refused, dial(host, **{'Device-Id': name}):
            pass
        assert refused.value.response.status_code == 400


def test_a_photo_is_refused_before_its_body_is_read(make: Any, capfd: Any):
    host = make(limits=WebLimits(connections=100, per_host=100))
    before = psutil.Process().memory_info().rss
    uploads = [host.raw() for _ in range(60)]
    for upload in uploads:
        head = post('/capture', 'Content-Type: multipart/form-data; boundary=b',
                    'Transfer-Encoding: chunked')  # fmt: skip
        with contextlib.suppress(ConnectionError):
            upload.sendall(head + b'40000\r\n' + b'x' * 0x40000 + b'\r\n')
    for upload in uploads:
        assert answer(upload)[:12] in (b'HTTP/1.1 403', b'')
        upload.close()
    assert psutil.Process().memory_info().rss - before < 30_000_000
    told = capfd.readouterr()
    assert 'Traceback' not in told.err + told.out


# --- time and size ------------------------------------------------------------------------------


def test_a_head_that_comes_byte_by_byte_is_not_waited_for(make: Any):
    host = make()
    slow = host.raw()
    began = time.monotonic()
    slow.sendall(b'POST /capture HTTP/1.1\r\nHos')
    assert answer(slow).startswith(b'HTTP/1.1 408')
    assert time.monotonic() - began < 10.0


def test_a_head_without_end_is_cut_off(make: Any):
    host = make(limits=WebLimits())
    long = host.raw()
    with contextlib.suppress(ConnectionError):
        long.sendall(b'GET / HTTP/1.1\r\nX: ' + b'x' * 200_000)
    assert answer(long)[:12] in (b'HTTP/1.1 431', b'')


def test_a_body_that_never_comes_is_not_waited_for(make: Any):
    host = make()
    slow = host.raw()
    slow.sendall(post('/xiaozhi/ota/', 'Content-Length: 10', body=b'{'))
    assert answer(slow).startswith(b'HTTP/1.1 408')


@pytest.mark.parametrize('announced', [True, False])
def test_a_body_that_is_too_large_is_not_read(make: Any, announced: bool):
    host = make()
    large = host.raw()
    size = 20_000
    if announced:
        large.sendall(post('/xiaozhi/ota/', f'Content-Length: {size}'))
    else:
        piece = b'%x\r\n' % size + b'x' * size + b'\r\n'
        large.sendall(post('/xiaozhi/ota/', 'Transfer-Encoding: chunked', body=piece))
    assert answer(large).startswith(b'HTTP/1.1 413')


def test_one_request_a_connection(make: Any):
    host = make()
    both = host.raw()
    one = post('/xiaozhi/ota/', 'Content-Length: 2', body=b'{}')
    both.sendall(one + one)
    assert answer(both).count(b'HTTP/1.1 200') == 1


def test_strangers_take_no_place_for_good(make: Any):
    host = make()
    strangers = [host.raw() for _ in range(20)]
    with contextlib.suppress(httpx.TransportError):
        host.ask()
    began = time.monotonic()
    wait_until(lambda: _answered(host))
    assert time.monotonic() - began < 10.0
    for stranger in strangers:
        stranger.close()


def _answered(host: Host) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return host.ask().status_code == 200
    return False


def test_garbage_is_nothing(make: Any, capfd: Any):
    host = make()
    for garbage in (b'\x16\x03\x01\x02\x00\r\n\r\n', b'\0' * 100 + b'\r\n\r\n', b'GET\r\n\r\n',
                    b'GET / HTTP/1.1\r\nUpgrade: h2c\r\nHost: x\r\n\r\n'):  # fmt: skip
        connection = host.raw()
        connection.sendall(garbage)
        assert b'200' not in answer(connection)[:15]
    assert host.ask().status_code == 200
    told = capfd.readouterr()
    assert 'Traceback' not in told.err + told.out


# --- nesting ------------------------------------------------------------------------------------


def test_brackets_without_end_end_nothing(make: Any):
    host = make()
    deep = '[' * 15_000
    told = httpx.post(f'{host.url}/xiaozhi/ota/', headers={'Device-Id': DEVICE}, content=deep)
    assert told.status_code == 200
    with dial(host) as line:
        session = hello(line)
        wait_until(lambda: host.of(Met))
        line.send(deep)
        line.send('{"type":' + '[' * 15_000 + ']' * 15_000 + '}')
        said = {'type': 'listen', 'session_id': session, 'state': 'detect', 'text': 'still here'}
        line.send(json.dumps(said))
        wait_until(lambda: any('still here' in repr(news) for news in list(host.news)))
        assert not host.of(Lost)


def test_a_message_that_is_too_large_ends_that_connection_only(make: Any):
    host = make()
    with dial(host) as line:
        hello(line)
        wait_until(lambda: host.of(Met))
        with contextlib.suppress(ConnectionClosed):
            line.send('x' * 100_000)
            line.recv(timeout=20)
        wait_until(lambda: host.of(Lost))
    host.server.open()
    with dial(host) as line:
        assert hello(line)


# --- nudges -------------------------------------------------------------------------------------


def test_nudges_stand_behind_the_same_doorway():
    server = NudgeServer(0, 'poke', lambda reason, told: told.set_result(None), QUICK)
    url = f'http://127.0.0.1:{server.port}/nudge'
    try:
        headers = {'Authorization': 'bearer poke'}
        deep = '{"reason":' + '[' * 15_000
        json_headers = {**headers, 'Content-Type': 'application/json'}
        assert httpx.post(url, headers=json_headers, content=deep).status_code == 400
        assert httpx.post(url, headers=headers, json={'reason': 'x'}).status_code == 503
        assert httpx.post(url, json={'reason': 'x'}).status_code == 401
        slow = socket.create_connection(('127.0.0.1', server.port))
        slow.settimeout(20.0)
        slow.sendall(b'POST /nudge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n'
                     b'Content-Length: 100\r\n\r\n')  # fmt: skip
        assert answer(slow).startswith(b'HTTP/1.1 401'), 'before its body has come'
        slow.close()
    finally:
        server.close()


# --- pictures -----------------------------------------------------------------------------------


def png(width: int, height: int) -> bytes:
    """A picture of one colour, small as a file however large it is."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack('>I', len(data)) + body + struct.pack('>I', zlib.crc32(body))

    packer = zlib.compressobj(1)
    rows = b''.join(packer.compress(b'\0' * (width + 1)) for _ in range(height)) + packer.flush()
    head = struct.pack('>IIBBBBB', width, height, 8, 0, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + chunk(b'IDAT', rows) + chunk(b'IEND', b'')


@pytest.mark.parametrize('size', [(15_000, 15_000), (12_000, 12_000), (100_000, 1_000)])
def test_a_picture_that_is_too_large_is_not_decoded(size: tuple[int, int]):
    before = psutil.Process().memory_info().rss
    with pytest.raises(BadPicture, match='too large'):
        as_jpeg(png(*size))
    assert psutil.Process().memory_info().rss - before < 60_000_000


def test_a_picture_of_usual_size_becomes_a_jpeg():
    assert as_jpeg(png(320, 240)).startswith(b'\xff\xd8')
    for bad in (b'', b'x', png(320, 240)[:60]):
        with pytest.raises(BadPicture):
            as_jpeg(bad)


def test_a_photo_that_says_it_is_huge_is_handed_to_nobody():
    small = as_jpeg(png(16, 16))
    at = small.index(b'\xff\xc0') + 5  # height and width stand there
    huge = small[:at] + struct.pack('>HH', 20_000, 20_000) + small[at + 4 :]
    camera = Camera()
    camera.ask('somebody')
    assert camera.take(huge) is None
    assert camera.take(small) == small


# --- the local network ---------------------------------------------------------------------------

#: An address of this machine that is not the usual one, and is nobody else's either.
FURTHER = '127.0.0.2'


def reaches(host: Host, address: str) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection((address, host.port), timeout=5.0).close()
        return True
    return False


def test_an_address_is_open_while_somebody_pairs_and_stays_so_for_who_came(make: Any):
    host = make()
    desk = PairingDesk(host.admission, host.server)
    assert not reaches(host, FURTHER)
    begun = desk.answer(PairRequest('begin', FURTHER))
    assert begun.ok, begun.reason
    assert reaches(host, FURTHER)
    desk.answer(PairRequest('end'))
    wait_until(lambda: not reaches(host, FURTHER))
    begun = desk.answer(PairRequest('begin', FURTHER))
    told = httpx.get(begun.ask_url, headers={'Device-Id': DEVICE}).json()['websocket']
    assert told['url'] == f'ws://{FURTHER}:{host.port}/xiaozhi/v1/'
    headers = {'Device-Id': DEVICE, 'Authorization': f'Bearer {told["token"]}'}
    with connect(told['url'], additional_headers=headers) as line:
        assert hello(line)
        wait_until(lambda: desk.answer(PairRequest('look')).joined)
    desk.answer(PairRequest('end'))
    wait_until(lambda: host.ask().status_code == 200)
    assert reaches(host, FURTHER)
    with connect(told['url'], additional_headers=headers) as line:
        assert hello(line)
        desk.answer(PairRequest('forget', device=DEVICE))
        until_closed(line)  # it is not hers any more, and hears so at once
    wait_until(lambda: not reaches(host, FURTHER))


def test_who_is_on_the_line_at_the_end_leaves_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    host = Host(tmp_path)
    with dial(host) as line:
        assert hello(line)
        host.server.shut_down()
        until_closed(line)
    assert not [record for record in caplog.records if record.exc_info]


def test_it_is_open_again_after_a_restart(tmp_path: Path):
    Register(tmp_path / 'paired.json').add(DEVICE, 'token', FURTHER)
    host = Host(tmp_path)
    try:
        wait_until(lambda: reaches(host, FURTHER))
    finally:
        host.server.shut_down()


def test_an_address_that_is_not_ours_any_more_is_told(tmp_path: Path):
    Register(tmp_path / 'paired.json').add(DEVICE, 'token', '192.168.254.253')
    host = Host(tmp_path)
    try:
        told = wait_until(lambda: [one for one in host.troubles() if one])
        assert '192.168.254.253' in told[0]
        assert 'soul body pair' in told[0]
        assert host.ask().status_code == 200
    finally:
        host.server.shut_down()


def test_mdns_tells_where_to_dial():
    zeroconf = pytest.importorskip('zeroconf')
    loop = asyncio.new_event_loop()
    # of no living robot and no other run: what is told names the machine and the port
    port = random.randrange(20_000, 60_000)
    announcement = Announcement('127.0.0.1', port)
    assert loop.run_until_complete(announcement.begin()) == ''
    finder = zeroconf.Zeroconf(interfaces=['127.0.0.1'])
    found: queue.Queue[Any] = queue.Queue()

    class Listener(zeroconf.ServiceListener):
        def add_service(self, zc: Any, kind: str, name: str) -> None:
            found.put(name)

        def update_service(self, zc: Any, kind: str, name: str) -> None:
            pass

        def remove_service(self, zc: Any, kind: str, name: str) -> None:
            pass

    browser = zeroconf.ServiceBrowser(finder, SERVICE, Listener())
    try:
        while True:
            name = _pump(loop, found)
            if name.endswith(f'-{port}.{SERVICE}'):
                break
        asked = threading.Thread(
            target=lambda: found.put(finder.get_service_info(SERVICE, name, 5000))
        )
        asked.start()
        info = _pump(loop, found)
        asked.join()
        assert (info.port, info.parsed_addresses()) == (port, ['127.0.0.1'])
    finally:
        loop.run_until_complete(announcement.close())
        browser.cancel()
        finder.close()
        loop.close()


def _pump(loop: asyncio.AbstractEventLoop, found: queue.Queue[Any]) -> Any:
    """Let the announcement live until something is found."""
    end = time.monotonic() + 20.0
    while time.monotonic() < end:
        loop.run_until_complete(asyncio.sleep(0.02))
        with contextlib.suppress(queue.Empty):
            return found.get_nowait()
    raise AssertionError('nothing was found')


def test_without_the_package_it_is_said_and_nothing_else(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, 'zeroconf', None)
    why = asyncio.run(Announcement('127.0.0.1', 8765).begin())
    assert 'zeroconf is not installed' in why
