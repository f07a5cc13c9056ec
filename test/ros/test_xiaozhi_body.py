"""A device that dials us: a peer written by hand, and the SDK that nobody here wrote."""

import asyncio
import contextlib
import importlib.util
import itertools
import json
import threading

import pytest
from soul_msgs.action import LookAt, Say
from soul_msgs.srv import Capture, Express, Pair
from std_msgs.msg import Int16MultiArray
from std_srvs.srv import Trigger
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from soul.ros import qos
from support import opus as peer_opus
from support.body_client import BodyClient
from support.waiting import wait_until

pytestmark = pytest.mark.ros

MAC = '02:50:0c:00:00:07'
NAN = float('nan')


def number(low, high):
    return {'type': 'integer', 'minimum': low, 'maximum': high}


FACTORY = {
    'self.get_device_status': {},
    'self.robot.get_head_angles': {},
    'self.robot.set_head_angles': {
        'yaw': number(-128, 128),
        'pitch': number(0, 90),
        'speed': number(100, 1000),
    },
    'self.robot.set_led_color': {name: number(0, 168) for name in ('red', 'green', 'blue')},
}
TOUCHED = {'self.touch.get_touch_state': {}}


class Device:
    """The firmware's side of a connection."""

    def __init__(
        self, port, tools=FACTORY, page=2, mac=MAC, token=None, mcp=True, audio_params=None
    ):
        headers = {'Device-Id': mac, 'Client-Id': 'c', 'Protocol-Version': '1'}
        if token is not None:
            headers['Authorization'] = f'Bearer {token}'
        self.opening = connect(f'ws://127.0.0.1:{port}', additional_headers=headers)
        self.socket = self.opening.__enter__()
        self.tools, self.page = tools, page
        self.yaw, self.pitch = 0, 45
        self.heard, self.calls, self.cursors = [], [], []
        self.dead = False  # it does not answer calls
        self.session = ''
        self.send(
            type='hello', version=1, features={'mcp': mcp}, transport='websocket',
            audio_params=audio_params,
        )  # fmt: skip
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def of(self, kind, **fields):
        return [m for m in self.heard if m['type'] == kind and fields.items() <= m.items()]

    def _read(self):
        try:
            for text in self.socket:
                message = json.loads(text)
                if message['type'] == 'hello':
                    self.session = message['session_id']
                if message['type'] == 'mcp' and 'id' in message['payload']:
                    self._answer(message['payload'])
                self.heard.append(message)
        except ConnectionClosed:
            pass

    def _answer(self, call):
        params = call['params']
        if call['method'] == 'initialize':
            result = {'protocolVersion': '2024-11-05', 'capabilities': {'tools': {}}}
        elif call['method'] == 'tools/list':
            names = list(self.tools)
            begin = names.index(params['cursor']) if params['cursor'] else 0
            self.cursors.append(params['cursor'])
            result = {
                'tools': [
                    {'name': n, 'inputSchema': {'type': 'object', 'properties': self.tools[n]}}
                    for n in names[begin : begin + self.page]
                ]
            }
            if begin + self.page < len(names):
                result['nextCursor'] = names[begin + self.page]
        else:
            if self.dead:
                return
            result = self._call(params['name'], params['arguments'])
        payload = {'jsonrpc': '2.0', 'id': call['id'], 'result': result}
        self.send(type='mcp', session_id=self.session, payload=payload)

    def _call(self, name, arguments):
        text = 'true'
        if name.endswith('get_device_status'):
            text = '{"battery": {"level": 60, "charging": false}}'
        elif name.endswith('get_head_angles'):
            text = json.dumps({'yaw': self.yaw, 'pitch': self.pitch})
        elif name.endswith('set_head_angles'):
            self.calls.append(arguments)
            self.yaw, self.pitch = arguments['yaw'], arguments['pitch']
        return {'content': [{'type': 'text', 'text': text}], 'isError': False}

    def close(self):
        self.socket.close()
        self.thread.join(10)


