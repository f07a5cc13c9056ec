"""What a ROS 2 user expects of a graph: diagnostics, managed nodes, latched state, QoS."""

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import BatteryState, Illuminance

from soul import graph as table
from soul.core.interfaces import LATCHED
from soul.signals import Message, MindState, SpeakRequest, TriggerRequest
from support.graph import Inside
from support.waiting import wait_until
from support.witness import TOPICS, Witness

pytestmark = [pytest.mark.ros, pytest.mark.e2e]


@pytest.fixture
def graph(domain, home):
    made = Inside(domain, home, mock_body={'speech_rate': 200.0})
    yield made
    made.close()


def test_every_node_reports_its_health(graph, witness):
    reports = {}

    def hear(message):
        for status in message.status:
            reports[status.name] = status

    witness.node.create_subscription(DiagnosticArray, '/diagnostics', hear, 10)
    expected = {f'soul/{entry.name}' for entry in table.entries()}
    wait_until(lambda: expected <= set(reports), 30)
    for status in reports.values():
        assert status.hardware_id
        assert status.message
        assert status.level == b'\0', f'{status.name}: {status.message}'


def test_a_late_joiner_gets_every_state_at_once(graph, domain, witness):
    witness.wait_awake()
    witness.post(Message(sender='ann', text='hello'))
    witness.wait('guard/act', lambda a: a.state == 'done')
    witness.wait('mind/turn')
    witness.wait('mind/state', lambda s: s.phase == 'idle' and s.wakings)
    events = set(TOPICS) - LATCHED
    before = {topic: {signal.stamp for signal in witness.of(topic)} for topic in events}
    late = Witness(domain)
    try:
        for topic in LATCHED & set(TOPICS):
            late.wait(topic, seconds=10)
        for topic in events:
            repeated = late.of(topic, lambda s, t=topic: s.stamp in before[t])
            assert not repeated, f'{topic} is an event and must not be repeated'
    finally:
        late.close()


def test_any_robots_sensors_are_heard_reliable_or_not(domain, home, witness):
    graph = Inside(domain, home, use_mock=False, driver='none')
    try:
        readings = []
        for reliability, topic, message in (
            (ReliabilityPolicy.BEST_EFFORT, 'battery_state', battery(0.5)),
            (ReliabilityPolicy.RELIABLE, 'illuminance', Illuminance(illuminance=2.0)),
        ):
            profile = QoSProfile(
                depth=5, reliability=reliability, durability=DurabilityPolicy.VOLATILE
            )
            publisher = witness.node.create_publisher(type(message), topic, profile)
            readings.append((publisher, message))

        def felt():
            for publisher, message in readings:  # as a robot does: again and again
                publisher.publish(message)
            return witness.of('body/state', lambda s: s.charge == 0.5 and s.illuminance == 2.0)

        state = wait_until(felt, 20, 0.1)[0]
        assert 'dark' in state.feelings
        assert state.temperature != state.temperature, 'what is not sensed is unknown'
        assert state.screen_on == -1
    finally:
        graph.close()


def battery(share):
    return BatteryState(
        percentage=share,
        present=True,
        power_supply_status=BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
    )


class Managed:
    """A managed node, by its standard services."""

    def __init__(self, witness, name):
        self._change = witness.node.create_client(ChangeState, f'{name}/change_state')
        self._get = witness.node.create_client(GetState, f'{name}/get_state')
        assert self._change.wait_for_service(10)
        assert self._get.wait_for_service(10)

    def do(self, transition):
        future = self._change.call_async(ChangeState.Request(transition=Transition(id=transition)))
        wait_until(future.done)
        assert future.result().success

    @property
    def state(self):
        future = self._get.call_async(GetState.Request())
        wait_until(future.done)
        return future.result().current_state.id


