"""A body behind body protocol v1: a plain HTTP adapter, the driver as a node, real sockets."""

import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image
from soul_msgs.action import LookAt, Say
from soul_msgs.srv import Capture, Express
from std_srvs.srv import Trigger

from support.body_client import BodyClient
from support.waiting import wait_until

pytestmark = pytest.mark.ros


def picture(kind='png'):
    output = io.BytesIO()
    Image.new('RGB', (320, 240), (10, 200, 30)).save(output, kind)
    return base64.b64encode(output.getvalue()).decode()


class Adapter:
    """The body of the protocol's public document: four endpoints, JSON both ways."""

    def __init__(self):
        self.asked = []
        self.headers = []
        self.online = True
        self.answers = {
            '/look': (200, {'image': picture(), 'mimeType': 'image/png'}),
            '/speak': (200, {}),
            '/express': (200, {}),
        }
        self.hold = None  # an act waits for this event
        self.drop = False  # an act breaks off without an answer
        adapter = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def log_message(self, *args):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
                adapter.headers.append(dict(self.headers))
                if self.path == '/status':
                    return self.answer(200, {'online': adapter.online})
                adapter.asked.append((self.path, body))
                if adapter.hold is not None:
                    adapter.hold.wait(20)
                if adapter.drop:
                    self.close_connection = True
                    return None
                return self.answer(*adapter.answers[self.path])

            def answer(self, status, body):
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.server.server_address[1]}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spoken(self):
        return [body['text'] for path, body in self.asked if path == '/speak']

    def close(self):
        if self.hold is not None:
            self.hold.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def adapter():
    adapter = Adapter()
    yield adapter
    adapter.close()


@pytest.fixture
def make(domain, home, adapter):
    worlds = []

    def build(**given):
        given = {
            'transport': 'http',
            'http_url': adapter.url,
            'http_status_seconds': 0.2,
            **given,
        }
        worlds.append(BodyClient(domain, home, **given))
        return worlds[-1]

    yield build
    for world in worlds:
        world.close()


def test_the_protocols_own_example_works_unchanged(make, adapter, monkeypatch):
    monkeypatch.setenv('SOUL_BODY_TOKEN', 'let-me-in')
    world = make()
    told = world.connected()
    assert (told.transport, list(told.capabilities)) == ('http', ['tts', 'cam', 'face'])
    assert world.say('a1').outcome == 'done'
    assert world.say('a1').outcome == 'done', 'the same act is answered, not said again'
    assert adapter.spoken() == ['hello']
    seen = world.call(Capture, 'body/capture', question='who is there?')
    assert (seen.ok, seen.image.format) == (True, 'jpeg')
    assert bytes(seen.image.data[:2]) == b'\xff\xd8'
    assert ('/look', {'question': 'who is there?'}) in adapter.asked
    adapter.answers['/look'] = (200, {'text': 'a prompt, and nobody'})
    seen = world.call(Capture, 'body/capture', question='and now?')
    assert (seen.ok, seen.text, len(seen.image.data)) == (True, 'a prompt, and nobody', 0)
    assert world.call(Express, 'body/express', name='happy').ok
    wait_until(lambda: ('/express', {'emotion': 'happy'}) in adapter.asked)
    looked = world.end(world.begin('body/look_at', LookAt.Goal(yaw=0.5)))
    assert (looked.ok, looked.reason) == (False, 'this body cannot turn its head')
    assert all(h['Authorization'] == 'Bearer let-me-in' for h in adapter.headers)
    wait_until(lambda: world.extras)
    told = repr(world.connections) + repr(world.runner.organs[0].organ.health(0.0))
    assert 'let-me-in' not in told


@pytest.mark.parametrize(
    ('answer', 'why'),
    [
        ((500, {'error': 'speaker is broken'}), 'HTTP 500: speaker is broken'),
        ((404, b'<html>'), 'HTTP 404'),
        ((200, {'error': 'muted'}), 'muted'),
        ((200, b'<html>'), 'no JSON object'),
        ((200, b'[]'), 'no JSON object'),
    ],
)
def test_an_error_is_a_failed_act(make, adapter, answer, why):
    adapter.answers['/speak'] = answer
    world = make()
    world.connected()
    result = world.say('a1')
    assert result.outcome == 'aborted'
    assert why in result.reason
    adapter.answers['/speak'] = (200, b'')
    assert world.say('a2').outcome == 'done'


