"""Killed at random instants of scripted wakings: tool calls, accounts of the past, reflecting.

Each life is a forked process that is killed with -9. Whatever it had told the outside before
must be on the disk, no act may be done twice, and each transcript must be one that a strict
provider takes.
"""

import asyncio
import contextlib
import json
import os
import random
import signal
import time

import pytest

from soul.mind.archive import Archive
from soul.mind.mind_memory import mind_file
from soul.mind.providers.base import Completion, ToolCall, Usage
from soul.mind.transcript import problems
from soul.signals import Act, AttendAnswer, Reply, SpeakAnswer, Turn, View
from support.crashes import fork
from support.messages import typed
from support.minds import World, make, message, until, view

pytestmark = pytest.mark.usefixtures('quick_disk')

SETTLED = {'ceiling_tokens': 4000, 'keep_tokens': 800}


class Log:
    """What the outside knows: lines that are written before the process can be killed."""

    def __init__(self, path):
        self.path = path
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def note(self, kind, what):
        os.write(self._file, f'{kind} {what}\n'.encode())

    def read(self):
        found = {}
        for line in self.path.read_text().splitlines():
            kind, _, what = line.partition(' ')
            found.setdefault(kind, []).append(what)
        return found


class Outside(World):
    """Speaks once for each request, and notes what it is told."""

    def __init__(self, log):
        super().__init__()
        self.log = log
        self.now = time.time()

    async def ask(self, to, request, seconds):
        if to == 'speak':
            self.log.note('spoken', request.text)
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(
                self.mind.on_act, Act(id=request.text, state='done', receipt=request.text)
            )
            return SpeakAnswer(True, request.text)
        return AttendAnswer(True, '', View())

    def ports(self):
        ports = super().ports()
        emit = ports.emit

        def heard(signal_):
            if isinstance(signal_, Reply):
                self.log.note('replied', f'{signal_.id} {signal_.in_reply_to} {signal_.text}')
            if isinstance(signal_, Turn):
                self.log.note('turn', f'{signal_.sequence} {signal_.wake.sequence}')
                self.log.note('seen', ' '.join(('-', *signal_.messages_answered)))
            emit(signal_)

        object.__setattr__(ports, 'emit', heard)
        return ports


class Script:
    """Lives each waking alike, with words of its own; notes what it has read the results of."""

    name = 'script'

    def __init__(self, log):
        self.log = log

    async def complete(self, request, heard):
        await asyncio.sleep(0)
        if request.purpose != 'waking':
            return Completion('What happened: this and that.', usage=Usage(50, 0, 10))
        wake = request.view.wake.sequence
        label = f'w{wake}'
        for result in request.messages[-3:] if request.step == 1 else ():
            if result.role == 'tool' and result.text.startswith('Written: DIARY'):
                self.log.note('diary', label)
        steps = [
            [('diary', {'text': f'{label} happened, and it was not like the others'}),
             ('remember', {'text': f'{label} is a number nobody else has had, {wake * 7919}'})],
            [('speak', {'text': label})],
            [('reply', {'text': f'for {label}', 'message': f'm{wake}'})],
            [('reflect', {'text': f'I am who lived until {label}.'})] if wake % 3 == 0 else
            [('keep', {'text': f'{label} is still open'})],
            [('sleep', {})],
        ]  # fmt: skip
        wanted = steps[min(request.step, 4)]
        calls = tuple(
            ToolCall(f'{label}-{request.step}-{n}', name, json.dumps(arguments))
            for n, (name, arguments) in enumerate(wanted)
        )
        return Completion(f'thinking of {label} ' + 'hm ' * 30, '', calls, Usage(200, 100, 30))

    async def close(self):
        pass


def life(home, log, first):
    """Live until killed."""

    async def live():
        world = Outside(log)
        memory = mind_file(home / 'mind.json')
        world.save = memory.write
        mind = make(home, Script(log), world, memory=memory.read(), **SETTLED)
        mind.start()
        mind.activate()
        number = first
        while True:
            log.note('wake', number)
            mind.on_view(view(number, message(number), tick=number))
            turns = len(world.turns)
            await until(lambda n=turns: len(world.turns) > n, 20)
            for _ in range(random.Random(number).choice((0, 30))):
                await asyncio.sleep(0)  # quiet time, in which the past is shortened
            number += 1

    asyncio.run(live())


def killed(home, log, first, seconds, in_a_waking):
    """Live and be killed: so long after the start, or after a waking has begun."""
    child = fork()
    if child == 0:
        code = 1
        with contextlib.suppress(KeyboardInterrupt):
            try:
                life(home, log, first)
            finally:
                os._exit(code)
    deadline = time.monotonic() + 20.0
    # it may have gone on to later wakings before anybody looks
    while in_a_waking and int(log.read().get('wake', ['0'])[-1]) < first:
        assert time.monotonic() < deadline, 'it does not wake'
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), 'it ended by itself: see above'


def transcripts(home):
    """Open her sessions as a restart does, and return what lies on the disk then."""
    archive = Archive(home / 'sessions')
    session = archive.open('')
    history = session.history()
    archive.close()
    raw = []
    for path in sorted((home / 'sessions').glob('life*.jsonl'), reverse=True):
        raw += [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    return history, raw, archive.anomalies


@pytest.mark.long
@pytest.mark.parametrize('kills', [40, pytest.param(200, marks=pytest.mark.soak)])
def test_killed_again_and_again(tmp_path, kills):
    rng = random.Random(20261130)
    home, log = tmp_path / 'home', Log(tmp_path / 'outside.log')
    home.mkdir()
    for kill in range(kills):
        first = int(log.read().get('wake', ['0'])[-1]) + 1
        killed(home, log, first, rng.uniform(0.0, 0.12), rng.random() < 0.8)
        if kill % 10 == 9:
            history, raw, _ = transcripts(home)
            assert problems(history) == []
            assert problems([typed(e['message']) for e in raw if e['kind'] == 'message']) == []
    log.note('wake', int(log.read()['wake'][-1]) + 1)
    outside = log.read()

    spoken = outside['spoken']
    assert len(spoken) == len(set(spoken)), 'no act is done twice'
    assert len(spoken) > kills // 8, 'it has lived enough to show anything'

    _, raw, _ = transcripts(home)
    written = {e['reply']['id'] for e in raw if e['kind'] == 'reply'}
    told = {line.split()[0] for line in outside['replied']}
    assert told <= written, 'what was answered is on the disk'
    answered = [line.split()[1] for line in outside['replied']]
    for message_id in set(answered):
        ids = {line.split()[0] for line in outside['replied'] if line.split()[1] == message_id}
        assert len(ids) == 1, 'answered once, however often it is told'

    soul = home / 'soul'
    diary = (soul / 'DIARY.md').read_text()
    assert [label for label in outside['diary'] if f'{label} happened' not in diary] == []
    ended = {line.split()[0] for line in outside['turn']}
    kept = {str(e['turn']['sequence']) for e in raw if e['kind'] == 'turn'}
    assert ended <= kept | {str(n) for n in range(min(map(int, kept)))}
    begun = [e['wake'][1] for e in raw if e['kind'] == 'begun']
    assert len(begun) == len(set(begun)), 'no wake is lived twice'
    assert any((home / 'sessions').glob('life.json')), 'its past was shortened'
    assert (soul / 'SELF.history.md').exists(), 'it has reflected'
