"""A life in a program with a StackChan: the simulated one, one behind a port, one behind HTTP."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from soul.core.organ import StartRefused
from soul.library import Life
from soul.signals import SenseEvent, SetBoolRequest, SpeakRequest, TriggerRequest
from support.minds import calls
from support.worlds.device import FAST, FakeDevice
from support.worlds.library import QUIET, Model, run, until

pytestmark = pytest.mark.usefixtures('quick_disk')

DRIVER = {'backoff_min': 0.05, 'backoff_max': 0.1}


def with_body(home, body, reports=None, driver=None, mock=None, **more):
    """Return a life with a body."""
    parameters = {**QUIET, 'stackchan': {**DRIVER, **(driver or {})}}
    if body == 'mock':
        parameters['mock_body'] = {**FAST, **(mock or {})}
    told = [] if reports is None else reports
    more.setdefault('provider', Model())
    return Life(str(home), parameters, body=body, report=lambda *line: told.append(line), **more)


async def connected(life, so=True):
    await until(lambda: life.status()['body']['connected'] is so)


async def spoken(life, text):
    """Speak aloud through the guard; return the act."""
    acts = []
    life.listen('guard/act', acts.append)
    answer = await life.call('speak', SpeakRequest(text=text))
    assert answer.answer.accepted, answer
    ended = ('done', 'failed', 'uncertain')
    await until(lambda: [a for a in acts if a.state in ended and a.id == answer.answer.act_id])
    return acts[-1]


def test_the_simulated_body_is_hers_and_what_is_done_to_it_is_felt(tmp_path):
    async def life():
        model = Model(calls(('speak', '{"text": "good morning"}')))
        async with with_body(tmp_path, 'mock', provider=model) as life:
            await connected(life)
            felt = []
            life.listen('body/event', felt.append)
            await life.post('say good morning', 'Trent')
            log = tmp_path / 'run' / 'device.jsonl'
            await until(lambda: 'good morning' in log.read_text(encoding='utf-8'))
            assert (await life.call('~/touch', TriggerRequest())).answer.success
            await until(lambda: [e for e in felt if e.kind == 'touched'])
            assert isinstance(felt[0], SenseEvent)
        assert not (tmp_path / 'run' / 'body.pty').is_symlink()

    run(life())


def test_a_device_behind_a_port_speaks_is_lost_and_comes_back(tmp_path):
    device = FakeDevice(tmp_path / 'dev' / 'tty')
    reports = []

    async def life():
        async with with_body(tmp_path / 'home', str(device.link), reports) as life:
            await connected(life)
            body = life.status()['body']
            assert body['device'] == '02:50:0C:00:00:01'
            assert 'tts' in body['capabilities']
            act = await spoken(life, 'over a real wire')
            assert act.state == 'done'
            assert 'over a real wire' in device.log()
            device.do(lambda now: device.mock.serve_lose_link(SetBoolRequest(True), now)[1])
            await connected(life, False)
            assert (await spoken(life, 'are you there?')).state == 'failed'
            device.do(lambda now: device.mock.serve_lose_link(SetBoolRequest(False), now)[1])
            await connected(life)

    try:
        run(life())
        assert 'are you there?' not in device.log()
        assert any('lost' in text for who, _, text in reports if who == 'stackchan')
    finally:
        device.close()


def test_a_port_that_is_not_there_is_said_and_looked_for(tmp_path):
    link, reports = tmp_path / 'dev' / 'tty', []

    async def life():
        async with with_body(tmp_path / 'home', str(link), reports) as life:
            assert await life.ask('hello', 'Trent') == 'you said hello'
            await until(lambda: 'No such file' in life.status()['body']['detail'])
            device = FakeDevice(link)
            try:
                await connected(life)
            finally:
                await life.close()
                device.close()

    run(life())
    assert any(who == 'body' and 'No such file' in text for who, _, text in reports)


def test_a_stop_reaches_the_device(tmp_path):
    async def life():
        async with with_body(tmp_path, 'mock', mock={'speech_rate': 1.0}) as life:
            await connected(life)
            acts = []
            life.listen('guard/act', acts.append)
            assert (await life.call('speak', SpeakRequest(text='a long story'))).answer.accepted
            log = tmp_path / 'run' / 'device.jsonl'
            await until(lambda: 'a long story' in log.read_text(encoding='utf-8'))
            await life.stop()
            await until(lambda: '"e":"stop"' in log.read_text().replace(' ', ''))
            await until(lambda: [a for a in acts if a.state in ('failed', 'uncertain')])

    run(life())


def test_a_body_behind_an_adapter(tmp_path):
    asked = []

    class Adapter(BaseHTTPRequestHandler):
        def log_message(self, *args):
            pass

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers['Content-Length'])) or b'{}')
            asked.append((self.path, body))
            data = b'{"online": true}'
            self.send_response(200)
            self.send_header('Content-Length', str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(('127.0.0.1', 0), Adapter)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    async def life():
        url = f'http://127.0.0.1:{server.server_address[1]}'
        async with with_body(tmp_path, url) as life:
            await connected(life)
            assert (await spoken(life, 'by http')).state == 'done'

    try:
        run(life())
    finally:
        server.shutdown()
        server.server_close()
    assert ('/speak', {'text': 'by http'}) in asked


def test_a_device_that_dials_in(tmp_path):
    """The simulated device speaks the other protocol, too."""

    async def life():
        driver = {'transport': 'xiaozhi', 'xiaozhi_port': 0, 'first_move': 0.0}
        mock = {'flavour': 'stackchan_mcp'}
        async with with_body(tmp_path, 'mock', driver=driver, mock=mock) as life:
            await connected(life)
            assert 'text' in life.status()['body']['capabilities']

    run(life())


def test_what_is_no_body_is_refused_and_nothing_is_left_of_it(tmp_path):
    async def life():
        before = threading.active_count()
        with pytest.raises(StartRefused, match=r"'nonsense', allowed is stackchan, mock"):
            await Life(str(tmp_path), QUIET, body='nonsense').start()
        with pytest.raises(StartRefused, match='parameter port of stackchan'):
            await with_body(tmp_path, '/dev/one', driver={'port': '/dev/two'}).start()
        with pytest.raises(StartRefused, match="no organ 'stackchan'"):
            await Life(str(tmp_path), {**QUIET, 'stackchan': {}}).start()
        device = FakeDevice(tmp_path / 'run' / 'body.pty')  # of somebody else
        try:
            with pytest.raises(StartRefused, match='another simulated device'):
                await with_body(tmp_path, 'mock').start()
        finally:
            device.close()
        async with with_body(tmp_path, 'mock') as life:
            await connected(life)
        await until(lambda: threading.active_count() <= before)

    run(life())


def test_the_same_body_lives_again_in_a_later_life(tmp_path):
    async def life():
        for _ in range(2):
            async with with_body(tmp_path, 'mock') as life:
                await connected(life)
                await asyncio.wait_for(life.ask('hello', 'Trent'), 20)

    run(life())
