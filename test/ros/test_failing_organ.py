"""An organ that fails, and whatever else is sent to a node, over real DDS."""

import threading

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.context import Context
from soul_msgs.action import Say

from soul.core.organ import Organ, OrganConfig, Record, Save
from soul.core.supervision import RESTARTS
from soul.graph import OrganSpec
from soul.ros import convert
from soul.ros.runner import Runner
from soul.signals import (
    CaptureRequest,
    Knock,
    NudgeAnswer,
    NudgeRequest,
    Reply,
    SayGoal,
    TriggerAnswer,
    TriggerRequest,
)
from support.actions import ActionClient
from support.waiting import wait_until

pytestmark = pytest.mark.ros


class Frail(Organ):
    """Fails wherever it is told to."""

    hears = {'door/knock': Knock}
    says = {'door/reply': Reply}
    serves = {'heart/nudge': NudgeRequest}
    performs = {'body/say': SayGoal, 'body/capture': CaptureRequest}
    memory_file = 'frail.json'
    journals = ('frail',)
    lives = 0

    def __init__(self, birth):
        type(self).lives += 1
        self.birth = birth
        self.count = (birth.memory or {}).get('count', 0)
        self.closed = []
        self.at = float('inf')
        self.sick = False
        self.handles = []
        birth.on_close(lambda: self.closed.append(1))

    def memory(self):
        return {'count': self.count}

    def due(self):
        return self.at

    def step(self, now):
        raise KeyError('in a step')

    def on_knock(self, knock, now):
        if knock.sender == 'bug':
            raise ZeroDivisionError('a bug')
        if knock.sender == 'generator':
            yield Record('frail', {'id': knock.message_id})
            raise ZeroDivisionError('after a record')
        if knock.sender == 'alien':
            yield object()
        if knock.sender == 'step':
            self.at = now
            return
        if knock.sender == 'health':
            self.sick = True
            return
        self.count += 1
        yield Record('frail', {'id': knock.message_id})
        yield Save()
        yield Reply(id=knock.message_id, text=str(self.count))

    def health(self, now):
        if self.sick:
            raise RuntimeError('not even well enough to say so')
        return super().health(now)

    def serve_nudge(self, request, now):
        if request.reason == 'bug':
            raise ZeroDivisionError('a bug in a service')
        return NudgeAnswer(True), ()

    def refuse(self, name, request, now):
        if isinstance(request, SayGoal) and request.text == 'refuse':
            raise ZeroDivisionError('a bug in a refusal')
        return ''

    def perform_say(self, goal, handle, now):
        if goal.text == 'bug':
            raise ZeroDivisionError('a bug in an action')
        self.handles.append(handle)
        return ()

    def perform_capture(self, request, handle, now):
        if request.question == 'bug':
            raise ZeroDivisionError('a bug in a long service')
        self.handles.append(handle)
        return ()

    def cancel(self, handle, now):
        raise ZeroDivisionError('a bug in a cancel')


class Neighbour(Organ):
    """Lives in the same process and watches the other."""

    serves = {'stop': TriggerRequest}
    hears = {'door/reply': Reply}
    watches = ('door/reply',)

    def __init__(self, birth):
        self.silences = []

    def serve_stop(self, request, now):
        return TriggerAnswer(True, 'stopped'), ()

    def on_reply(self, reply, now):
        return ()

    def on_silence(self, topic, now):
        self.silences.append(topic)
        return ()


class NoConfig(OrganConfig):
    """No parameters."""


FRAIL = OrganSpec(name='frail', organ=Frail, config=NoConfig, make=Frail)
NEIGHBOUR = OrganSpec(
    name='neighbour', organ=Neighbour, config=NoConfig, make=Neighbour, managed=True
)


@pytest.fixture
def pair(domain, home):
    """The two of them in one process."""
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    given = {name: {'soul_home': str(home)} for name in ('frail', 'neighbour')}
    runner = Runner([FRAIL, NEIGHBOUR], context, '/soul', given, []).start()
    try:
        yield runner
    finally:
        runner.stop()
        rclpy.try_shutdown(context=context)


@pytest.fixture
def told(witness):
    """What /diagnostics says, the newest by node."""
    newest = {}

    def hear(message):
        for status in message.status:
            newest[status.name] = status

    witness.node.create_subscription(DiagnosticArray, '/diagnostics', hear, 50)
    return newest


