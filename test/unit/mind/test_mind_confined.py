"""What comes from outside is worked on in a process that can be ended."""

import asyncio
import base64
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from soul.mind.confined import Confined, WorkFailed
from support.waiting import wait_until


def children():
    """Numbers of the processes that this one has started."""
    tasks = Path(f'/proc/{os.getpid()}/task').glob('*/children')
    return {int(number) for task in tasks for number in task.read_text().split()}


def lives(pid):
    """Whether a process runs; a corpse that nobody has buried yet does not."""
    try:
        with open(f'/proc/{pid}/stat') as stat:
            return stat.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except (FileNotFoundError, ProcessLookupError):
        return False


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 60))


def page(content, kind='text/html'):
    return {'content': base64.b64encode(content).decode(), 'kind': kind}


CATASTROPHE = {'type': 'object', 'properties': {'a': {'pattern': '^(a+)+$'}}}
HOSTILE = {
    'work': 'check',
    'schema': CATASTROPHE,
    'arguments': {'a': 'a' * 60 + '!'},
}


def test_a_pattern_that_never_ends_is_ended_and_the_next_piece_of_work_is_done():
    """found 45: no answer in 10 s under a schema with a catastrophic pattern."""

    async def life():
        confined = Confined(2.0, ('jsonschema',))
        await confined.run('check', schema={}, arguments={})
        with pytest.raises(WorkFailed, match='longer than'):
            await confined.run(**HOSTILE)
        confined = Confined(20.0)
        fits = await confined.run('check', schema=CATASTROPHE, arguments={'a': 'aaa'})
        wrong = await confined.run('check', schema=CATASTROPHE, arguments={'a': 'b'})
        await confined.close()
        assert fits == ''
        assert 'does not match' in wrong

    run(life())


def test_the_loop_goes_on_while_it_works_and_giving_up_ends_the_process():
    """found 45: nothing from outside runs on the loop; a stop waits for none of it."""

    async def life():
        before = children()
        confined = Confined(30.0)
        await confined.run('check', schema={}, arguments={})
        (child,) = children() - before
        task = asyncio.ensure_future(confined.run(**HOSTILE))
        longest = 0.0
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            begun = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - begun)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert longest < 5.0, 'the loop was never held'
        while lives(child):
            await asyncio.sleep(0.01)
        assert await confined.run('check', schema={}, arguments={}) == ''
        await confined.close()

    run(life())


@pytest.mark.parametrize(
    'content',
    [
        b'<a ' * 40_000,
        b'<div>' * 100_000,
        b'<!' * 60_000,
        b'<p ' + b'x=' * 60_000,
        b'&' * 200_000,
        b'<script>' * 20_000,
        b'\0' * 100_000,
    ],
)
def test_a_hostile_page_is_read_or_given_up(content):
    """found 45: a page of 120 kB of `<a ` held the stop for more than 60 s."""

    async def life():
        confined = Confined(5.0)
        with contextlib.suppress(WorkFailed):
            await confined.run('page_text', **page(content))
        assert await confined.run('page_text', **page(b'<p>well')) == 'well'
        await confined.close()

    run(life())


def test_deep_nesting_is_no_crash():
    """found 45: a tree as deep as its page is walked by calls."""

    async def life():
        confined = Confined(20.0)
        text = await confined.run('page_text', **page(b'<div>' * 5000 + b'deep <b>down'))
        assert 'deep' in text
        await confined.close()

    run(life())


@pytest.mark.parametrize(
    ('schema', 'word'),
    [
        ({'$ref': '#'}, 'without end'),
        ({'properties': {'a': {'$ref': 'http://127.0.0.1:1/x.json'}}}, 'not fetched'),
        ({'properties': {'a': {'pattern': '(['}}}, 'regex'),
        ({'properties': 5}, 'object'),
        ({'type': 'thing'}, 'thing'),
        ({'properties': {'a': {'$ref': '#/nowhere'}}, 'required': []}, ''),
        ({'properties': {'a': {'type': 'string'}}}, ''),
    ],
)
def test_what_is_wrong_with_a_schema_is_said(schema, word):
    """found 59: loops, bad patterns and wrong types failed every turn; a URL was fetched."""

    async def life():
        confined = Confined(20.0)
        said = await confined.run('schema_problem', schema=schema)
        await confined.close()
        assert word in said
        assert bool(said) == bool(word)

    run(life())


def test_the_child_ends_with_a_parent_that_is_killed():
    """found 45: killed in the middle of a pattern, she left a process that computed for ever."""
    program = (
        'import asyncio, sys\n'
        'from soul.mind.confined import Confined\n'
        'async def life():\n'
        '    confined = Confined(60.0)\n'
        '    await confined.run("check", schema={}, arguments={})\n'
        '    print(confined._child.pid, flush=True)\n'
        f'    await confined.run(**{HOSTILE!r})\n'
        'asyncio.run(life())\n'
    )
    with subprocess.Popen(
        [sys.executable, '-c', program], stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        parent.kill()
    wait_until(lambda: not Path(f'/proc/{child}').exists())
