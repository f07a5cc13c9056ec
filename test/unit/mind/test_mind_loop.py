"""The mind's event loop: what fails on it is told to whoever looks after the mind."""

import asyncio
import threading

from soul.mind.loop import LoopThread
from support.waiting import wait_until


def test_what_a_called_function_raises_is_told_and_the_loop_goes_on():
    """found 3: an exception in the mind was a line on the terminal and nothing else."""
    failed, done = [], threading.Event()

    def fail():
        raise ZeroDivisionError('a bug')

    loop = LoopThread('loop', failed.append)
    try:
        loop.call(fail)
        loop.call(done.set)
        assert done.wait(10)
        wait_until(lambda: failed)
        assert str(failed[0]) == 'a bug'
    finally:
        loop.close()


def test_a_task_that_nobody_asks_about_is_no_failure_of_the_mind():
    """found 3: who begins a task deals with it; a lost one must not begin her anew."""
    failed = []

    async def fail():
        raise ValueError('of a task')

    async def begin():
        task = asyncio.ensure_future(fail())
        await asyncio.wait([task])
        del task

    loop = LoopThread('loop', failed.append)
    try:
        loop.wait_for(begin(), 10.0)
        loop.wait_for(asyncio.sleep(0), 10.0)
        assert not failed
    finally:
        loop.close()
