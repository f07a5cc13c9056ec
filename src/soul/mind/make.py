"""Makes the mind from what it is born with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from soul.core.context import OrganContext
from soul.core.organ import Report
from soul.core.output import Outputs
from soul.core.stopping import watch_stop_file
from soul.mind.compose import compose
from soul.mind.config import MindConfig
from soul.mind.housekeeping import Housekeeping
from soul.mind.loop import Loop, LoopThread
from soul.mind.mind_memory import mind_file
from soul.mind.organ import MindOrgan
from soul.mind.ports import Ports
from soul.mind.prompt import Identity
from soul.mind.providers.base import Provider
from soul.mind.providers.models import Models
from soul.mind.questions import OpenQuestions
from soul.mind.tools import mcp_file
from soul.mind.tools.base import Tool
from soul.mind.tools.mcp import START_SECONDS, McpServers

#: With a clock that is not the host's, it is looked at so often, s.
LOOK = 0.2


def make(
    birth: OrganContext[MindConfig],
    loop: Loop | None = None,
    provider: Provider | Models | None = None,
    tools: Sequence[Tool[Any]] = (),
    identity: Identity | None = None,
    backups: bool = True,
) -> MindOrgan:
    """Make the mind.

    Parameters
    ----------
    loop
        The event loop it lives on; None: one on a thread of its own.
    provider, tools, identity
        As in :func:`soul.mind.compose.compose`.
    backups
        Whether the daily backup is made, if the parameters name a folder for it.

    Raises
    ------
    StartRefused
        If something that the parameters name cannot be used.
    Unreadable
        If what it remembers cannot be read.
    """
    file = mind_file(birth.home.path / 'mind.json')
    kept = file.read()

    def emit(signal: Any) -> None:
        birth.inject(lambda now: (signal,))

    async def sleep(seconds: float) -> None:
        end = birth.clock() + seconds
        while (left := end - birth.clock()) > 0.0:
            await asyncio.sleep(min(LOOK, left))

    questions = OpenQuestions(emit)
    ports = Ports(
        now=birth.clock,
        sleep=birth.sleep or sleep,
        emit=emit,
        ask=questions.ask,
        lost=questions.lost,
        save=file.write,
        # McpServers are left alone in real time, or in that of a simulation.
        steady=birth.clock if birth.sleep else time.monotonic,
        pause=birth.sleep or asyncio.sleep,
    )

    def trouble(text: str) -> None:
        birth.inject(lambda now: (Report('error', text),))

    servers: McpServers | None = None
    if loop is None:
        loop = LoopThread('mind', lambda error: birth.inject(partial(_fail, error)))
        birth.on_close(loop.close)
        servers = _mcp_servers(birth, loop, trouble)
        if servers is not None:
            tools = [*tools, *loop.wait_for(servers.tools(), START_SECONDS)]
    made = compose(birth.config, ports, birth.home, birth.rng, kept, provider, tools, identity)
    if servers is not None and not made.config.compact:
        later = servers

        def found(new: Sequence[Tool[Any]]) -> None:
            names = ', '.join(made.toolbox.add(new))
            birth.inject(lambda now: (Report('info', f'she has further tools: {names}'),))

        loop.call(lambda: later.look_for_missing(found))
    for anomaly in (*file.anomalies, *made.anomalies):
        trouble(anomaly)
    organ = MindOrgan(made.mind, loop, questions.answered)
    birth.on_close(made.close)
    if backups and birth.config.backups:
        folder = birth.home.path / Path(birth.config.backups).expanduser()
        house = Housekeeping(birth.home.path, folder, birth.clock, trouble)
        birth.on_close(house.start().close)
    watch_stop_file(birth, organ.on_stop_file)
    return organ


def _mcp_servers(
    birth: OrganContext[MindConfig], loop: Loop, trouble: Callable[[str], None]
) -> McpServers | None:
    """Make the MCP servers that the parameters name.

    Their tools are found once, at the start: a list that changed while she lives would cost the
    provider's cache. Only what was not there then comes later.
    """
    if not birth.config.mcp_servers:
        return None
    servers = McpServers(mcp_file.read(birth.config.mcp_servers), trouble)
    birth.on_close(lambda: loop.wait_for(servers.close(), 5.0))
    return servers


def _fail(error: Exception, now: float) -> Outputs:
    """Let the organ fail where its supervisor sees it."""
    raise error
