"""The whole loop: a message wakes her, she sees it, answers, speaks and sleeps."""

import itertools
import json
import random
import re
import sqlite3

import pytest
import yaml

from soul.signals import Message, Outcome
from support.delays import delayed
from support.graph import Inside
from support.provider import FakeServer, call
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]

SCRIPT = {
    'turns': [
        {
            'when': 'message',
            'steps': [
                {
                    'text': 'somebody is there',
                    'calls': [
                        {'reply': {'text': 'hello {sender}: {text}', 'message': '{message}'}},
                        {'speak': {'text': 'hi {sender}'}},
                    ],
                },
                {'calls': [{'sleep': {'minutes': 30}}]},
            ],
        },
        {'when': 'wake', 'steps': [{'calls': [{'sleep': {}}]}]},
    ]
}
#: A voice that is quick, so that a hundred runs fit into a test.
QUICK = {'speech_rate': 200.0, 'speech_pause': 0.05}


def played(home):
    """What the simulated device played, by act id."""
    lines = (home / 'run' / 'device.jsonl').read_text().splitlines()
    return [entry for entry in map(json.loads, lines) if entry['e'] == 'said' and entry['ok']]


def audited(home):
    with sqlite3.connect(home / 'guard.db') as db:
        return {row[0]: row for row in db.execute('SELECT id, what, state, text FROM acts')}


def turns_audited(home):
    with sqlite3.connect(home / 'guard.db') as db:
        return db.execute("SELECT count(*) FROM events WHERE kind = 'turn'").fetchone()[0]


def check_one(witness, home, number, text='hello'):
    """Say one thing and follow it all the way round."""
    m = f'm{number}'
    witness.say(Message(id=m, sender='ann', text=f'{text} {number}', trusted=True))
    turn = witness.wait('mind/turn', lambda t: m in t.messages_seen)
    reply = witness.wait('door/reply', lambda r: r.in_reply_to == m)

    wakes = {w.id for w in witness.of('heart/wake', lambda w: m in w.message_ids)}
    assert wakes == {turn.wake}, 'exactly one wake lists the message'
    views = witness.of('field/view', lambda v: v.wake == turn.wake and m in v.message_ids)
    assert views
    assert f'{text} {number}' in views[0].text, 'she saw it in the view of that wake'
    assert reply.text == f'hello ann: {text} {number}'
    assert len({r.id for r in witness.of('door/reply', lambda r: r.in_reply_to == m)}) == 1
    assert turn.outcome == Outcome.SLEPT
    assert [c.name for c in turn.calls] == ['reply', 'speak', 'sleep']
    spoken = turn.calls[1]
    assert spoken.ok
    assert spoken.receipt == spoken.act_id
    witness.wait('guard/act', lambda a: a.id == spoken.act_id and a.state == 'done')
    assert [e['act'] for e in played(home)].count(spoken.act_id) == 1, 'played exactly once'
    row = audited(home)[spoken.act_id]
    assert row[1:] == ('speak', 'done', 'hi ann')


def script_file(tmp_path):
    path = tmp_path / 'script.yaml'
    path.write_text(yaml.safe_dump(SCRIPT))
    return str(path)


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_message_goes_all_the_way_round_a_hundred_times(
    witness, domain, home, tmp_path, monkeypatch
):
    delayed(monkeypatch, random.Random(7), 0.05)
    graph = Inside(
        domain,
        home,
        mind={'backend': 'scripted', 'script': script_file(tmp_path)},
        guard={'daily_wakes': 0},
        mock_body=QUICK,
    )
    try:
        witness.wait_awake()
        for number in range(100):
            check_one(witness, home, number)
        wait_until(lambda: turns_audited(home) >= 100)
    finally:
        graph.close()
    assert turns_audited(home) == len({(t.epoch, t.sequence) for t in witness.of('mind/turn')})


@pytest.mark.parametrize('stream', [True, False])
def test_the_same_through_a_real_http_server(witness, domain, home, monkeypatch, stream):
    monkeypatch.setenv('SOUL_TEST_KEY', 'sk-secret')
    steps = itertools.cycle([0, 1])

    def behave(body):
        seen = body['messages'][-1]['content']
        if next(steps) == 0:
            number = re.search(r'FOCUS ▸ \[\w+\] ann: hello (\d+)', seen).group(1)
            text = f'hello ann: hello {number}'
            return {
                'content': 'I hear someone.',
                'tool_calls': [
                    call('reply', {'text': text}, 0),
                    call('speak', {'text': 'hi ann'}, 1),
                ],
            }
        return {'tool_calls': [call('sleep', {'minutes': 30})]}

    server = FakeServer(behave)
    mind = {
        'backend': 'openai',
        'base_url': server.url,
        'model': 'fake',
        'stream': stream,
        'api_key_env': 'SOUL_TEST_KEY',
        'price_in': 1.0,
        'price_out': 2.0,
    }
    graph = Inside(domain, home, mind=mind, mock_body=QUICK)
    try:
        witness.wait_awake()
        for number in range(5):
            check_one(witness, home, number)
        energy = witness.wait('guard/energy', lambda e: e.tokens_used >= 5 * 2 * 60)
        assert energy.cost_used == pytest.approx(10 * (20 * 1.0 + 30 * 2.0) / 1e6)
    finally:
        graph.close()
        server.close()
    assert all(h['Authorization'] == 'Bearer sk-secret' for h in server.headers)
    assert all(body['stream'] is stream for body in server.requests)
    written = b''.join(f.read_bytes() for f in home.rglob('*') if f.is_file())
    assert b'sk-secret' not in written, 'the key is written nowhere'


def test_the_echo_says_that_it_is_one(witness, domain, home):
    graph = Inside(domain, home, mock_body=QUICK)
    try:
        witness.wait_awake()
        answer = witness.post(Message(sender='ann', text='are you there?'))
        assert answer.accepted
        reply = witness.wait('door/reply', lambda r: r.in_reply_to == answer.id)
        assert 'echo' in reply.text
        assert 'are you there?' in reply.text
        witness.wait('guard/act', lambda a: a.what == 'speak' and a.state == 'done')
    finally:
        graph.close()


def test_she_lives_without_any_body(witness, domain, home):
    graph = Inside(domain, home, use_mock=False, driver='none')
    try:
        witness.wait_awake(body=False)
        answer = witness.post(Message(sender='ann', text='hello'))
        witness.wait('door/reply', lambda r: r.in_reply_to == answer.id)
        act = witness.wait('guard/act', lambda a: a.state == 'failed', 30)
        assert act.detail == 'no body is there'
        witness.wait('mind/turn', lambda t: answer.id in t.messages_seen, 30)
    finally:
        graph.close()
