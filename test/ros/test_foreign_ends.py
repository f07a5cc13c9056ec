"""The guard and an adapter that somebody else has written: only a clean end is one."""

import pytest
import rclpy
from rclpy.action import ActionServer
from rclpy.context import Context
from soul_msgs.action import Say

from soul.guard.node import SPEC
from soul.ros.runner import Runner
from soul.signals import SpeakRequest

pytestmark = pytest.mark.ros


def done_and_aborted(goal):
    goal.abort()
    return Say.Result(outcome='done')


def empty(goal):
    goal.succeed()
    return Say.Result()


def of_its_own_words(goal):
    goal.succeed()
    return Say.Result(outcome='spoken, I think')


def raises(goal):
    raise RuntimeError('the loudspeaker fell off')


def forgets_to_end_it(goal):
    return Say.Result(outcome='done')


def refuses(goal):
    goal.abort()
    return Say.Result(outcome='aborted', reason='no loudspeaker')


def well(goal):
    goal.succeed()
    return Say.Result(outcome='done')


@pytest.mark.parametrize(
    ('adapter', 'state'),
    [
        (done_and_aborted, 'uncertain'),
        (empty, 'uncertain'),
        (of_its_own_words, 'uncertain'),
        (raises, 'uncertain'),
        (forgets_to_end_it, 'uncertain'),
        (refuses, 'failed'),
        (well, 'done'),
    ],
    ids=lambda value: getattr(value, '__name__', value),
)
def test_only_a_clean_end_is_believed(domain, home, witness, adapter, state):
    """found 31: ABORTED with `done` was done with a receipt; a server that raised had failed."""
    server = ActionServer(witness.node, Say, 'body/say', adapter)
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    runner = Runner([SPEC], context, '/soul', {'guard': {'soul_home': str(home)}}, []).start()
    try:
        answer = witness.call('speak', SpeakRequest(text='hello', by='test'))
        assert answer.accepted, answer.reason
        ends = ('done', 'failed', 'uncertain')
        act = witness.wait('guard/act', lambda act: act.state in ends)
        assert act.state == state
        assert bool(act.receipt) == (state == 'done')
        assert act.detail or state == 'done'
    finally:
        runner.stop()
        rclpy.shutdown(context=context)
        server.destroy()
