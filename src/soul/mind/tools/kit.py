"""All her tools, in the order in which a model reads of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from soul.mind.shares import Shares
from soul.mind.tools import pages
from soul.mind.tools.attention import ATTEND, EXPECT
from soul.mind.tools.base import Tool
from soul.mind.tools.body import EXPRESS, LOOK, SPEAK, STATUS
from soul.mind.tools.door import REPLY
from soul.mind.tools.rest import CONTROL, SLEEP, WAIT
from soul.mind.tools.sharing import share

#: What a model that can read only little is told of.
COMPACT = frozenset(
    ('sleep', 'reply', 'speak', 'look', 'diary', 'remember', 'recall', 'keep', 'wait')
)


def own(soul_directory: Path, shares: Shares) -> list[Tool[Any]]:
    """Return the tools that come with her; her pages lie in the soul directory."""
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
        pages.diary(soul_directory),
        pages.mood(soul_directory),
    ]


def few(tools: Iterable[Tool[Any]]) -> list[Tool[Any]]:
    """Return those that a model with a small window is told of."""
    return [tool for tool in tools if tool.name in COMPACT]