def test_an_inactive_mind_spends_nothing_and_an_active_one_answers(domain, home, witness):
    graph = Inside(domain, home, mind={'autostart': False}, mock_body={'speech_rate': 200.0})
    try:
        mind = Managed(witness, 'mind')
        assert mind.state == State.PRIMARY_STATE_UNCONFIGURED
        state = witness.wait('mind/state')
        assert (state.phase, state.model_available) == ('inactive', False)
        witness.wait('connection', lambda c: c.connected)
        answer = wait_until(lambda: witness.post(Message(sender='ann', text='hello')))
        wake = witness.wait('heart/wake', lambda w: answer.id in w.message_ids)
        witness.wait('field/view', lambda v: v.wake == wake.id)
        assert not witness.of('mind/state', lambda s: s.begun == wake.id)
        mind.do(Transition.TRANSITION_CONFIGURE)
        mind.do(Transition.TRANSITION_ACTIVATE)
        witness.wait('door/reply', lambda r: r.in_reply_to == answer.id)
        witness.wait('mind/state', lambda s: s.phase == 'idle' and s.wakings)
        mind.do(Transition.TRANSITION_DEACTIVATE)
        wait_until(lambda: witness.of('mind/state')[-1].phase == 'inactive')
        before = witness.of('mind/state')[-1].wakings
        second = witness.post(Message(sender='ann', text='still there?'))
        witness.wait('heart/wake', lambda w: second.id in w.message_ids)
        assert witness.of('mind/state')[-1].wakings == before
    finally:
        graph.close()


def test_an_inactive_driver_refuses_goals(graph, witness):
    witness.wait_awake()
    driver = Managed(witness, 'stackchan')
    assert driver.state == State.PRIMARY_STATE_ACTIVE
    driver.do(Transition.TRANSITION_DEACTIVATE)
    answer = witness.call('speak', SpeakRequest('hello', '', 'test', ''))
    act = witness.wait('guard/act', lambda a: a.id == answer.act_id and a.state == 'failed')
    assert 'the body refused' in act.detail
    assert 'not active' in act.detail
    driver.do(Transition.TRANSITION_ACTIVATE)
    again = witness.call('speak', SpeakRequest('hello', '', 'test', ''))
    witness.wait('guard/act', lambda a: a.id == again.act_id and a.state == 'done')


def test_a_stop_reaches_everybody_and_resume_wakes_her_once_for_all(graph, witness):
    witness.wait_awake()
    assert witness.call('stop', TriggerRequest()).success
    witness.wait('mind/state', lambda s: s.phase == 'stopped')
    ids = [witness.post(Message(sender='ann', text=f'{n}')).id for n in range(3)]
    refused = witness.call('speak', SpeakRequest('hello', '', 'test', ''))
    assert not refused.accepted
    assert 'stop' in refused.reason
    assert not witness.of('heart/wake')
    assert witness.call('resume', TriggerRequest()).success
    for message_id in ids:
        witness.wait('door/reply', lambda r, m=message_id: r.in_reply_to == m)
    wakes = {w.id: set(w.message_ids) for w in witness.of('heart/wake', lambda w: w.message_ids)}
    assert len(wakes) == 1, 'one merged wake'
    assert set(ids) == set().union(*wakes.values())


def test_the_stop_file_stops_without_any_service(graph, witness, home):
    witness.wait_awake()
    (home / 'STOP').write_text('the cat')
    witness.wait('guard/state', lambda s: s.stopped and s.stop_reason == 'the cat')
    witness.wait('mind/state', lambda s: s.phase == 'stopped')
    (home / 'STOP').unlink()
    wait_until(lambda: witness.of('mind/state')[-1].phase == 'idle')


def test_a_mind_that_falls_silent_counts_as_no_model(domain, home, witness):
    """Seen from the heart: the rate is zero while nobody could live a waking."""
    graph = Inside(domain, home, use_mock=False, driver='none', mind={'autostart': False})
    try:
        witness.wait('heart/state', lambda s: 'no_model' in s.inhibited_by and not s.rate_per_hour)
        assert isinstance(witness.wait('mind/state'), MindState)
        Managed(witness, 'mind').do(Transition.TRANSITION_CONFIGURE)
        Managed(witness, 'mind').do(Transition.TRANSITION_ACTIVATE)
        witness.wait('heart/state', lambda s: s.rate_per_hour > 0.0)
    finally:
        graph.close()
