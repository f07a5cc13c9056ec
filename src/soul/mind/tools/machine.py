"""Her own machine: one command at a time on a Linux box that somebody gave her.

The contract is SoulScript Loop's: `POST {url}/exec` with a bearer token and
`{"command", "cwd", "timeout"}`; the answer is `{"exit", "stdout", "stderr", "timed_out", "cwd"}`.
Commands never run on the computer that runs her. A reference server is `tools/machine_server.py`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import anyio
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from soul.mind import bounded
from soul.mind.tools.addresses import BadAddress, only_private
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.mind.tools.granted import Executed, granted
from soul.signals import ActState

if TYPE_CHECKING:
    import httpx

CATEGORY = 'machine'
#: Longest time of a command, s. The guard's grant lasts a little longer.
LONGEST = 100
#: What the answer's way back may take beside the command's own time, s.
SLACK = 10.0
#: Largest answer, bytes.
LARGEST = 2_000_000


class LinuxArguments(Arguments):
    """Arguments of linux."""

    command: str = Field(min_length=1, max_length=20_000, description='One bash command.')
    cwd: str = Field('', max_length=1000, description='Where; empty: where you were last.')
    timeout: int = Field(60, ge=1, le=LONGEST, description='How long it may take, s.')


class _Answer(BaseModel):
    model_config = ConfigDict(extra='ignore', defer_build=True)
    exit: int | None = None
    stdout: str = ''
    stderr: str = ''
    timed_out: bool = False
    cwd: str = ''


class Machine:
    """The client of the exec contract.

    Parameters
    ----------
    url
        Address of the server, without `/exec`. Only an address that is not public is used.
    token_env
        Environment variable that holds the token.
    """

    def __init__(self, url: str, token_env: str) -> None:
        self._url = url.rstrip('/')
        self._token_env = token_env
        self._cwd = ''

    async def run(self, given: LinuxArguments) -> Executed:
        """Run a command; how it went is always known, or said to be in doubt."""
        import httpx  # only when it is used: it takes a while

        body = {
            'command': given.command,
            'cwd': given.cwd or self._cwd,
            'timeout': given.timeout,
        }
        token = os.environ.get(self._token_env, '')
        headers = dict(bounded.PLAIN)
        if token:
            headers['Authorization'] = f'Bearer {token}'
        try:
            await only_private(self._url)
            async with (
                httpx.AsyncClient(
                    timeout=httpx.Timeout(given.timeout + SLACK, connect=10.0), trust_env=False
                ) as client,
                client.stream('POST', f'{self._url}/exec', json=body, headers=headers) as response,
            ):
                with anyio.fail_after(given.timeout + SLACK):
                    content = await bounded.whole(response, LARGEST)
        except BadAddress as wrong:
            return Executed(f'Your machine was not asked: {wrong}.', ActState.FAILED)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return Executed(f'Your machine cannot be reached: {error}.', ActState.FAILED)
        except bounded.TooMuch as error:
            return Executed(f'Your machine answered something that is no result; it may have run '
                        f'({error}).', ActState.UNCERTAIN)  # fmt: skip
        except (httpx.HTTPError, TimeoutError) as error:
            return Executed(f'Your machine gave no answer; it may have run ({error}).',
                        ActState.UNCERTAIN)  # fmt: skip
        return self._read(response, content)

    def _read(self, response: httpx.Response, content: bytes) -> Executed:
        if response.status_code in (401, 403):
            words = f'Your machine refuses the token in ${self._token_env}.'
            return Executed(words, ActState.FAILED)
        if response.status_code != 200:
            said = content[:400].decode('utf-8', 'replace')[:200]
            state = ActState.UNCERTAIN if response.status_code >= 500 else ActState.FAILED
            return Executed(f'Your machine answered {response.status_code}: {said}', state)
        try:
            answer = _Answer.model_validate_json(content)
        except (ValidationError, ValueError):
            words = 'Your machine answered something that is no result; it may have run.'
            return Executed(words, ActState.UNCERTAIN)
        self._cwd = answer.cwd or self._cwd
        parts = [f'exit {answer.exit}'] if answer.exit is not None else []
        if answer.timed_out:
            parts.append('(it took too long and was ended)')
        parts += [f'in {answer.cwd}'] if answer.cwd else []
        text = ' '.join(parts)
        for name, said in (('', answer.stdout), ('stderr:\n', answer.stderr)):
            if said.strip():
                text += f'\n{name}{said.rstrip()}'
        return Executed(text, seen=text[:2000])


def linux(url: str, token_env: str) -> Tool[Any]:
    """The tool of her machine."""
    machine = Machine(url, token_env)

    async def run(given: LinuxArguments, context: ToolContext) -> Result:
        return await granted(context, 'linux', CATEGORY, given.command, lambda: machine.run(given))

    return Tool(
        name='linux',
        description='Run one bash command on your own Linux machine.',
        arguments=LinuxArguments,
        run=run,
        routine=False,
        category=CATEGORY,
        origin='tool',
    )
