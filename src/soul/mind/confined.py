"""Work on what comes from outside, in a process of its own that can be ended.

A page, a schema or a pattern of somebody else's may take for ever, or all memory there is, and
nothing within one interpreter can be interrupted. So such work is done by a child process with
limits of time and memory; when it takes too long, or nobody waits for it any more, the child is
killed and the next piece of work gets a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import anyio

#: Longest piece of work, s.
SECONDS = 10.0
#: The child is ready after at most so long, s; a busy machine takes its time for that.
START_SECONDS = 30.0
#: Longest answer, bytes.
LARGEST = 16 << 20
#: So much memory the child may take, bytes.
MEMORY = 768 << 20


class WorkFailed(Exception):
    """A piece of work was not done: it took too long or too much, or is wrong in itself."""


class Confined:
    """One child process, begun when it is needed; one piece of work at a time.

    Parameters
    ----------
    seconds
        Longest piece of work, s, from when the child is ready.
    modules
        What the work needs: the child loads it before it is ready, so that a busy machine takes
        no time from the first piece.
    """

    def __init__(self, seconds: float = SECONDS, modules: Sequence[str] = ()) -> None:
        self._seconds = seconds
        self._modules = tuple(modules)
        self._child: asyncio.subprocess.Process | None = None
        self._turn: asyncio.Lock | None = None

    async def run(self, work: str, **arguments: Any) -> Any:
        """Do a piece of work.

        Parameters
        ----------
        work
            Name of a function of :mod:`soul.mind.confined_work`.
        arguments
            Its arguments, of JSON.

        Raises
        ------
        WorkFailed
            Saying why.
        """
        if self._turn is None:
            self._turn = asyncio.Lock()
        line = json.dumps({'work': work, 'arguments': arguments}).encode() + b'\n'
        async with self._turn:
            whole = False
            try:
                with anyio.fail_after(START_SECONDS):
                    child = await self._ready()
                with anyio.fail_after(self._seconds):
                    answer = await self._asked(child, line)
                whole = True
            except TimeoutError:
                raise WorkFailed(f'it took longer than {self._seconds:g} s') from None
            except (OSError, asyncio.IncompleteReadError, ValueError):
                raise WorkFailed('it took more memory than it may, or broke') from None
            finally:
                if not whole:  # also when nobody waits any more
                    self.kill()
        if 'error' in answer:
            raise WorkFailed(str(answer['error']))
        return answer.get('result')

    async def _ready(self) -> asyncio.subprocess.Process:
        child = self._child
        if child is None or child.returncode is not None:
            child = self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                '-m',
                'soul.mind.confined_work',
                str(MEMORY),
                str(os.getpid()),
                *self._modules,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=LARGEST,
            )
            assert child.stdout is not None
            if await child.stdout.readline() != b'ready\n':
                raise ValueError('it did not start')
        return child

    async def _asked(self, child: asyncio.subprocess.Process, line: bytes) -> dict[str, Any]:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(line)
        await child.stdin.drain()
        answer = json.loads(await child.stdout.readuntil(b'\n'))
        if not isinstance(answer, dict):
            raise ValueError('no answer')
        return answer

    def kill(self) -> None:
        """End the child at once; the next piece of work gets another one."""
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()

    async def close(self) -> None:
        """End the child and wait for it."""
        child = self._child
        self.kill()
        if child is not None:
            await child.wait()
