"""Each organ killed (-9) and started again while a message is under way: answered once."""

import json

import pytest
import yaml

from soul import graph as table
from soul.signals import Message
from support.domains import own_domain
from support.graph import Process, organ_command
from support.waiting import wait_until
from support.witness import Witness

pytestmark = [pytest.mark.ros, pytest.mark.e2e, pytest.mark.timeout(240)]

SCRIPT = {
    'turns': [
        {
            'when': 'message',
            'contains': 'reply first',
            'steps': [
                {'calls': [{'reply': {'text': 'yes', 'message': '{message}'}}]},
                {'calls': [{'speak': {'text': 'a sentence that takes a second'}}]},
            ],
        },
        {
            'when': 'message',
            'steps': [
                {'calls': [{'speak': {'text': 'a sentence that takes a second'}}]},
                {'calls': [{'reply': {'text': 'yes', 'message': '{message}'}}]},
            ],
        },
    ]
}


class Suite:
    """Every organ in a process of its own."""

    def __init__(self, folder):
        self.home = folder / 'home'
        script = folder / 'script.yaml'
        script.write_text(yaml.safe_dump(SCRIPT))
        self._domain = own_domain()
        domain = self._domain.__enter__()
        self.witness = Witness(domain)
        self.log = folder / 'log'
        self.processes = {}
        for entry in table.entries():
            given = dict(table.parameters(entry, use_mock=True))
            if entry.name == 'mind':
                given |= {'backend': 'scripted', 'script': str(script)}
            if entry.name == 'guard':
                given |= {'daily_wakes': 0}
            if entry.name == 'mock_body':
                given |= {'speech_rate': 30.0}
            if entry.name == 'heart':
                given |= {'resend_seconds': 0.3}
            if entry.name == 'field':
                given |= {'knock_seconds': 0.3}
            self.processes[entry.name] = Process(
                organ_command(entry), domain, self.home, log=str(self.log), **given
            )

    def post(self, text):
        """Put a message at her door; the door may just be opening again."""
        message = Message(sender='ann', text=text)
        answer = wait_until(lambda: self.witness.post(message, 3.0), 30)
        assert answer.accepted, answer
        return answer.id

    def speaking(self, message_id):
        """Wait until she speaks in the turn of a message; False if that turn has ended."""
        witness = self.witness

        def wakes():
            return {w.id for w in witness.of('heart/wake', lambda w: message_id in w.message_ids)}

        def begun():
            states = witness.of('mind/state', lambda s: s.begun in wakes())
            return states[0].stamp if states else 0.0

        def spoken():
            return begun() and witness.of(
                'guard/act', lambda a: a.state == 'executing' and a.stamp >= begun()
            )

        def over():
            return witness.of('mind/state', lambda s: message_id in s.last_turn.messages_seen)

        wait_until(lambda: spoken() or over(), 60)
        return bool(spoken()) and not over()

    def answers(self, message_id):
        """Ids of her answers to a message: each is in the session before anybody hears it."""
        return {r['id'] for r in self._replies('sessions/life.jsonl', message_id)}

    def door_knows(self, message_id):
        """Whether the door knows that a message is answered, by hearing it or from the turn."""
        return bool(self._replies('door.jsonl', message_id))

    def _replies(self, journal, message_id):
        path = self.home / journal
        lines = path.read_text().splitlines() if path.exists() else []
        # its last line may be half written at this very moment
        entries = [json.loads(line) for line in lines if line.endswith('}')]
        replies = [entry['reply'] for entry in entries if entry['kind'] == 'reply']
        return [r for r in replies if r['in_reply_to'] == message_id and r['is_final']]

    def said(self):
        lines = (self.home / 'run' / 'device.jsonl').read_text().splitlines()
        return [entry['act'] for entry in map(json.loads, lines) if entry['e'] == 'say']

    def close(self):
        try:
            return {name: process.end() for name, process in self.processes.items()}
        finally:
            for process in self.processes.values():
                process.kill()
            self.witness.close()
            self._domain.__exit__(None, None, None)


@pytest.fixture(scope='module')
def suite(tmp_path_factory):
    made = Suite(tmp_path_factory.mktemp('suite'))
    try:
        made.witness.wait_awake(60)
        yield made
    finally:
        codes = made.close()
    assert set(codes.values()) == {0}, codes


ORGANS = [entry.name for entry in table.entries()]


@pytest.mark.parametrize('text', ['reply first', 'speak first'])
@pytest.mark.parametrize('moment', ['arriving', 'speaking'])
@pytest.mark.parametrize('organ', ORGANS)
def test_answered_once(suite, organ, moment, text):
    witness, process = suite.witness, suite.processes[organ]
    m = suite.post(text)
    if moment == 'speaking':
        # What was killed before is perhaps not found by all yet: then she could not speak.
        while not suite.speaking(m):
            m = suite.post(text)
    process.kill()
    process.start()

    # A mind just started may answer, and tell of its turn, before the witness has found it: the
    # journals and the latched state are the judges.
    wait_until(lambda: suite.answers(m) and suite.door_knows(m), 60)
    witness.wait('mind/state', lambda s: m in s.last_turn.messages_seen, 60)
    wait_until(lambda: witness.of('mind/state')[-1].phase == 'idle', 60)
    heard = {r.id for r in witness.of('door/reply', lambda r: r.in_reply_to == m and r.is_final)}
    assert len(suite.answers(m)) == 1, 'answered exactly once'
    assert heard <= suite.answers(m)
    said = suite.said()
    assert len(said) == len(set(said)), 'nothing is said twice'
