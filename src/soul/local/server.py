"""Starts and ends the model server, which runs in a process of its own."""

from __future__ import annotations

import json
import platform
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from soul.local.errors import LocalModelError
from soul.local.settings import WINDOW
from soul.text.resources import resource

#: Longest time until it listens, and until it has loaded the weights, s.
START_SECONDS = 120.0
#: Longest time it may take to end, s.
END_SECONDS = 5.0
#: How often it is asked whether it is ready, s.
LOOK = 0.1
#: So much of what it wrote last is told if it fails, characters.
TAIL = 400


def command(weights: Path) -> list[str]:
    """Return the command that serves weights."""
    return [
        *(sys.executable, '-m', 'soul.local.serving'),
        *('--weights', str(weights)),
        *('--template', str(resource('local/chat.jinja'))),
        *('--window', str(WINDOW)),
    ]


class ModelServer:
    """A model server of this process; it ends with it.

    Parameters
    ----------
    words
        The command. It says `{"address": ...}` or `{"error": ...}` in a line of its standard
        output and ends when its standard input does.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._process = subprocess.Popen(
            list(words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            bufsize=0,  # a line that was read ahead would be waited for in vain
            start_new_session=True,  # Ctrl-C ends her first, and her the server
        )
        self.address = ''

    def __enter__(self) -> ModelServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def base_url(self) -> str:
        """Address for an OpenAI client."""
        return f'{self.address}/v1'

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self._process.pid

    def death(self) -> str:
        """Say how it has ended; empty: it runs."""
        code = self._process.poll()
        return '' if code is None else f'{_why(code)}{self._tail()}'

    def ready(
        self,
        seconds: float = START_SECONDS,
        stopped: Callable[[], bool] = lambda: False,
    ) -> ModelServer:
        """Wait until it answers.

        Parameters
        ----------
        stopped
            Whether nobody wants it any more.

        Raises
        ------
        LocalModelError
            If it ends or does not answer in time; says why.
        """
        end = time.monotonic() + seconds
        try:
            self.address = self._announced(end)
            while not self._healthy():
                self._check(end)
                if stopped():
                    raise LocalModelError('the local model is not wanted any more')
                time.sleep(LOOK)
        except BaseException:
            self.close()
            raise
        return self

    def _announced(self, end: float) -> str:
        """Read the address from its first lines; others are of its libraries."""
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0.0, end - time.monotonic())):
                    self._check(end)
                line = self._process.stdout.readline()
                if not line:
                    self._process.wait(END_SECONDS)
                    self._check(end)
                said = _said(line)
                if 'error' in said:
                    raise LocalModelError(f'the local model does not start: {said["error"]}')
                if 'address' in said:
                    return str(said['address'])

    def _healthy(self) -> bool:
        try:
            return httpx.get(f'{self.address}/health', timeout=2.0, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    def _check(self, end: float) -> None:
        code = self._process.poll()
        if code is not None:
            raise LocalModelError(f'the local model does not start: {_why(code)}{self._tail()}')
        if time.monotonic() >= end:
            raise LocalModelError(f'the local model did not answer in time{self._tail()}')

    def _tail(self) -> str:
        self._log.seek(0)
        text = ' '.join(self._log.read().decode(errors='replace').split())
        return f': … {text[-TAIL:]}' if text else ''

    def close(self) -> None:
        """End the server's process and wait for it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()


def _said(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _why(code: int) -> str:
    """Say what an exit code means."""
    if code == -signal.SIGILL:
        return (
            f'this processor ({platform.processor() or platform.machine()}) lacks instructions '
            'that it needs (AVX2 on x86-64)'
        )
    if code == -signal.SIGKILL:
        return 'it was killed; it needs 2 GB of memory'
    return f'it ended with code {code}'