@pytest.fixture
def make(domain, home):
    made = []

    def build(**given):
        given = {
            'transport': 'xiaozhi', 'xiaozhi_port': 0, 'first_move': 0.0, 'xiaozhi_rate': 200.0,
            'touch_settle': 0.0, **given,
        }  # fmt: skip
        world = BodyClient(domain, home, **given)
        made.append(world)
        if given['transport'] != 'xiaozhi':
            return world
        file = home / 'run' / 'xiaozhi_port'
        wait_until(lambda: file.is_file() and file.read_text().strip())
        world.port = int(file.read_text())

        def dial(**how):
            device = Device(world.port, **how)
            made.append(device)
            return device

        world.dial = dial
        return world

    yield build
    for one in reversed(made):
        one.close()


def test_tools_are_found_page_by_page_and_called(make):
    world = make()
    device = world.dial()
    told = world.connected()
    assert (told.transport, told.device) == ('xiaozhi', MAC)
    assert set(told.capabilities) == {'text', 'face', 'head', 'power'}
    assert device.cursors == ['', 'self.robot.set_head_angles']
    wait_until(lambda: world.runner.organs[0].organ.components.neck.head.pose is not None)
    result = world.end(world.begin('body/look_at', LookAt.Goal(yaw=0.5, pitch=-0.6)))
    assert (result.ok, result.clamped) == (True, False)
    assert result.yaw == pytest.approx(0.5, abs=0.02)
    assert device.calls[-1]['yaw'] == 29
    assert all(100 <= call['speed'] <= 1000 for call in device.calls)
    result = world.end(world.begin('body/look_at', LookAt.Goal(yaw=0.5, pitch=9.0)))
    assert result.clamped
    assert all(5 <= call['pitch'] <= 85 for call in device.calls)
    assert world.call(Express, 'body/express', name='happy').ok
    wait_until(lambda: device.of('llm', emotion='happy'))
    assert 'cannot see' in world.call(Capture, 'body/capture').reason


def test_words_go_both_ways(make):
    world = make()
    world.serve_posts()
    device = world.dial(tools=FACTORY | TOUCHED)
    world.connected()
    result = world.end(world.begin('body/say', Say.Goal(act_id='a', text='hello')))
    assert (result.outcome, result.reason) == ('done', 'shown on the screen, not spoken')
    states = [m['state'] for m in device.of('tts')]
    assert states == ['start', 'sentence_start', 'stop']
    assert device.of('tts', state='sentence_start')[0]['text'] == 'hello'
    assert {m['session_id'] for m in device.of('tts')} == {device.session}
    wait_until(lambda: not _echo(world, 'good morning'))
    device.send(type='listen', session_id=device.session, state='detect', text='good morning')
    wait_until(lambda: world.posts)
    assert (world.posts[0].text, world.posts[0].sender) == ('good morning', 'voice')
    device.send(type='stackchan-event', session_id=device.session, touch='tap', duration_ms=80)
    wait_until(lambda: [t.gesture for t in world.touches] == ['tap'])


def _echo(world, text):
    organ, node = world.runner.organs[0].organ, world.runner.organs[0]
    return organ.components.voice.speech.is_echo(text, node.now())


def test_a_reconnect_is_a_new_session_and_nothing_is_replayed(make):
    world = make(xiaozhi_rate=1.0)
    world.serve_posts()
    first = world.dial()
    world.connected()
    handle = world.begin('body/say', Say.Goal(act_id='a', text='a long story ' * 20))
    wait_until(lambda: first.of('tts', state='sentence_start'))
    stale = first.session
    first.close()
    assert world.end(handle).outcome == 'uncertain'
    world.connected(False)
    second = world.dial()
    world.connected()
    assert second.session not in ('', stale)
    second.send(type='listen', session_id=stale, state='detect', text='stale')
    again = world.begin('body/say', Say.Goal(act_id='a', text='a long story ' * 20))
    assert world.end(again).outcome == 'uncertain'
    assert not second.of('tts')
    assert not world.posts


