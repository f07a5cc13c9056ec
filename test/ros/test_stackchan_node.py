"""Driver and simulated device as nodes: actions, services, lifecycle and the STOP file."""

import json
import threading
from functools import partial

import pytest
import rclpy
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Illuminance, JointState
from soul_msgs.action import LookAt, Say
from soul_msgs.msg import Connection
from soul_msgs.srv import Capture, Express
from std_srvs.srv import SetBool, Trigger

from soul.mock_body.node import SPEC as MOCK
from soul.ros import qos
from soul.ros.runner import Runner
from soul.ros.times import time_from_ros, time_to_ros
from soul.stackchan.node import SPEC as DRIVER
from support.actions import ActionClient
from support.waiting import wait_until

pytestmark = pytest.mark.ros

SUCCEEDED, ABORTED = 4, 6


class Body:
    """Both nodes, and a client beside them."""

    def __init__(self, domain, home, namespace='/soul', transport='serial', sim=False, **driver):
        self.home = home
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, args=[])
        given = {
            'mock_body': {
                'soul_home': str(home),
                'speech_rate': 200.0,
                'speech_pause': 0.05,
                'flavour': 'stackchan_mcp' if transport == 'xiaozhi' else 'soul_serial',
                'use_sim_time': sim,
            },
            'stackchan': {
                'soul_home': str(home),
                'port': 'mock',
                'first_move': 0.0,
                'xiaozhi_port': 0,
                'xiaozhi_rate': 200.0,
                'transport': transport,
                'use_sim_time': sim,
                **driver,
            },
        }
        self.runner = Runner([MOCK, DRIVER], self.context, namespace, given, arguments=[]).start()
        self.node = rclpy.create_node('client', context=self.context, namespace=namespace)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.connections = []
        self.joints = []
        self.node.create_subscription(
            Connection, 'connection', self.connections.append, qos.for_reader('connection')
        )
        self.node.create_subscription(
            JointState, 'joint_states', self.joints.append, qos_profile_sensor_data
        )
        self.actions = {
            'say': ActionClient(self.node, Say, 'body/say'),
            'look_at': ActionClient(self.node, LookAt, 'body/look_at'),
        }
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def connected(self):
        wait_until(lambda: self.connections and self.connections[-1].connected and self.joints)
        return self

    def call(self, kind, service, **fields):
        client = self.node.create_client(kind, service)
        assert client.wait_for_service(20.0), service
        future = client.call_async(kind.Request(**fields))
        return wait_until(lambda: future.done() and future.result())

    def begin(self, action, goal):
        """Send a goal; returns its handle, or None if it was refused."""
        client = self.actions[action]
        assert client.wait_for_server(20.0)
        future = client.send_goal_async(goal)
        wait_until(future.done)
        handle = future.result()
        return handle if handle.accepted else None

    def end(self, handle):
        future = handle.get_result_async()
        wait_until(future.done)
        return future.result().status, future.result().result

    def do(self, action, goal):
        return self.end(self.begin(action, goal))

    def log(self, kind):
        lines = (self.home / 'run' / 'device.jsonl').read_text().splitlines()
        return [entry for entry in map(json.loads, lines) if entry['e'] == kind]

    def close(self):
        try:
            self.runner.stop()
        finally:
            self.executor.shutdown()
            self.thread.join()
            self.node.destroy_node()
            rclpy.try_shutdown(context=self.context)


@pytest.fixture
def body(domain, home):
    body = Body(domain, home)
    yield body
    body.close()


def test_it_says_looks_sees_and_shows(body):
    body.connected()
    status, result = body.do('say', Say.Goal(act_id='a1', text='hello'))
    assert (status, result.outcome) == (SUCCEEDED, 'done')
    assert [entry['act'] for entry in body.log('say')] == ['a1']
    status, result = body.do('look_at', LookAt.Goal(yaw=float('nan'), pitch=-0.7))
    assert (status, result.reason) == (ABORTED, 'yaw is nan, needed is an angle in radians')
    status, result = body.do('look_at', LookAt.Goal(yaw=float('inf'), pitch=-0.7))
    assert (status, result.ok, result.clamped) == (SUCCEEDED, True, True)
    assert result.yaw == pytest.approx(2.234, abs=0.02)
    wait_until(lambda: body.joints[-1].position[0] == pytest.approx(2.234, abs=0.02))
    assert list(body.joints[-1].name) == ['head_yaw_joint', 'head_pitch_joint']
    picture = body.call(Capture, 'body/capture').image
    assert picture.format == 'jpeg'
    assert bytes(picture.data[:2]) == b'\xff\xd8'
    assert body.call(Express, 'body/express', name='happy').ok
    assert 'known are' in body.call(Express, 'body/express', name='smug').reason