def test_a_bad_picture_is_none(make, adapter):
    world = make()
    world.connected()
    for bad in ({'image': 'no base64!'}, {'image': base64.b64encode(b'x').decode()}, {}):
        adapter.answers['/look'] = (200, bad)
        assert not world.call(Capture, 'body/capture').ok


def test_an_act_that_breaks_off_is_uncertain_and_never_repeated(make, adapter):
    world = make()
    world.connected()
    adapter.drop = True
    assert world.say('a1').outcome == 'uncertain'
    adapter.drop = False
    wait_until(lambda: len(world.connections) > 2 and world.connections[-1].connected)
    assert world.say('a2', 'again').outcome == 'done'
    assert adapter.spoken() == ['hello', 'again']


def test_an_act_without_an_answer_in_time_is_uncertain(make, adapter):
    adapter.hold = threading.Event()
    world = make(http_seconds=1.0)
    world.connected()
    assert world.say('a1').outcome == 'uncertain'
    assert adapter.spoken() == ['hello']


def test_a_halt_does_not_wait_for_the_speech(make, adapter):
    adapter.hold = threading.Event()
    world = make()
    world.connected()
    handle = world.begin('body/say', Say.Goal(act_id='a1', text='a long story'))
    wait_until(adapter.spoken)
    assert world.call(Trigger, 'body/halt').success
    assert world.end(handle).outcome == 'aborted'


def test_a_body_that_is_not_online_is_not_there(make, adapter):
    adapter.online = False
    world = make()
    wait_until(lambda: world.connections and 'not online' in world.connections[-1].detail)
    said = world.say('a1')
    assert said.outcome == 'aborted'
    assert 'not online' in said.reason
    adapter.online = True
    world.connected()
    adapter.online = False
    world.connected(False)
    assert adapter.spoken() == []


def test_only_what_the_adapter_serves_is_offered(make):
    world = make(http_endpoints=['speak'])
    assert list(world.connected().capabilities) == ['tts']
    assert 'cannot see' in world.call(Capture, 'body/capture').reason


def test_a_wrong_url_is_told(make):
    world = make(http_url='127.0.0.1:80')
    wait_until(lambda: world.connections and 'not the URL' in world.connections[-1].detail)


# --- nudges ---------------------------------------------------------------------------------


def test_a_nudge_reaches_the_heart_with_its_reason(make):
    world = make(nudge_port=0)
    world.serve_nudges()
    assert world.nudge({'reason': 'a face appeared'}) == (200, {'accepted': True, 'reason': ''})
    assert [(n.reason, n.by) for n in world.nudges] == [('a face appeared', 'body/http')]


def test_a_nudge_without_a_heart_is_told_so(make):
    world = make(nudge_port=0)
    assert world.nudge({'reason': 'hello'})[0] == 503


@pytest.mark.parametrize(
    ('body', 'headers', 'status'),
    [
        (b'{', {}, 400),
        ({}, {}, 400),
        ({'reason': ' '}, {}, 400),
        ({'reason': 5}, {}, 400),
        ([], {}, 400),
        ({'reason': 'x'}, {'Content-Type': 'text/plain'}, 415),
        ({'reason': 'x'}, {'Origin': 'http://evil.example'}, 415),
        ({'reason': 'x' * 20_000}, {}, 413),
    ],
)
def test_what_is_no_nudge_is_refused(make, body, headers, status):
    world = make(nudge_port=0)
    world.serve_nudges()
    assert world.nudge(body, **headers)[0] == status
    assert world.nudges == []


def test_a_nudge_needs_the_token_where_there_is_one(make, monkeypatch):
    monkeypatch.setenv('SOUL_NUDGE_TOKEN', 'poke')
    world = make(nudge_port=0)
    world.serve_nudges()
    assert world.nudge({'reason': 'x'})[0] == 401
    assert world.nudge({'reason': 'x'}, Authorization='Bearer wrong')[0] == 401
    assert world.nudge({'reason': 'x'}, Authorization='Bearer poke')[0] == 200


def test_a_storm_of_nudges_is_refused(make):
    world = make(nudge_port=0)
    world.serve_nudges()
    told = [world.nudge({'reason': f'face {n}'})[0] for n in range(12)]
    assert told == [200] * 10 + [429] * 2