def test_a_device_that_dials_anew_takes_its_own_place_and_no_other(make):
    world = make()
    first = world.dial()
    world.connected()
    with contextlib.suppress(ConnectionClosed):  # as early as that
        stranger = world.dial(mac='02:00:00:00:00:99')
        stranger.thread.join(10)
        assert not stranger.of('hello')
    again = world.dial()
    wait_until(lambda: again.session)
    wait_until(lambda: not first.thread.is_alive())  # its line was hung up
    numbers = itertools.count()

    def said():
        """Whether something was said; what is begun while the line changes is in doubt."""
        goal = Say.Goal(act_id=f'a{next(numbers)}', text='hi')
        return world.end(world.begin('body/say', goal)).outcome == 'done'

    wait_until(said)
    wait_until(lambda: again.of('tts'))


def test_a_halt_and_a_press_at_the_device_end_the_speech(make):
    world = make(xiaozhi_rate=1.0)
    device = world.dial()
    world.connected()
    handle = world.begin('body/say', Say.Goal(act_id='a', text='a long story ' * 20))
    wait_until(lambda: device.of('tts', state='sentence_start'))
    assert world.call(Trigger, 'body/halt').success
    wait_until(lambda: device.of('tts', state='stop'))
    assert world.end(handle).outcome == 'aborted'
    handle = world.begin('body/say', Say.Goal(act_id='b', text='a long story ' * 20))
    wait_until(lambda: len(device.of('tts', state='sentence_start')) == 2)
    device.send(type='abort', session_id=device.session)
    result = world.end(handle)
    assert (result.outcome, 'at the device' in result.reason) == ('aborted', True)


def test_a_tool_that_does_not_answer_leaves_the_position_unknown(make):
    world = make()
    device = world.dial()
    world.connected()
    head = world.runner.organs[0].organ.components.neck.head
    wait_until(lambda: head.pose is not None)
    device.dead = True
    wait_until(lambda: head.rejected, 30)
    device.dead = False
    wait_until(lambda: head.known(world.runner.organs[0].now()), 30)


def test_a_device_without_tools_still_speaks(make):
    world = make()
    world.dial(mcp=False)
    assert set(world.connected().capabilities) == {'text', 'face'}
    looked = world.end(world.begin('body/look_at', LookAt.Goal(yaw=0.5)))
    assert (looked.ok, looked.reason) == (False, 'this body cannot turn its head')
    said = world.say('a')
    assert (said.outcome, 'confirms nothing' in said.reason) == ('uncertain', True)


def test_a_token_is_needed_where_there_is_one(make, monkeypatch):
    monkeypatch.setenv('SOUL_XIAOZHI_TOKEN', 'dial-in')
    world = make()
    for token in (None, 'wrong'):
        with pytest.raises(InvalidStatus):
            world.dial(token=token)
    world.dial(token='dial-in')
    world.connected()


def test_nonsense_harms_nobody(make):
    world = make()
    device = world.dial()
    world.connected()
    for text in ('{', '[]', '{}', '5', '{"type": "mcp"}', '{"type": "mcp", "payload": {"id": 1}}',
                 '{"type": "listen", "state": "detect", "text": 5}', 'no JSON',
                 '{"type": "stackchan-event", "touch": {}}'):  # fmt: skip
        device.socket.send(text)
    device.socket.send(b'\x00\x01sound')
    device.socket.send(b'')
    assert world.end(world.begin('body/say', Say.Goal(act_id='a', text='hi'))).outcome == 'done'


def test_without_libopus_it_is_said_once_in_log_and_diagnostics(make):
    world = make(libopus='/nowhere/libopus.so')
    device = world.dial()
    assert 'mic' not in world.connected().capabilities
    for _ in range(3):
        device.socket.send(b'sound')
    organ = world.runner.organs[0].organ
    wait_until(lambda: organ.components.notices)
    assert world.say('a').outcome == 'done'
    (notice,) = organ.components.notices
    assert 'microphone hears is lost: /nowhere/libopus.so' in notice
    assert organ.health(world.runner.organs[0].now()).values['notice 0'] == notice
    assert 'audio' not in topics_of(world)


