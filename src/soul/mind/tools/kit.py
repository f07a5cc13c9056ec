"""All her tools, in the order in which a model reads of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from soul.mind.config import MindConfig
from soul.mind.confined import Confined
from soul.mind.memory import Memory
from soul.mind.pages import SoulDirectory
from soul.mind.shares import Shares
from soul.mind.tools import plugins
from soul.mind.tools.attention import ATTEND, EXPECT
from soul.mind.tools.base import Tool
from soul.mind.tools.body import EXPRESS, LOOK, SPEAK, STATUS
from soul.mind.tools.door import REPLY
from soul.mind.tools.machine import linux
from soul.mind.tools.memories import memories
from soul.mind.tools.pages import pages
from soul.mind.tools.rest import CONTROL, SLEEP, WAIT
from soul.mind.tools.sharing import share
from soul.mind.tools.web import Search, Web, read_page, search_web
from soul.mind.tools.workbench import workbench as bench

#: So much of a page is read at a time, characters.
PAGE, PAGE_COMPACT = 5500, 1500
#: What a model that can read only little is told of.
COMPACT = frozenset(('sleep', 'reply', 'speak', 'look', 'diary', 'remember', 'recall'))


def body_and_door(shares: Shares) -> list[Tool[Any]]:
    """Return the tools that need nothing of her own: rest, people, body, attention."""
    return [
        SLEEP,
        REPLY,
        SPEAK,
        LOOK,
        WAIT,
        CONTROL,
        STATUS,
        EXPRESS,
        ATTEND,
        EXPECT,
        share(shares),
    ]


def outside(config: MindConfig, workbench: Path, confined: Confined) -> list[Tool[Any]]:
    """Return the tools that reach outward and those of other packages.

    Parameters
    ----------
    confined
        Reads what comes from outside.

    Raises
    ------
    BadPlugin
        If a package brings something that is no tool.
    """
    tools: list[Tool[Any]] = [bench(workbench)]
    if config.search != 'none':
        engine = Search(config.search, config.search_url, config.search_key_env)
        tools.append(search_web(engine))
    if config.web_pages:
        tools.append(read_page(Web(), confined, PAGE_COMPACT if config.compact else PAGE))
    if config.machine_url:
        tools.append(linux(config.machine_url, config.machine_token_env))
    return [*tools, *plugins.load()]


def inner(directory: SoulDirectory, memory: Memory) -> list[Tool[Any]]:
    """Return the tools of her pages and her memory."""
    return [*pages(directory), *memories(memory)]


def capabilities(tools: Iterable[Tool[Any]]) -> dict[str, str]:
    """Return what she could make her own: name -> description."""
    return {tool.name: tool.description for tool in tools if not tool.routine}


def few(tools: Iterable[Tool[Any]]) -> list[Tool[Any]]:
    """Return those that a model with a small window is told of."""
    return [tool for tool in tools if tool.name in COMPACT]
