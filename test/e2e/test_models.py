"""A living soul with two models and their keys: who is asked, what it costs, what is written."""

import json
import sqlite3

import pytest

from soul.keys import KeyStore, MasterKey
from soul.signals import Message
from support.graph import Inside
from support.provider import FakeServer, call
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e]

WRONG, RIGHT = 'sk-wrong-0123456789', 'sk-right-0123456789'


class Provider:
    """A server that takes one key, and may be down."""

    def __init__(self):
        self.down = False
        self.server = FakeServer(self.behave)

    def behave(self, body):
        sent = self.server.headers[-1].get('Authorization')
        if sent != f'Bearer {RIGHT}':
            return 401, json.dumps({'error': {'message': f'no such key: {sent}'}})
        if self.down:
            return 503, 'down'
        waiting = [m for m in body['messages'] if 'are you there' in str(m.get('content'))]
        if waiting and body['messages'][-1]['role'] == 'user':
            return {'tool_calls': [call('reply', {'text': 'I am here'}), call('sleep', {}, 1)]}
        return {'tool_calls': [call('sleep', {})]}


@pytest.fixture
def providers():
    made = [Provider(), Provider()]
    yield made
    for one in made:
        one.server.close()


@pytest.fixture
def graph(domain, home, providers):
    home.mkdir(mode=0o700)
    (home / 'models.yaml').write_text(
        'models:\n'
        + ''.join(
            f'  - {{provider: {name}, model: m, name: {name}, base_url: "{one.server.url}", '
            'prices: {read: 100, written: 400, cached: 10}}\n'
            for name, one in zip(('first', 'second'), providers, strict=True)
        )
    )
    store = KeyStore(home, MasterKey.find(home, {}, create=True))
    store.add('first', 'old', WRONG)
    store.add('second', 'only', RIGHT)
    graph = Inside(domain, home)
    graph.store = store
    yield graph
    graph.close()


def ask(witness, number):
    assert witness.post(
        Message(id=number, sender='ann', text='are you there?', trusted=True)
    ).accepted
    return witness.wait('door/reply', lambda r: r.in_reply_to == number and r.is_final, 40.0)


def calls(witness):
    return [(c.model, c.key, c.status) for c in witness.of('mind/call')]


def test_the_second_answers_for_the_first_until_it_has_a_key_that_is_taken(
    witness, graph, home, providers
):
    witness.wait_awake()
    wait_until(lambda: witness.node.count_publishers('/soul/mind/call') > 0)
    assert ask(witness, 'm1').text == 'I am here'
    wait_until(lambda: ('second', 'only', 200) in calls(witness))
    assert ('first', 'old', 401) in calls(witness)
    assert witness.wait('mind/state', lambda s: s.cost > 0.0 and s.cost_known).model == 'second'

    graph.store.rotate('first', 'old', RIGHT)  # she notices while she lives
    assert ask(witness, 'm2').text == 'I am here'
    wait_until(lambda: ('first', 'old', 200) in calls(witness))

    providers[0].down = True
    assert ask(witness, 'm3').text == 'I am here'
    wait_until(lambda: ('first', 'old', 503) in calls(witness))

    with sqlite3.connect(home / 'guard.db') as db:
        rows = db.execute("SELECT detail FROM events WHERE kind = 'model_call'").fetchall()
    audited = [json.loads(row[0]) for row in rows]
    told = witness.of('mind/call')
    assert {(a['model'], a['key'], a['status']) for a in audited} >= set(calls(witness)[:-2])
    # 20 fresh, 100 cached and 30 written tokens each
    good = [c for c in told if c.status == 200]
    assert all(c.cost == pytest.approx(0.015) for c in good)
    written = b''.join(path.read_bytes() for path in home.rglob('*') if path.is_file())
    for secret in (WRONG, RIGHT):
        assert secret.encode() not in written
        assert secret not in repr([told, witness.of('mind/state'), witness.of('door/reply')])
