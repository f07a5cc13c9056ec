"""The heart as a node: simulated time that starts late, jumps and goes back; restart; files."""

import contextlib
import json
import os
import subprocess
import sys
import threading

import pytest
import rclpy
from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rosgraph_msgs.msg import Clock

from soul.heart.node import SPEC
from soul.ros import convert, qos
from soul.ros.runner import Runner
from soul.signals import (
    HeartState,
    Knock,
    MindState,
    NudgeRequest,
    Outcome,
    Phase,
    SenseEvent,
    SenseKind,
    Turn,
    Wake,
)
from support.graph import Process
from support.waiting import wait_until

pytestmark = pytest.mark.ros

NOON = 1772424000  # 2026-03-02 12:00 in Shanghai
HEART = {'timezone': 'Asia/Shanghai', 'activity': 0.0}


class World:
    """A node beside the heart: it is the mind, the door and the clock."""

    def __init__(self, domain, home, sim=True, **heart):
        self.home, self.domain = home, domain
        self.given = {'soul_home': str(home), 'use_sim_time': sim, **HEART, **heart}
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, args=[])
        self.node = rclpy.create_node('beside', namespace='/soul', context=self.context)
        self.states, self.wakes = [], []
        for topic, kind, heard in (
            ('heart/state', HeartState, self.states),
            ('heart/wake', Wake, self.wakes),
        ):
            self.node.create_subscription(
                convert.ros_class(kind),
                topic,
                lambda m, k=kind, h=heard: h.append(convert.from_ros(m, k)),
                qos.for_reader(topic),
            )
        self.publishers = {
            kind: self.node.create_publisher(
                convert.ros_class(kind), topic, qos.for_publisher(topic)
            )
            for topic, kind in (
                ('mind/state', MindState),
                ('mind/turn', Turn),
                ('door/knock', Knock),
                ('body/event', SenseEvent),
            )
        }
        self.clock = self.node.create_publisher(Clock, '/clock', 10)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.thread.start()
        self.runner = None
        self.now = 0
        self.turns = 0

    def _spin(self):
        with contextlib.suppress(ExternalShutdownException):
            self.executor.spin()

    def start(self):
        self.runner = Runner([SPEC], self.context, '/soul', {'heart': self.given}, arguments=[])
        self.runner.start()
        wait_until(lambda: self.publishers[Knock].get_subscription_count())
        return self

    def stop(self):
        self.runner.stop()
        self.runner = None

    def tick(self, now):
        """Publish the time until the heart has it."""
        self.now = now
        nanoseconds = round(now * 1e9)
        message = Clock(clock=Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9))
        self.clock.publish(message)

    def tell(self, signal):
        self.publishers[type(signal)].publish(convert.to_ros(signal))

    def idle(self, **fields):
        wake = self.wakes[-1].id if self.wakes else {}
        begun = {'begun': wake} if wake else {}
        self.tell(
            MindState(
                epoch=7, phase=Phase.IDLE, model_available=True, stamp=1.0, **begun, **fields
            )
        )

    def state(self, fits=lambda state: True):
        return wait_until(lambda: self.states and fits(self.states[-1]) and self.states[-1])

    def nudge(self, reason):
        client = self.node.create_client(convert.service_class(NudgeRequest), 'heart/nudge')
        assert client.wait_for_service(20.0)
        future = client.call_async(convert.to_ros(NudgeRequest(reason)))
        return wait_until(lambda: future.done() and future.result())

    def close(self):
        try:
            if self.runner:
                self.runner.stop()
        finally:
            self.executor.shutdown()
            self.thread.join()
            self.node.destroy_node()
            rclpy.try_shutdown(context=self.context)


@pytest.fixture
def make(domain, home):
    worlds = []

    def one(**heart):
        worlds.append(World(domain, home, **heart))
        return worlds[-1]

    yield one
    for world in worlds:
        world.close()


def memory(home):
    return json.loads((home / 'heart.json').read_text())['data']


