"""The whole graph imports and lives on whatever ROS 2 family this is: `make compat`."""

import importlib

import pytest

from soul import graph as table
from soul.signals import Message, TriggerRequest
from support.graph import Inside

pytestmark = [pytest.mark.ros, pytest.mark.e2e]


@pytest.mark.parametrize('entry', table.entries(), ids=lambda e: e.name)
def test_an_organ_imports(entry):
    spec = importlib.import_module(entry.module).SPEC
    assert spec.name == entry.name
    assert spec.managed is entry.managed


def test_she_hears_answers_speaks_and_stops(witness, domain, home):
    graph = Inside(domain, home, mock_body={'speech_rate': 200.0})
    try:
        witness.wait_awake(60)
        answer = witness.post(Message(sender='ann', text='hello'))
        assert answer.accepted, answer
        reply = witness.wait('door/reply', lambda r: r.in_reply_to == answer.id)
        assert 'hello' in reply.text
        act = witness.wait('guard/act', lambda a: a.state == 'done')
        assert act.receipt
        witness.wait('mind/turn', lambda t: answer.id in t.messages_seen)
        assert witness.call('stop', TriggerRequest()).success
        witness.wait('guard/state', lambda s: s.stopped)
        witness.wait('mind/state', lambda s: s.phase == 'stopped')
        assert witness.call('resume', TriggerRequest()).success
        witness.wait('mind/state', lambda s: s.phase == 'idle' and s.wakings)
    finally:
        graph.close()
