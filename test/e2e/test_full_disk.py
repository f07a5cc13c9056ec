"""No room on the disk: nothing unwritten is acknowledged or done, and the stop works.

The kernel refuses every write to a file beyond the limit of a process, as a full disk does, and
lets go of it again when the limit goes.
"""

import resource

import pytest
from diagnostic_msgs.msg import DiagnosticArray

from soul.signals import (
    LookRequest,
    Message,
    SpeakRequest,
    TriggerRequest,
)
from support.graph import Process
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]

FREE = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
FULL = (0, resource.RLIM_INFINITY)


@pytest.fixture
def soul(domain, home, tmp_path):
    made = Process(['-m', 'soul.bringup'], domain, home, log=tmp_path / 'log', speech_rate=200.0)
    yield made
    if made.process.poll() is None:
        limit(made, FREE)
    made.close()


@pytest.fixture
def health(witness):
    newest = {}

    def hear(message):
        for status in message.status:
            newest[status.name.rpartition('/')[2]] = status

    witness.node.create_subscription(DiagnosticArray, '/diagnostics', hear, 50)
    return newest


def limit(soul, values):
    resource.prlimit(soul.process.pid, resource.RLIMIT_FSIZE, values)


def test_a_full_disk_stops_what_must_be_written_and_nothing_else(soul, witness, health, home):
    witness.wait_awake()
    first = witness.post(Message(sender='ann', text='hello'))
    witness.wait('door/reply', lambda r: r.in_reply_to == first.id)
    witness.wait('mind/state', lambda s: s.phase == 'idle' and s.wakings)
    limit(soul, FULL)

    post = witness.post(Message(id='lost', sender='ann', text='are you there?'))
    assert not post.accepted
    assert str(home) in post.reason, 'the first file for which there was no room'
    for name, request in (
        ('speak', SpeakRequest('anybody?', '', 'test', '')),
        ('look', LookRequest('left', by='test')),
    ):
        answer = witness.call(name, request)
        assert not answer.accepted
        assert 'guard.db' in answer.reason
    assert not witness.of('guard/act', lambda a: a.text == 'anybody?')
    wait_until(lambda: {n for n, s in health.items() if s.level == b'\2'} >= {'guard', 'field'})
    assert str(home) in health['field'].message
    assert str(home) in health['guard'].message

    assert witness.call('stop', TriggerRequest()).success
    witness.wait('guard/state', lambda s: s.stopped)
    assert witness.call('body/halt', TriggerRequest()).success
    assert witness.call('resume', TriggerRequest()).success
    wait_until(lambda: not witness.of('guard/state')[-1].stopped)
    assert soul.process.poll() is None

    limit(soul, FREE)
    again = wait_until(
        lambda: (
            (p := witness.post(Message(id='lost', sender='ann', text='are you there?')))
            and p.accepted
            and p
        )
    )
    witness.wait('door/reply', lambda r: r.in_reply_to == again.id)
    assert (home / 'door.jsonl').read_text().count('"id":"lost"') == 1, 'journalled once'
    heard = wait_until(lambda: said(witness, 'I am back'))
    assert heard.state == 'done'
    wait_until(lambda: len(health) == 7 and all(s.level == b'\0' for s in health.values()), 30)
    assert soul.end() == 0


def said(witness, text):
    answer = witness.call('speak', SpeakRequest(text, '', 'test', ''))
    if not answer.accepted:
        return None
    ends = ('done', 'failed', 'uncertain')
    return witness.wait('guard/act', lambda a: a.id == answer.act_id and a.state in ends)


def test_she_can_be_put_to_rest_without_room(soul, witness):
    witness.wait_awake()
    limit(soul, FULL)
    assert not witness.post(Message(sender='ann', text='hello')).accepted
    assert soul.end() == 0