def topics_of(world):
    found = world.node.get_publisher_names_and_types_by_node('stackchan', '/soul')
    return {name.removeprefix('/soul/') for name, _ in found}


def test_topics_exist_where_the_body_has_what_they_tell_of(make):
    world = make()
    assert not topics_of(world) & {'joint_states', 'battery_state', 'imu/data_raw', 'touch'}
    world.dial(tools=FACTORY | TOUCHED)
    world.connected()
    wait_until(lambda: 'joint_states' in topics_of(world))
    found = topics_of(world)
    assert {'joint_states', 'battery_state', 'touch', 'connection', 'body/extra'} <= found
    assert not found & {
        'imu/data_raw', 'illuminance', 'temperature', 'camera/image_raw/compressed', 'screen',
    }  # fmt: skip


def test_a_body_with_less_takes_its_topics_along(make):
    world = make()
    device = world.dial()
    world.connected()
    wait_until(lambda: 'joint_states' in topics_of(world))
    device.close()
    world.connected(False)
    world.dial(tools={})
    wait_until(lambda: world.connections[-1].connected)
    wait_until(lambda: 'joint_states' not in topics_of(world))


@pytest.mark.skipif(not peer_opus.library(), reason='there is no libopus here')
def test_its_sound_is_published(make):
    world = make(libopus=peer_opus.library())
    heard = []
    world.node.create_subscription(Int16MultiArray, 'audio', heard.append, qos.for_reader('audio'))
    device = world.dial(audio_params={'format': 'opus', 'sample_rate': 16_000})
    assert 'mic' in world.connected().capabilities
    wait_until(lambda: world.node.count_publishers('audio'))
    packets = peer_opus.encode(peer_opus.tone(440.0, 0.6))

    def sing():
        for packet in packets:
            device.socket.send(packet)
        return len(heard) >= len(packets)

    wait_until(sing)
    assert heard[0].layout.dim[0].label == '16000 Hz'
    assert heard[0].layout.dim[0].size == len(heard[0].data) == 960


# --- a peer that nobody here wrote ----------------------------------------------------------


class Sdk:
    """xiaozhi-sdk as a device, on a loop of its own; it dials, or asks first where to."""

    def __init__(self, port, asks=False):
        from xiaozhi_sdk import XiaoZhiWebsocket

        self.heard, self.turns = [], []
        self.pose = {'yaw': 0, 'pitch': 45}
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

        async def hear(message):
            self.heard.append(message)

        def turn(arguments):
            self.turns.append(arguments)
            self.pose = {k: arguments[k] for k in ('yaw', 'pitch')}
            return {}, False

        tools = [
            {'name': 'self.robot.get_head_angles', 'description': 'where it looks',
             'inputSchema': {'type': 'object', 'properties': {}},
             'tool_func': lambda arguments: (self.pose, False)},
            {'name': 'self.robot.set_head_angles', 'description': 'look',
             'inputSchema': {'type': 'object',
                             'properties': FACTORY['self.robot.set_head_angles']},
             'tool_func': turn},
        ]  # fmt: skip

        async def begin():
            where = (
                {'ota_url': f'http://127.0.0.1:{port}/xiaozhi/ota/'}
                if asks
                else {'url': f'ws://127.0.0.1:{port}'}
            )
            self.sdk = XiaoZhiWebsocket(hear, **where)
            await self.sdk.set_mcp_tool(tools)
            return await self.sdk.init_connection(MAC)

        assert self.run(begin())

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    def close(self):
        self.run(self.sdk.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)


def sdk_is_there():
    if importlib.util.find_spec('xiaozhi_sdk') is None:
        return False
    try:
        import xiaozhi_sdk  # noqa: F401
    except (ImportError, OSError):  # it needs libopus
        return False
    return True


