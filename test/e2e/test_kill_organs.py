"""Each organ killed (-9) and started again while a message is under way: answered once."""

import json

import pytest
import yaml

from soul import bringup
from soul.signals import Message
from support.domains import own_domain
from support.graph import Process, organ_command, wait_until
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
        for entry in bringup.entries():
            given = dict(bringup.parameters(entry, use_mock=True))
            if entry.executable == 'mind':
                given |= {'backend': 'scripted', 'script': str(script)}
            if entry.executable == 'guard':
                given |= {'daily_wakes': 0}
            if entry.executable == 'mock_body':
                given |= {'speech_rate': 30.0}
            if entry.executable == 'heart':
                given |= {'resend_seconds': 0.3}
            if entry.executable == 'field':
                given |= {'knock_seconds': 0.3}
            self.processes[entry.executable] = Process(
                organ_command(entry), domain, self.home, log=str(self.log), **given
            )

    def said(self):
        lines = (self.home / 'run' / 'device.jsonl').read_text().splitlines()
        return [entry['act'] for entry in map(json.loads, lines) if entry['e'] == 'say']

    def close(self):
        codes = {name: process.end() for name, process in self.processes.items()}
        self.witness.close()
        self._domain.__exit__(None, None, None)
        return codes


@pytest.fixture(scope='module')
def suite(tmp_path_factory):
    made = Suite(tmp_path_factory.mktemp('suite'))
    try:
        made.witness.wait_awake(60)
        yield made
    finally:
        codes = made.close()
    assert set(codes.values()) == {0}, codes


ORGANS = [entry.executable for entry in bringup.entries()]


@pytest.mark.parametrize('text', ['reply first', 'speak first'])
@pytest.mark.parametrize('moment', ['arriving', 'speaking'])
@pytest.mark.parametrize('organ', ORGANS)
def test_answered_once(suite, organ, moment, text):
    witness, process = suite.witness, suite.processes[organ]
    answer = wait_until(lambda: witness.post(Message(sender='ann', text=text), 3.0), 30)
    assert answer.accepted, answer
    m = answer.id
    if moment == 'speaking':
        before = {a.id for a in witness.of('guard/act', lambda a: a.state != 'executing')}
        witness.wait('guard/act', lambda a: a.state == 'executing' and a.id not in before, 30)
    process.kill()
    process.start()

    witness.wait('door/reply', lambda r: r.in_reply_to == m and r.final, 60)
    witness.wait('mind/turn', lambda t: m in t.messages_seen, 60)
    wait_until(lambda: witness.of('mind/state')[-1].phase == 'idle', 60)
    replies = {r.id for r in witness.of('door/reply', lambda r: r.in_reply_to == m and r.final)}
    assert len(replies) == 1, 'answered exactly once'
    said = suite.said()
    assert len(said) == len(set(said)), 'nothing is said twice'