def test_simulated_time_starts_late_jumps_and_goes_back(make):
    world = make(state_seconds=3600.0).start()
    world.tell(Knock(message_id='m1', sender='ann'))
    assert not world.states, 'no behaviour before the first clock'
    world.tick(NOON)
    wait_until(lambda: world.wakes)
    assert world.wakes[0].message_ids == ('m1',)
    assert world.wakes[0].stamp == pytest.approx(NOON)
    world.idle()
    noon = world.state(lambda s: not s.wake_open)
    # half a day at once: she has fallen asleep at her hour, and nothing has woken her
    world.tick(NOON + 13 * 3600)
    night = world.state(lambda s: s.asleep)
    assert night.stamp == pytest.approx(NOON + 13 * 3600, abs=1.0)
    assert night.sleep_pressure > noon.sleep_pressure
    # the bag is played again: no time has passed, nothing waits for the future
    count = len(world.states)
    world.tick(NOON - 30 * 86400)
    wait_until(lambda: len(world.states) > count or world.tick(world.now + 1))
    again = world.states[-1]
    assert again.stamp < NOON - 29 * 86400
    levels = {d.name: d.level for d in again.drives}
    assert levels['longing'] == pytest.approx({d.name: d.level for d in night.drives}['longing'])
    world.tell(Knock(message_id='m2', sender='ann'))
    wait_until(lambda: any('m2' in w.message_ids for w in world.wakes))


def test_a_wake_on_simulated_time_comes_on_that_clock(make):
    world = make(activity=4.0, base_rate=60.0, state_seconds=3600.0).start()
    world.tick(NOON)
    world.idle()
    state = world.state(lambda s: s.rate_per_hour > 0.0)
    assert not world.wakes
    now = NOON
    while not world.wakes:
        now += 20
        assert now < NOON + 3600, f'no wake in an hour at {state.rate_per_hour}/h'
        world.tick(now)
        threading.Event().wait(0.02)
    assert world.wakes[0].causes == ('spontaneous',)
    assert NOON < world.wakes[0].stamp <= now


def test_a_restart_is_a_nap(make, home):
    world = make(sim=False).start()
    world.idle()
    world.state(lambda s: s.inhibited_by == ())
    answer = world.nudge('dinner')
    assert answer.accepted
    wait_until(lambda: world.wakes)
    wake = world.wakes[-1]
    turn = Turn(
        epoch=7, sequence=1, wake=wake.id, causes=wake.causes, outcome=Outcome.SLEPT, steps=2
    )
    world.tell(turn)
    world.idle(last_turn=turn)
    before = world.state(lambda s: not s.wake_open and s.unconsolidated == 1.0)

    def page():  # it is written once what she says is on the disk
        return json.loads((home / 'soul' / 'DRIVES.json').read_text())

    wait_until(lambda: page()['boredom']['level'] == 1)
    assert page()['curiosity']['level'] == 0.2
    world.stop()
    world.states.clear()
    world.start()
    world.tell(turn)
    world.idle(last_turn=turn)
    after = world.state(lambda s: s.inhibited_by == ())
    assert after.epoch == before.epoch
    assert after.unconsolidated == 1.0, 'the turn is not felt again'
    assert after.sleep_pressure == pytest.approx(before.sleep_pressure, abs=1e-3)
    assert {w.id for w in world.wakes} == {wake.id}
    world.tell(SenseEvent(id='e', kind=SenseKind.PICKED_UP, detail='somebody picks you up'))
    wait_until(lambda: world.wakes[-1].id != wake.id)
    assert world.wakes[-1].id.sequence > wake.id.sequence


def test_killed_at_any_time_an_open_wake_is_sent_again(make, home, domain):
    world = make(sim=False)
    command = ['-c', 'import sys; from soul.heart.node import main; sys.exit(main())']
    heart = Process(command, domain, home, **HEART)
    try:
        world.state()
        world.tell(SenseEvent(id='e', kind=SenseKind.TOUCHED))
        wait_until(lambda: world.wakes)
        wait_until(lambda: memory(home)['wakes']['open'])
        heart.kill()
        count = len(world.wakes)
        heart.start()
        wait_until(lambda: len(world.wakes) > count)
        assert {w.id for w in world.wakes} == {world.wakes[0].id}
    finally:
        heart.close()


@pytest.mark.parametrize(
    ('name', 'value', 'says'),
    [
        ('timezone', 'Europe/Atlantis', 'no time zone'),
        ('language', 'tlh', 'known are en, ja, zh'),
        ('drives_file', '/nowhere.yaml', 'cannot be read'),
    ],
)
def test_a_wrong_parameter_stops_it_with_one_clear_line(domain, home, name, value, says):
    command = [
        *(sys.executable, '-c', 'import sys; from soul.heart.node import main; sys.exit(main())'),
        *('--ros-args', '-p', f'soul_home:={home}', '-p', f'{name}:={value}'),
    ]
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, 'ROS_DOMAIN_ID': str(domain)},
    )
    assert ended.returncode == 2, ended.stderr
    assert says in ended.stderr
    assert value in ended.stderr
    assert 'Traceback' not in ended.stderr