def knock(witness, **values):
    if not hasattr(witness, 'knocks'):
        kind = convert.ros_class(Knock)
        witness.knocks = witness.node.create_publisher(kind, 'door/knock', 10)
    wait_until(lambda: witness.knocks.get_subscription_count() > 1)  # the organ and the witness
    witness.knocks.publish(convert.to_ros(Knock(**values)))


def is_heard(shell):
    """Tell whether the witness would hear what it replies; its neighbour does anyway."""
    return shell.transport.reaches('door/reply')


def reborn(runner, before):
    """Wait for the next life of the frail one."""
    return wait_until(
        lambda: (
            runner.organs[0] is not before and runner.organs[0].runtime.alive and runner.organs[0]
        )
    )


def asked(witness, kind, name, request):
    """Ask a service of ROS's own; None if no answer came."""
    client = witness.node.create_client(kind, name)
    assert client.wait_for_service(timeout_sec=10)
    # The middleware drops an answer if the server has not found the asker yet.
    for _ in range(3):
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _, d=done: d.set())
        if done.wait(5):
            return future.result()
    return None


@pytest.mark.parametrize('sender', ['bug', 'generator', 'alien', 'step', 'health'])
def test_a_bug_anywhere_begins_that_organ_anew_and_no_other(pair, witness, told, sender):
    """found 3: a bug in one organ ended all of them."""
    first, neighbour = pair.organs[0], pair.organs[1]
    wait_until(lambda: is_heard(first))
    knock(witness, message_id='m1')
    assert witness.wait('door/reply').text == '1'
    knock(witness, sender=sender, message_id='m2')
    second = reborn(pair, first)
    assert first.organ.closed, 'what it held is let go'
    assert second.organ.count == 1, 'its memory is what it was when it was well'
    assert pair.organs[1] is neighbour
    assert witness.call('stop', TriggerRequest()).success
    wait_until(lambda: neighbour.organ.silences == ['door/reply'])
    wait_until(lambda: is_heard(second))
    knock(witness, message_id='m3')
    assert witness.wait('door/reply', lambda r: r.id == 'm3').text == '2'
    status = wait_until(
        lambda: (s := told.get('soul/frail')) and s.level == DiagnosticStatus.WARN and s
    )
    assert 'begun anew' in status.message


@pytest.mark.parametrize('where', ['service', 'long service'])
def test_whoever_asks_a_failing_organ_is_answered(pair, witness, where):
    """found 3: nobody waits for ever for an organ that has failed."""
    first = pair.organs[0]
    if where == 'service':
        answer = witness.call('heart/nudge', NudgeRequest('bug', 'me'))
        assert not answer.accepted
    else:
        answer = witness.call('body/capture', CaptureRequest('bug'))
        assert not answer.ok
    assert 'failed' in answer.reason
    reborn(pair, first)
    assert witness.call('heart/nudge', NudgeRequest('hello', 'me')).accepted


def test_what_is_under_way_when_it_fails_is_answered_as_uncertain(pair, witness):
    """found 3: a goal of a failing organ ends, and does not pretend that nothing happened."""
    first = pair.organs[0]
    results, answers = [], []
    client = ActionClient(witness.node, Say, 'body/say')
    assert client.wait_for_server(10)
    future = client.send_goal_async(Say.Goal(text='hello'))
    wait_until(future.done)
    result = future.result().get_result_async()
    caller = threading.Thread(
        target=lambda: answers.append(witness.call('body/capture', CaptureRequest('what?'))),
        daemon=True,
    )
    caller.start()
    wait_until(lambda: len(first.organ.handles) == 2)
    knock(witness, sender='bug')
    wait_until(result.done)
    results.append(result.result())
    assert results[0].status == 6  # aborted
    assert results[0].result.outcome == 'uncertain'
    assert 'a bug' in results[0].result.reason
    caller.join(10)
    assert not answers[0].ok
    assert 'a bug' in answers[0].reason


@pytest.mark.parametrize('text', ['bug', 'refuse'])
def test_a_goal_that_makes_it_fail_is_answered(pair, witness, text):
    """found 3: the goal that was its death ends, too."""
    first = pair.organs[0]
    client = ActionClient(witness.node, Say, 'body/say')
    assert client.wait_for_server(10)
    future = client.send_goal_async(Say.Goal(text=text))
    wait_until(future.done)
    result = future.result().get_result_async()
    wait_until(result.done)
    assert result.result().status == 6  # aborted
    assert 'failed' in result.result().result.reason
    reborn(pair, first)