@pytest.mark.skipif(not sdk_is_there(), reason='xiaozhi-sdk is not installed or has no libopus')
def test_the_sdk_connects_is_used_drops_and_comes_back(make):
    world = make()
    world.serve_posts()
    for turn in range(3):
        sdk = Sdk(world.port)
        try:
            wait_until(lambda: world.connections and world.connections[-1].connected)
            assert 'head' in world.connections[-1].capabilities
            wait_until(lambda: world.runner.organs[0].organ.components.neck.head.pose is not None)
            yaw = 0.3 * (turn + 1)
            assert world.end(world.begin('body/look_at', LookAt.Goal(yaw=yaw, pitch=-0.7))).ok
            assert sdk.turns
            result = world.say(f'a{turn}', f'hello {turn}')
            assert result.outcome == 'done'
            shown = [m['text'] for m in sdk.heard if m.get('state') == 'sentence_start']
            assert shown == [f'hello {turn}']
            wait_until(lambda: not _echo(world, 'xyzzy'))
            assert sdk.run(sdk.sdk.send_text(f'are you there {turn}?'))
            wait_until(lambda n=turn: len(world.posts) == n + 1)
        finally:
            sdk.close()
        world.connected(False)
    assert [m.text for m in world.posts] == [f'are you there {n}?' for n in range(3)]


@pytest.mark.skipif(
    not (sdk_is_there() and peer_opus.library()),
    reason='xiaozhi-sdk is not installed, or there is no libopus',
)
def test_what_the_sdk_hears_is_published(make):
    world = make(libopus=peer_opus.library())
    heard = []
    world.node.create_subscription(Int16MultiArray, 'audio', heard.append, qos.for_reader('audio'))
    sdk = Sdk(world.port)
    try:
        world.connected()
        wait_until(lambda: world.node.count_publishers('audio'))
        tone = peer_opus.tone(440.0, 0.06).tobytes()
        wait_until(lambda: sdk.run(sdk.sdk.send_audio(tone)) and len(heard) > 3)
        assert max(abs(sample) for sample in heard[-1].data) > 5_000
    finally:
        sdk.close()


needs_sdk = pytest.mark.skipif(
    not sdk_is_there(), reason='xiaozhi-sdk is not installed or has no libopus'
)


@needs_sdk
def test_the_sdk_asks_where_to_dial_and_is_paired(make, monkeypatch, home):
    monkeypatch.setenv('SOUL_XIAOZHI_TOKEN', 'of-the-owner')
    world = make()
    with pytest.raises(Exception, match='not paired'):  # it shows what it is told
        Sdk(world.port, asks=True)
    begun = world.call(Pair, 'body/pair', what='begin')
    assert (begun.ok, begun.waiting) == (True, True)
    assert begun.ask_url.endswith(f':{world.port}/xiaozhi/ota/')
    sdk = Sdk(world.port, asks=True)
    try:
        world.connected()
        assert sdk.sdk.websocket_token == begun.token
        told = world.call(Pair, 'body/pair', what='look')
        assert (told.device, told.joined, list(told.paired)) == (MAC, True, [MAC])
        assert 'head' in world.connections[-1].capabilities
        assert world.say('a').outcome == 'done'
    finally:
        sdk.close()
    world.connected(False)
    assert world.connections[-1].asleep
    assert world.call(Pair, 'body/pair', what='end').waiting is False
    sdk = Sdk(world.port, asks=True)  # whenever it boots
    try:
        world.connected()
    finally:
        sdk.close()
    assert 'of-the-owner' not in (home / 'paired.json').read_text()


@needs_sdk
def test_the_sdk_asks_on_this_machine_without_being_paired(make):
    world = make()
    sdk = Sdk(world.port, asks=True)
    try:
        world.connected()
        assert world.say('a').outcome == 'done'
    finally:
        sdk.close()


def test_other_transports_pair_nobody(make, home):
    world = make(transport='serial', port='/nowhere', xiaozhi_port=0)
    told = world.call(Pair, 'body/pair', what='begin')
    assert (told.ok, 'soul up --body xiaozhi' in told.reason) == (False, True)
