"""A robot that is not ours: the adapter of docs/other_robots.md lends her its voice and neck."""

import math
import time
from pathlib import Path

import pytest
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Bool, Float64, String

from soul.guard.body_acts import REJECTED
from soul.signals import LookRequest, SpeakRequest, TriggerRequest
from support.graph import Inside, Process
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]

DOCS = Path(__file__).parents[2] / 'docs'
ADAPTER = DOCS / 'examples' / 'turtlebot_adapter.py'


class TurtleBot:
    """The robot, as its own software would have it; its sensors are remapped to hers."""

    def __init__(self, node):
        self.pan = 0.0
        self.spoken = []
        self.mute = False  # the speaker does not tell when it has finished
        self.charge = 0.5
        self.sensors = {
            'battery': node.create_publisher(BatteryState, '/soul/battery_state', 5),
            'imu': node.create_publisher(Imu, '/soul/imu/data_raw', 5),
        }
        self.joints = node.create_publisher(JointState, '/joint_states', 5)
        self.speaking = node.create_publisher(Bool, '/tts/speaking', 5)
        node.create_subscription(String, '/tts', self.on_text, 5)
        node.create_subscription(Float64, '/head_pan/command', self.on_pan, 5)
        self.timer = node.create_timer(0.05, self.tick)

    def on_text(self, message):
        self.spoken.append(message.data)
        self.speaking.publish(Bool(data=True))
        if not self.mute:
            self.speaking.publish(Bool(data=False))

    def on_pan(self, message):
        self.pan = message.data

    def tick(self):
        self.joints.publish(JointState(name=['wheel', 'head_pan_joint'], position=[9.0, self.pan]))
        battery = BatteryState(percentage=self.charge, present=True)
        battery.power_supply_status = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
        self.sensors['battery'].publish(battery)
        imu = Imu()
        imu.linear_acceleration.z = 9.81
        self.sensors['imu'].publish(imu)


@pytest.fixture
def robot(witness):
    return TurtleBot(witness.node)


@pytest.fixture
def graph(domain, home):
    graph = Inside(domain, home, use_mock=False, driver='none')
    yield graph
    graph.close()


@pytest.fixture
def adapter(domain, home, tmp_path):
    process = Process([str(ADAPTER)], domain, home, log=tmp_path / 'log', patience=3.0)
    yield process
    process.close()


def done(witness, answer, state='done'):
    assert answer.accepted, answer.reason
    return witness.wait('guard/act', lambda a: a.id == answer.act_id and a.state == state)


def test_she_speaks_looks_and_feels_through_another_robot(robot, graph, adapter, witness):
    witness.wait_awake(body=False)
    felt = witness.wait('body/state', lambda s: s.charge == 0.5 and s.still == 1)
    assert (felt.charging, felt.picked_up, felt.connected) == (0, 0, 1)
    assert math.isnan(felt.temperature), 'it has no thermometer'
    # Until both sides have found each other the adapter refuses, and nothing is said.
    wait_until(lambda: said(witness, robot, 'hello'))
    assert robot.spoken == ['hello']
    done(witness, witness.call('look', LookRequest(direction='left', by='test')))
    assert robot.pan == pytest.approx(0.8)
    robot.charge = 0.1
    robot.mute = True
    unsure = witness.call('speak', SpeakRequest(text='was I heard?', by='test'))
    done(witness, unsure, 'uncertain')
    assert robot.spoken == ['hello', 'was I heard?'], 'what may have been heard is not repeated'


def said(witness, robot, text):
    answer = witness.call('speak', SpeakRequest(text=text, by='test'))
    ended = ('done', 'failed', 'uncertain')
    act = witness.wait('guard/act', lambda a: a.id == answer.act_id and a.state in ended)
    # An answer may get lost while they find each other: then the act is in doubt, rightly.
    return text in robot.spoken if act.state == 'uncertain' else act.state == 'done'


def test_a_robot_without_its_voice_refuses_and_she_knows(graph, adapter, witness):
    witness.wait_awake(body=False)
    wait_until(lambda: witness.node.count_publishers('/tts'))
    answer = witness.call('speak', SpeakRequest(text='hello', by='test'))
    assert done(witness, answer, 'failed').detail in (REJECTED, 'no body is there')


@pytest.mark.long
def test_a_robot_that_goes_away_is_lost_once(robot, graph, witness):
    witness.wait('body/state', lambda s: s.charge == 0.5)
    robot.timer.cancel()
    lost = witness.wait('body/event', lambda e: e.kind == 'body_lost', 30)
    witness.wait('body/state', lambda s: s.stamp >= lost.stamp and math.isnan(s.charge))
    robot.timer.reset()
    witness.wait('body/event', lambda e: e.kind == 'body_back')
    assert [e.kind for e in witness.of('body/event')] == ['body_lost', 'body_back']


def test_a_stop_reaches_another_robot_and_says_so(robot, graph, adapter, witness):
    """found 30: `stopped` was said while the adapter went on for 18 s."""
    witness.wait_awake(body=False)
    wait_until(lambda: said(witness, robot, 'hello'))
    robot.mute = True  # it would speak until the adapter's patience is over
    answer = witness.call('speak', SpeakRequest(text='a long tale', by='test'))
    wait_until(lambda: robot.spoken[-1] == 'a long tale')
    begun = time.monotonic()
    told = witness.call('stop', TriggerRequest())
    assert told.success
    assert time.monotonic() - begun < 2.5
    assert 'the body: silent' in told.message
    wait_until(lambda: robot.spoken[-1] == '')
    assert done(witness, answer, 'uncertain')


def test_a_stop_says_that_a_robot_without_halt_was_not_reached(robot, graph, witness):
    """found 30: nobody was told that no part of the body confirms."""
    witness.wait_awake(body=False)
    told = witness.call('stop', TriggerRequest())
    assert told.success
    assert 'no driver offers body/halt' in told.message
    assert witness.wait('guard/state', lambda s: s.stopped)


def test_the_document_shows_the_adapter():
    text = (DOCS / 'other_robots.md').read_text()
    assert ADAPTER.read_text() in text
