"""An evening of an owner: M5Stack's firmware is paired, woken, used, asleep, and woken again."""

import json
import threading
import time

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from soul_msgs.action import LookAt, Say
from soul_msgs.msg import Connection, SenseEvent
from soul_msgs.srv import Capture, Express
from std_srvs.srv import SetBool, Trigger

from soul.body.node import SPEC as TWIN
from soul.cli.pairing import Pairing
from soul.core.refusal import answer_type
from soul.mock_body.node import SPEC as MOCK
from soul.ros import convert, qos
from soul.ros.runner import Runner
from soul.signals import PairRequest
from soul.stackchan.node import SPEC as DRIVER
from support.actions import ActionClient
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.long]

TOKEN = 'of-the-owner'

#: An owner says the wake word again if nothing has come of it for so long, s.
PATIENCE = 15.0


class Evening:
    """The body's three nodes, and a client beside them that is the owner's terminal, too."""

    def __init__(self, domain, home):
        self.home = home
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, args=[])
        kept = {'soul_home': str(home)}
        given = {
            'body_twin': {**kept, 'lost_grace': 0.5},
            'mock_body': {**kept, 'flavour': 'official', 'night_lux': 300.0},
            'stackchan': {
                **kept, 'transport': 'xiaozhi', 'xiaozhi_port': 0, 'first_move': 0.0,
                'xiaozhi_rate': 200.0, 'xiaozhi_mdns': False, 'backoff_max': 0.3,
            },
        }  # fmt: skip
        self.runner = Runner([MOCK, DRIVER, TWIN], self.context, '/soul', given, []).start()
        self.node = rclpy.create_node('owner', context=self.context, namespace='/soul')
        self.connections, self.events = [], []
        self.node.create_subscription(
            Connection, 'connection', self.connections.append, qos.for_reader('connection')
        )
        self.node.create_subscription(
            SenseEvent, 'body/event', self.events.append, qos.for_reader('body/event')
        )
        self.clients = {}
        self.actions = {
            'body/say': ActionClient(self.node, Say, 'body/say'),
            'body/look_at': ActionClient(self.node, LookAt, 'body/look_at'),
        }
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def ask(self, kind, service, **fields):
        client = self.node.create_client(kind, service)
        assert client.wait_for_service(20.0), service
        future = client.call_async(kind.Request(**fields))
        return wait_until(lambda: future.done() and future.result())

    def call(self, name, request, seconds=5.0):
        """As a link of the terminal does it."""
        if name not in self.clients:
            kind = convert.service_class(type(request))
            self.clients[name] = self.node.create_client(kind, name)
        client = self.clients[name]
        assert client.wait_for_service(20.0)
        future = client.call_async(convert.to_ros(request))
        answer = wait_until(lambda: future.done() and future.result())
        return convert.from_ros(answer, answer_type(type(request)))

    def do(self, name, goal):
        client = self.actions[name]
        assert client.wait_for_server(20.0)
        sent = client.send_goal_async(goal)
        wait_until(sent.done)
        ended = sent.result().get_result_async()
        wait_until(ended.done)
        return ended.result().result

    def poke(self, name):
        answer = self.ask(Trigger, f'mock_body/{name}')
        assert answer.success, answer.message

    def log(self, kind):
        lines = (self.home / 'run' / 'device.jsonl').read_text().splitlines()
        return [entry for entry in map(json.loads, lines) if entry['e'] == kind]

    def now(self, **so):
        wait_until(
            lambda: (
                self.connections
                and all(getattr(self.connections[-1], name) == value for name, value in so.items())
            )
        )
        return self.connections[-1]

    def close(self):
        try:
            self.runner.stop()
        finally:
            self.executor.shutdown()
            self.thread.join()
            self.node.destroy_node()
            rclpy.try_shutdown(context=self.context)


@pytest.fixture
def evening(domain, home, monkeypatch):
    # With a token of the owner's own not even a device of this machine gets in unpaired.
    monkeypatch.setenv('SOUL_XIAOZHI_TOKEN', TOKEN)
    evening = Evening(domain, home)
    yield evening
    evening.close()


def test_an_evening(evening):
    wait_until(lambda: any('403' in e['why'] for e in evening.log('asked')))
    lines, pokes, woken = [], iter(['reboot', 'wake']), [0.0]

    def meanwhile(seconds):
        """The owner does what is asked of them, and again if nothing comes of it."""
        late = woken[0] and time.monotonic() - woken[0] > PATIENCE
        due = next(pokes, 'wake' if late else '')
        if due:
            evening.poke(due)
            wait_until(lambda: due != 'reboot' or evening.log('asked')[-1]['why'] == '')
            woken[0] = time.monotonic() if due == 'wake' else 0.0

    said = Pairing(evening, lines.append, meanwhile).pair('')
    text = '\n'.join(lines)
    told = evening.now(connected=True)
    assert told.device in said
    assert told.firmware == 'xiaozhi for StackChan'
    assert 'asked where to dial, and was told' in text
    assert 'say its wake word' in text
    assert TOKEN not in text + (evening.home / 'paired.json').read_text()

    wait_until(lambda: _looks(evening, 0.4).ok, 60.0)  # once its head has been read
    assert _looks(evening, -0.6).yaw == pytest.approx(-0.6, abs=0.045)
    picture = evening.ask(Capture, 'body/capture', question='who is there?')
    assert (picture.ok, bytes(picture.image.data[:2])) == (True, b'\xff\xd8')
    assert evening.ask(Express, 'body/express', name='happy').ok
    assert evening.do('body/say', Say.Goal(act_id='a', text='good evening')).outcome == 'done'

    for _ in range(2):  # conversations end and begin
        evening.poke('hang_up')
        asleep = evening.now(connected=False, asleep=True)
        assert 'wake word' in asleep.detail
        refused = evening.do('body/say', Say.Goal(act_id='b', text='are you there?'))
        assert (refused.outcome, 'asleep' in refused.reason) == ('aborted', True)
        evening.poke('wake')
        evening.now(connected=True)

    asked = len(evening.log('asked'))
    assert evening.ask(SetBool, 'mock_body/lose_link', data=True).success
    evening.now(connected=False)
    evening.ask(SetBool, 'mock_body/lose_link', data=False)
    wait_until(lambda: len(evening.log('asked')) > asked)
    wait_until(lambda: evening.log('asked')[-1]['why'] == '')
    evening.poke('wake')
    evening.now(connected=True)
    assert evening.do('body/say', Say.Goal(act_id='c', text='good night')).outcome == 'done'
    assert [entry['text'] for entry in evening.log('say')] == ['good evening', 'good night']
    assert not [e.kind for e in evening.events if e.kind in ('body_lost', 'body_back')]
    assert evening.call('body/pair', _forget(told.device)).paired == ()


def _looks(evening, yaw):
    return evening.do('body/look_at', LookAt.Goal(yaw=yaw, pitch=-0.7))


def _forget(device):
    return PairRequest('forget', device=device)
