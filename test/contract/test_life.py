"""The same promises for a whole life in a program of one's own."""

import asyncio
import contextlib
import resource

import pytest

from soul.core.organ import Organ
from soul.library import Life, NotTaken, Task
from soul.signals import Act, GuardState, MindState, SpeakRequest
from support.worlds.fortnight import PlainBody
from support.worlds.library import QUIET, Model, run, until

pytestmark = pytest.mark.usefixtures('quick_disk')

FREE = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


@contextlib.contextmanager
def no_room():
    """The kernel refuses every write to a file, as a full disk does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    try:
        yield
    finally:  # also before a failure is written down
        resource.setrlimit(resource.RLIMIT_FSIZE, FREE)


def made(tmp_path, **more):
    reports = []
    more.setdefault('provider', Model())
    return Life(str(tmp_path), QUIET, report=lambda *line: reports.append(line), **more), reports


def test_a_life_outlives_a_full_disk(tmp_path):
    """`ask` hung, the life was dead with an OSError, and nobody heard of it."""
    life, reports = made(tmp_path)

    async def live():
        async with life:
            assert await life.ask('hello', 'Trent') == 'you said hello'
            await until(lambda: life.status()['phase'] == 'idle')
            with no_room():
                with pytest.raises(NotTaken, match=r'door\.jsonl'):
                    await life.ask('are you there?', 'Trent', seconds=8)
                with pytest.raises(NotTaken):
                    await life.post('still?', 'Trent')
                told = [text for _, level, text in list(reports) if level == 'error']
            assert any('door.jsonl' in text for text in told), told
            assert await life.ask('and now?', 'Trent', seconds=20) == 'you said and now?'

    run(live())


@pytest.mark.parametrize('where', ['start', 'hear', 'due', 'step', 'says'])
def test_a_bug_of_somebodys_organ_never_ends_her(tmp_path, where):
    """An exception in an organ of the program ended the whole life without a word."""

    class Faulty(Organ):
        hears = {'mind/state': MindState}
        says = {'guard/state': GuardState}

        def start(self, now):
            if where == 'start':
                raise ZeroDivisionError('a bug')
            return [object()] if where == 'says' else ()

        def on_mind_state(self, state, now):
            if where == 'hear':
                raise ZeroDivisionError('a bug')
            return ()

        def due(self):
            if where == 'due':
                raise ZeroDivisionError('a bug')
            return 0.0 if where == 'step' else float('inf')

        def step(self, now):
            raise ZeroDivisionError('a bug')

    life, reports = made(tmp_path, organs={'faulty': Faulty()})

    async def live():
        async with life:
            assert await life.ask('hello', 'Trent') == 'you said hello'

    run(live())
    errors = [text for name, level, text in reports if name == 'faulty' and level == 'error']
    assert 'faulty failed' in errors[0]
    assert 'stays down' in errors[1]


def test_tasks_that_cannot_be_told_once_are_told_later(tmp_path):
    """One exception of the program ended its tasks for good."""
    calls = []

    def tasks():
        calls.append(1)
        if len(calls) == 1:
            raise ValueError('not now')
        return [Task('t1', 'back up the photographs', 0.9)]

    life, reports = made(tmp_path, tasks=tasks, tasks_seconds=0.02)
    heard = []

    async def live():
        async with life:
            life.listen('door/tasks', heard.append)
            await until(lambda: heard)

    run(live())
    assert heard[0].tasks[0].id == 't1'
    assert any('not now' in text for _, level, text in reports if level == 'error')


def test_she_reads_why_her_body_refuses(tmp_path):
    """The reason was lost on the way: `gave no reason`."""
    body = PlainBody()
    body.broken = True
    life, _ = made(tmp_path, organs={'body': body})
    acts = []

    async def live():
        async with life:
            life.listen('guard/act', acts.append)
            answer = await life.call('speak', SpeakRequest('hello', '', 'test', ''))
            assert answer.answer.accepted
            await until(lambda: any(act.state == 'failed' for act in acts))

    run(live())
    failed: Act = next(act for act in acts if act.state == 'failed')
    assert 'the body is broken' in failed.detail


def test_a_report_that_fails_is_no_fault_of_hers(tmp_path):
    async def live():
        def report(*line):
            raise ValueError('a bug of the program')

        life = Life(
            str(tmp_path), {**QUIET, 'mind': {}}, provider=Model(), tasks=lambda: 1 / 0,
            report=report,
        )  # fmt: skip
        async with life:
            assert await asyncio.wait_for(life.ask('hello', 'Trent'), 20) == 'you said hello'

    run(live())
