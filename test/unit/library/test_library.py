"""Her in somebody's own asyncio program: conversations, tools, tasks, identity, a restart."""

import asyncio

import pytest
from pydantic import Field, ValidationError

from soul.core.organ import StartRefused
from soul.library import AnswersLater, Arguments, Life, NotTaken, Result, Task, Tool
from soul.mind.providers.base import ProviderError
from soul.signals import View
from soul.store import AtomicFile, Home, HomeInUse, Unreadable
from support.minds import calls
from support.waiting import still
from support.worlds.library import QUIET, Model, latest, run, until

pytestmark = pytest.mark.usefixtures('quick_disk')


def test_a_conversation_and_a_restart_that_is_a_nap(tmp_path):
    async def first():
        async with Life(str(tmp_path), QUIET) as life:
            answer = await life.ask('are you there?', 'Trent')
            assert 'are you there?' in answer
            status = life.status()
            assert status['model'] == 'echo'
            assert status['guards'] == {'stopped': False, 'paused': False, 'reason': ''}
            assert 0.0 <= status['energy'] <= 1.0
            assert 'door.arrival' in status['readings']
            await until(lambda: life.status()['phase'] == 'idle')
            assert set(life.status()['stage_seconds']) >= {'thinking', 'reply'}
            return life.status()['wakings']

    async def second():
        async with Life(str(tmp_path), QUIET) as life:
            assert life.status()['wakings'] >= before
            assert 'again' in await life.ask('again?', 'Trent')

    before = run(first())
    assert before >= 1
    run(second())


def test_tools_of_ones_own_are_hers_and_what_they_show_is_seen(tmp_path):
    class Query(Arguments):
        query: str = Field(description='What about.')

    asked = []

    async def notes(arguments, hands):
        asked.append(arguments.query)
        return Result('whales sing', seen='notes: whales sing', receipt='notes')

    tool = Tool('notes', 'Search my notes.', Query, notes, routine=False)
    model = Model(calls(('notes', '{"query": "whales"}')))

    async def life():
        async with Life(str(tmp_path), QUIET, tools=[tool], provider=model) as life:
            await life.post('look it up', 'Trent')
            await until(lambda: len(model.requests) >= 2)
            view: View = latest(life, 'field/view')
            assert 'whales sing' in view.text
            await until(lambda: life.status()['phase'] == 'idle')

    run(life())
    assert asked == ['whales']
    assert 'notes' in [t['function']['name'] for t in model.requests[0].tools]
    assert 'whales sing' in model.read(1)


def test_tasks_stand_at_the_door_until_they_are_done(tmp_path):
    tasks = [Task('t1', 'back up the photographs', 0.9)]

    async def life():
        async with Life(str(tmp_path), QUIET, tasks=lambda: tasks, tasks_seconds=0.02,
                        provider=Model()) as life:  # fmt: skip
            await life.ask('hello')
            assert 'back up the photographs' in latest(life, 'field/view').text
            tasks.clear()
            listed = []
            life.listen('door/tasks', listed.append)
            await until(lambda: listed and not listed[-1].tasks)
            await life.ask('and now?')
            items = latest(life, 'field/view')
            assert not [i for i in (*items.close, *items.around) if i.kind == 'task' and
                        not i.resolved]  # fmt: skip

    run(life())


def test_an_identity_of_ones_own_sees_what_she_sees(tmp_path):
    model = Model()

    def identity(view):
        return f'CANON for {len(view.messages)} messages'

    async def life():
        async with Life(str(tmp_path), QUIET, identity=identity, provider=model) as life:
            await life.ask('hello')

    run(life())
    assert 'CANON for 1 messages' in model.requests[0].messages[0].text


def test_stopped_she_keeps_what_is_said_and_answers_when_she_may(tmp_path):
    async def life():
        async with Life(str(tmp_path), QUIET) as life:
            await life.ask('hello')
            await life.stop()
            await until(lambda: life.status()['phase'] == 'stopped')
            said = life.replies()
            waiting = asyncio.ensure_future(anext(said))
            await life.post('later then')
            await still()
            assert not waiting.done() or not waiting.result().is_final
            await life.resume()
            while 'later then' not in (await waiting).text:
                waiting = asyncio.ensure_future(anext(said))

    run(life())


def test_who_asks_is_told_when_she_cannot_answer_and_waits_no_longer_than_he_said(tmp_path):
    class Broken(Model):
        async def complete(self, request, heard):
            raise ProviderError('the model cannot be reached')

    async def life():
        async with Life(str(tmp_path / 'a'), QUIET, provider=Broken()) as life:
            with pytest.raises(AnswersLater, match='cannot be reached'):
                await life.ask('hello')
        silent = Model(*[calls(('sleep', '{}'))] * 5)
        async with Life(str(tmp_path / 'b'), QUIET, provider=silent) as life:
            with pytest.raises(asyncio.TimeoutError):
                await life.ask('hello', seconds=0.5)
            message = await life.post('half a \ud800 surrogate')
            assert message
        (tmp_path / 'b' / 'door.jsonl').read_text()
        with pytest.raises(StartRefused, match='mnd'):
            await Life(str(tmp_path / 'c'), {'mnd': {}}).start()

    run(life())


def test_what_cannot_be_is_refused(tmp_path):
    async def life():
        async with Life(str(tmp_path), QUIET) as life:
            with pytest.raises(NotTaken, match='empty'):
                await life.post('   ')
            with pytest.raises(HomeInUse):
                await Life(str(tmp_path), QUIET).start()
        with pytest.raises(ValidationError, match='waking_seconds'):
            await Life(str(tmp_path), {'mind': {'waking_seconds': -1}}).start()
        with pytest.raises(RuntimeError, match='does not live'):
            Life(str(tmp_path)).status()
        async with Life(str(tmp_path), QUIET) as life:  # nothing of it was left locked
            assert await life.ask('hello')

    run(life())


@pytest.mark.parametrize('name', ['field.json', 'heart.json', 'guard.json', 'mind.json'])
def test_state_of_another_shape_is_refused_and_kept(tmp_path, name):
    async def life():
        where = Home(tmp_path / 'home').ensure()
        file = AtomicFile(where.path / name)
        file.write({'ledger': 5})
        before = file.path.read_bytes()
        for _ in range(2):  # nothing was left locked
            with pytest.raises(Unreadable, match=rf'{name} cannot be read \('):
                await Life(str(where.path), QUIET).start()
        assert file.path.read_bytes() == before

    run(life())


def test_without_a_body_she_cannot_speak_aloud_and_reads_why(tmp_path):
    model = Model(calls(('speak', '{"text": "hi"}')))

    async def life():
        async with Life(str(tmp_path), QUIET, provider=model) as life:
            await life.post('speak up')
            await until(lambda: len(model.requests) >= 2)

    run(life())
    assert 'did not happen' in model.read(1)
