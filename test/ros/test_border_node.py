"""The border of a node: topics, services and goals alike; what did not fit is on /diagnostics."""

import math

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.context import Context

from soul.field.node import SPEC
from soul.ros import convert
from soul.ros.runner import Runner
from soul.signals import Energy, Message, Percept, PostRequest, SenseEvent
from support.waiting import wait_until

pytestmark = pytest.mark.ros


@pytest.fixture
def field(domain, home):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    given = {'field': {'soul_home': str(home), 'embedder': 'hash'}}
    runner = Runner([SPEC], context, '/soul', given, []).start()
    try:
        yield runner.organs[0]
    finally:
        runner.stop()
        rclpy.shutdown(context=context)


def say(witness, topic, signal, readers=1):
    from soul.ros import qos

    publisher = witness.node.create_publisher(
        convert.ros_class(type(signal)), topic, qos.for_publisher(topic)
    )
    wait_until(lambda: publisher.get_subscription_count() >= readers)
    publisher.publish(convert.to_ros(signal))


def test_what_does_not_fit_is_told_on_diagnostics_and_hurts_nobody(field, witness):
    """found 3, 17: a number ended the process, a kind of a million characters became her focus."""
    told = {}

    def hear(array):
        for status in array.status:
            if status.name == 'soul/field':
                told.update({pair.key: pair.value for pair in status.values})

    witness.node.create_subscription(DiagnosticArray, '/diagnostics', hear, 10)
    say(witness, 'guard/energy', Energy(level=-1e300), 2)
    say(witness, 'body/event', SenseEvent(kind='\nALERTS' * 100_000, magnitude=math.nan), 2)
    say(witness, 'field/percept', Percept(source='s' * 500, text='hi'))
    wait_until(lambda: len([name for name in told if name.startswith('border ')]) >= 3)
    assert '-1e+300' in told['border guard/energy.level']
    assert 'cut to 64 of 700000' in told['border body/event.kind'] or (
        'cannot be seen' in told['border body/event.kind']
    )
    assert 'allowed are 200' in told['border field/percept.source']


def test_a_request_that_cannot_be_taken_is_answered_with_the_reason(field, witness):
    """found 17: also what comes by a service."""
    answer = witness.call('door/post', PostRequest(Message(sender='s' * 100_000, text='hi')))
    assert not answer.accepted
    assert answer.reason.startswith('message.sender has 100000 characters, allowed are 200')
    assert len(answer.reason) < 200
    assert witness.call('door/post', PostRequest(Message(sender='ann', text='hi'))).accepted


def test_a_proof_makes_a_message_trusted_and_nothing_else_does(field, witness, home):
    """found 34: over ROS."""
    from soul.store import Home
    from soul.store.door_key import DoorKey

    message = Message(id='m1', sender='ann', text='it is me', trusted=True)
    proof = DoorKey.read(Home(home)).proof(message)
    assert witness.call('door/post', PostRequest(message)).accepted
    mine = Message(id='m2', sender='ann', text='it is me', trusted=False)
    assert witness.call('door/post', PostRequest(mine, proof)).accepted
    real = DoorKey.read(Home(home)).proof(mine)
    third = Message(id='m3', sender='ann', text='it is me')
    assert witness.call('door/post', PostRequest(third, real)).accepted
    fourth = Message(id='m4', sender='ann', text='it is me')
    proven = DoorKey.read(Home(home)).proof(fourth)
    assert witness.call('door/post', PostRequest(fourth, proven)).accepted
    trusted = {m.id: m.trusted for m in field.organ.door.messages}
    assert trusted == {'m1': False, 'm2': False, 'm3': False, 'm4': True}