def test_a_lost_link_leaves_speech_uncertain(body):
    body.connected()
    handle = body.begin('say', Say.Goal(act_id='a1', text='a long story ' * 50))
    wait_until(lambda: body.log('say'))
    assert body.call(SetBool, 'mock_body/lose_link', data=True).success
    status, result = body.end(handle)
    assert (status, result.outcome) == (ABORTED, 'uncertain')
    wait_until(lambda: not body.connections[-1].connected)
    status, result = body.end(body.begin('say', Say.Goal(act_id='a2', text='hello')))
    assert (status, result.outcome) == (ABORTED, 'aborted')
    assert 'no body is connected' in result.reason, 'a rejected goal could not say why'
    body.call(SetBool, 'mock_body/lose_link', data=False)
    body.connected()
    status, result = body.do('say', Say.Goal(act_id='a1', text='a long story ' * 50))
    assert result.outcome == 'uncertain'
    assert len(body.log('say')) == 1


def test_goals_are_refused_while_inactive(body):
    body.connected()
    change = partial(body.call, ChangeState, 'stackchan/change_state')
    assert change(transition=Transition(id=Transition.TRANSITION_DEACTIVATE)).success
    assert body.begin('say', Say.Goal(act_id='a1', text='hello')) is None
    assert 'not active' in body.call(Capture, 'body/capture').reason
    assert body.call(Trigger, 'body/halt').success
    assert change(transition=Transition(id=Transition.TRANSITION_ACTIVATE)).success
    assert body.do('say', Say.Goal(act_id='a2', text='hello'))[1].outcome == 'done'


def test_the_stop_file_stops_by_itself(body):
    body.connected()
    handle = body.begin('say', Say.Goal(act_id='a1', text='a long story ' * 50))
    wait_until(lambda: body.log('say'))
    (body.home / 'STOP').touch()
    assert body.end(handle)[1].outcome == 'aborted'
    wait_until(lambda: body.log('stop'))
    status, result = body.end(body.begin('look_at', LookAt.Goal(yaw=0.1, pitch=-0.7)))
    assert (status, result.reason) == (ABORTED, 'stopped: the STOP file is there')
    (body.home / 'STOP').unlink()
    wait_until(lambda: body.begin('say', Say.Goal(act_id='a2', text='hi')) is not None)


def test_two_bodies_in_one_domain_do_not_meet(domain, tmp_path):
    one = Body(domain, tmp_path / 'one', '/one', frame_prefix='one/')
    two = Body(domain, tmp_path / 'two', '/two', frame_prefix='two/')
    try:
        for body, name in ((one, 'one'), (two, 'two')):
            body.connected()
            assert body.do('say', Say.Goal(act_id=name, text=name))[1].outcome == 'done'
            assert body.joints[-1].name[0] == f'{name}/head_yaw_joint'
        assert [entry['act'] for entry in one.log('say')] == ['one']
        assert [entry['act'] for entry in two.log('say')] == ['two']
    finally:
        one.close()
        two.close()


def test_the_simulated_device_dials_the_driver(domain, home):
    body = Body(domain, home, transport='xiaozhi', backoff_max=0.3)
    try:
        body.connected()
        told = body.connections[-1]
        assert told.transport == 'xiaozhi'
        assert {'text', 'head', 'cam', 'face', 'touch', 'power'} <= set(told.capabilities)
        status, result = body.do('say', Say.Goal(act_id='a1', text='hello'))
        assert (status, result.outcome) == (SUCCEEDED, 'done')
        assert [entry['text'] for entry in body.log('say')] == ['hello']
        status, result = body.do('look_at', LookAt.Goal(yaw=0.5, pitch=-0.7))
        assert (status, result.ok) == (SUCCEEDED, True)
        answer = body.call(Capture, 'body/capture')
        assert (answer.ok, bytes(answer.image.data[:2])) == (True, b'\xff\xd8')
        assert body.call(Express, 'body/express', name='happy').ok
        assert body.call(SetBool, 'mock_body/lose_link', data=True).success
        wait_until(lambda: not body.connections[-1].connected)
        body.call(SetBool, 'mock_body/lose_link', data=False)
        wait_until(lambda: body.connections[-1].connected)
        assert body.do('say', Say.Goal(act_id='a2', text='again'))[1].outcome == 'done'
        assert [entry['text'] for entry in body.log('say')] == ['hello', 'again']
    finally:
        body.close()


def test_with_the_simulated_device_both_live_by_the_nodes_clock(domain, home):
    body = Body(domain, home, sim=True)
    lights = []
    body.node.create_subscription(
        Illuminance, 'illuminance', lights.append, qos_profile_sensor_data
    )
    clock = body.node.create_publisher(Clock, '/clock', 10)
    noon, ending = 12.0 * 3600.0, threading.Event()

    def run():
        """Time passes at five times its speed; nothing below depends on how fast that is."""
        now = noon
        while not ending.wait(0.01):
            now += 0.05
            clock.publish(Clock(clock=time_to_ros(now)))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        body.connected()
        assert body.joints[-1].header.stamp.sec >= noon
        said = body.do('say', Say.Goal(act_id='a', text='a long story ' * 50))[1]
        assert said.outcome == 'done'
        spoken = time_from_ros(said.duration)
        assert spoken == pytest.approx(0.05 + 650 / 200.0, abs=1.0)
        began, ended = body.log('say')[0]['at'], body.log('said')[0]['at']
        assert began >= noon
        assert ended - began == pytest.approx(spoken, abs=1.0)
        wait_until(lambda: lights)
        assert lights[-1].illuminance > 250.0, 'it is noon there'
    finally:
        ending.set()
        thread.join()
        body.close()
