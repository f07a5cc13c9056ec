"""The body twin as a node: real readings, kills, and the memory on the disk."""

import json

import pytest
from sensor_msgs.msg import BatteryState, Illuminance
from soul_msgs.msg import Connection

from soul.ros import qos
from support.graph import Process
from support.waiting import wait_until

pytestmark = pytest.mark.ros

COMMAND = ['-c', 'import sys; from soul.body.node import main; sys.exit(main())']
CHARGING = BatteryState.POWER_SUPPLY_STATUS_CHARGING
DISCHARGING = BatteryState.POWER_SUPPLY_STATUS_DISCHARGING


class Robot:
    """Publishes readings as a robot does: again and again."""

    def __init__(self, witness):
        self.witness = witness
        self.battery = BatteryState(percentage=0.5, present=True, power_supply_status=DISCHARGING)
        self.light = Illuminance(illuminance=300.0)
        node = witness.node
        self.publishers = {
            'battery': node.create_publisher(BatteryState, 'battery_state', 5),
            'light': node.create_publisher(Illuminance, 'illuminance', 5),
        }
        self.connection = node.create_publisher(
            Connection, 'connection', qos.for_publisher('connection')
        )

    def until(self, topic, fits):
        """Publish until something that fits has been heard."""

        def look():
            self.publishers['battery'].publish(self.battery)
            self.publishers['light'].publish(self.light)
            return self.witness.of(topic, fits)

        return wait_until(look, 20, 0.05)[-1]


@pytest.fixture
def twin(domain, home, tmp_path):
    process = Process(
        COMMAND, domain, home, log=tmp_path / 'log', silence_seconds=2.0, event_pause=0.0
    )
    yield process
    process.close()


def test_felt_at_once_and_not_again_after_a_kill(twin, witness, home):
    robot = Robot(witness)
    robot.until('body/state', lambda s: s.charge == 0.5 and s.brightness == 3)
    robot.battery.power_supply_status = CHARGING
    robot.until('body/event', lambda e: e.kind == 'plugged')
    state = robot.until('body/state', lambda s: s.charging == 1)
    assert state.energy == pytest.approx(0.7)
    assert json.loads((home / 'body.json').read_text())['data']['told']['charging'] == 1
    states = len(witness.of('body/state'))
    twin.kill()
    twin.start()
    robot.until('body/state', lambda s: witness.of('body/state').index(s) >= states and (
        s.charging == 1 and s.brightness == 3
    ))  # fmt: skip
    assert [e.kind for e in witness.of('body/event')] == ['plugged']
    robot.light.illuminance = 2.0
    robot.until('body/event', lambda e: e.kind == 'light')
    assert [e.kind for e in witness.of('body/event')] == ['plugged', 'light']


def test_lost_once_also_over_a_restart_and_back_once(twin, witness):
    robot = Robot(witness)
    robot.connection.publish(Connection(connected=True))
    robot.until('body/state', lambda s: s.charge == 0.5)
    witness.wait('body/event', lambda e: e.kind == 'body_lost')
    witness.wait('body/state', lambda s: s.connected == 0 and s.charge != s.charge)
    assert twin.end() == 0
    states = len(witness.of('body/state'))
    twin.start()
    wait_until(lambda: len(witness.of('body/state')) > states)
    robot.connection.publish(Connection(connected=True))
    robot.until('body/event', lambda e: e.kind == 'body_back')
    kinds = [e.kind for e in witness.of('body/event')]
    assert kinds[0] == 'body_lost'
    assert kinds.count('body_back') == 1