def test_an_organ_that_keeps_failing_stays_down_and_says_so(pair, witness, told, monkeypatch):
    """found 3: three times in ten minutes, then it stays down; the others live on."""
    monkeypatch.setattr('soul.core.supervision.PAUSE_SECONDS', 0.01)
    for _ in range(RESTARTS):
        organ = pair.organs[0]
        knock(witness, sender='bug')
        reborn(pair, organ)
    knock(witness, sender='bug')
    status = wait_until(lambda: (s := told.get('soul/frail')) and 'stays down' in s.message and s)
    assert status.level == DiagnosticStatus.ERROR
    assert 'ZeroDivisionError' in status.message
    assert witness.call('stop', TriggerRequest()).success


def odd_value(kind):
    return Parameter(name='autostart', value=ParameterValue(type=kind))


def test_a_malformed_parameter_is_refused_and_ends_nothing(pair, witness):
    """found 41: a value of type 255 ended the process inside rclpy's own service."""
    organs = list(pair.organs)
    for name in ('frail', 'neighbour'):
        answer = asked(
            witness,
            SetParameters,
            f'{name}/set_parameters',
            SetParameters.Request(parameters=[odd_value(255), odd_value(200)]),
        )
        assert [result.successful for result in answer.results] == [False, False]
        assert answer.results[0].reason
        answer = asked(
            witness,
            SetParametersAtomically,
            f'{name}/set_parameters_atomically',
            SetParametersAtomically.Request(parameters=[odd_value(255)]),
        )
        assert not answer.result.successful
    assert pair.organs == organs
    assert organs[0].supervisor.strays >= 2
    assert witness.call('heart/nudge', NudgeRequest('hello', 'me')).accepted
    assert witness.call('stop', TriggerRequest()).success


@pytest.mark.parametrize('name', ['', '\t', '..', 'a' * 100_000, '\u202e', '~', '/x/'])
def test_odd_names_of_parameters_are_answered(pair, witness, name):
    """found 41: whatever a standard service is asked, it answers."""
    calls = [
        (SetParameters, 'set_parameters', {'parameters': [Parameter(name=name)]}),
        (GetParameters, 'get_parameters', {'names': [name]}),
        (DescribeParameters, 'describe_parameters', {'names': [name]}),
        (ListParameters, 'list_parameters', {'prefixes': [name], 'depth': 2**64 - 1}),
    ]
    for kind, service, values in calls:
        assert asked(witness, kind, f'frail/{service}', kind.Request(**values)) is not None
    assert witness.call('heart/nudge', NudgeRequest('hello', 'me')).accepted


@pytest.mark.parametrize(('number', 'label'), [(255, ''), (0, 'nonsense'), (61, ''), (0, '')])
def test_an_impossible_transition_is_refused_and_ends_nothing(pair, witness, number, label):
    """found 41: the same for the services of managed nodes."""
    request = ChangeState.Request(transition=Transition(id=number, label=label))
    answer = asked(witness, ChangeState, 'neighbour/change_state', request)
    assert not answer.success
    assert witness.call('stop', TriggerRequest()).success


def test_what_cannot_be_converted_is_told_and_answered(pair, witness, monkeypatch):
    """found 41: an exception at the border is reported, never fatal."""
    organs = list(pair.organs)
    real = convert.from_ros

    def from_ros(message, kind):
        if threading.current_thread().name == 'frail':  # not the witness
            raise ValueError('garbled')
        return real(message, kind)

    with monkeypatch.context() as patch:
        patch.setattr(convert, 'from_ros', from_ros)
        knock(witness, message_id='m1')
        wait_until(lambda: organs[0].supervisor.strays == 1)
        assert not witness.call('heart/nudge', NudgeRequest('hello', 'me')).accepted
        assert not witness.call('body/capture', CaptureRequest('what?')).ok
        client = ActionClient(witness.node, Say, 'body/say')
        assert client.wait_for_server(10)
        future = client.send_goal_async(Say.Goal(text='hello'))
        wait_until(future.done)
        result = future.result().get_result_async()
        wait_until(result.done)
        assert result.result().status == 6  # aborted
    assert pair.organs == organs
    assert witness.call('heart/nudge', NudgeRequest('hello', 'me')).accepted


def test_an_end_in_the_middle_of_a_restart_is_an_end(pair, witness, monkeypatch):
    """found 3: a stop while an organ is between two lives waits for nobody."""
    monkeypatch.setattr('soul.core.supervision.PAUSE_SECONDS', 60.0)
    knock(witness, sender='bug')
    wait_until(lambda: pair.organs[0].ended)
    pair.stop()
    names = {organ.spec.name for organ in pair.organs}
    assert names.isdisjoint(thread.name for thread in threading.enumerate())
