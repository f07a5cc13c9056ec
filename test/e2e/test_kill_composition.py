"""The whole composition killed (-9) at random moments: nothing acknowledged is lost."""

import json
import random
import sqlite3
import time

import pytest

from soul.signals import Message
from support.graph import Process
from support.waiting import wait_until

pytestmark = [pytest.mark.ros, pytest.mark.e2e, pytest.mark.timeout(400)]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.long
@pytest.mark.parametrize('kills', [10, pytest.param(30, marks=pytest.mark.soak)])
def test_killed_again_and_again(witness, domain, home, tmp_path, kills):
    rng = random.Random(11)
    log = tmp_path / 'log'
    process = Process(
        ['-m', 'soul.bringup'],
        domain,
        home,
        log=str(log),
        speech_rate=60.0,
        daily_wakes=0,
    )
    acknowledged = []
    for number in range(kills):
        process_is_up(witness, process, log)
        for part in range(rng.randrange(1, 3)):
            text = f'{number}.{part}'
            answer = witness.post(Message(sender='ann', text=text), 1.0)
            if answer is not None and answer.accepted:
                acknowledged.append(answer.id)
            time.sleep(rng.uniform(0.0, 0.7))  # the kill comes at a random moment
        process.kill()
        process.start()
    process_is_up(witness, process, log)
    wait_until(lambda: waiting(witness) == 0, 60, 0.1)
    wait_until(lambda: witness.of('mind/state')[-1].phase == 'idle', 30)
    assert process.end() == 0, log.read_text()[-3000:]

    assert len(acknowledged) > kills * 0.8
    door = lines(home / 'door.jsonl')
    kept = {e['message']['id'] for e in door if e['kind'] == 'message'}
    assert set(acknowledged) <= kept, 'every acknowledged message is in the journal'
    answered = {e['reply']['in_reply_to'] for e in door if e['kind'] == 'reply'}
    assert set(acknowledged) <= answered, 'and every one is answered'

    session = lines(home / 'sessions' / 'life.jsonl')
    written = {e['reply']['id'] for e in session if e['kind'] == 'reply'}
    assert {r.id for r in witness.of('door/reply')} <= written, 'no answer was heard unwritten'
    turns = {(e['turn']['epoch'], e['turn']['sequence']) for e in session if e['kind'] == 'turn'}
    assert {(t.epoch, t.sequence) for t in witness.of('mind/turn')} <= turns

    with sqlite3.connect(home / 'guard.db') as db:
        acts = dict(db.execute('SELECT id, state FROM acts'))
    for act in witness.of('guard/act'):
        assert act.id in acts, 'no act was heard that is not in the audit'
        if act.state == 'done':
            assert acts[act.id] == 'done'
    assert not {'intended', 'executing'} & set(acts.values()), 'nothing is left in doubt unsaid'

    said = [e['act'] for e in lines(home / 'run' / 'device.jsonl') if e['e'] == 'say']
    assert len(said) == len(set(said)), 'no act is played twice'

    wakes = [w.id for w in witness.of('heart/wake')]
    assert len({w.epoch for w in wakes}) == 1, 'the heart never lost its state'
    numbers = [w.sequence for w in wakes]
    assert numbers == sorted(numbers), 'the clock of the wakes goes on'
    assert not list(home.rglob('*.corrupt*'))
    assert 'Traceback' not in log.read_text()


def process_is_up(witness, process, log):
    """Wait for the newest life: it says again who it is."""
    seen = len(witness.of('mind/state'))
    wait_until(
        lambda: (
            any(s.model_available for s in witness.of('mind/state')[seen:])
            or process.process.poll() is not None
        ),
        30,
    )
    assert process.process.poll() is None, log.read_text()[-3000:]


def waiting(witness):
    views = witness.of('field/view')
    return len(views[-1].message_ids) if views else 1
