"""Puts a mind together from its parameters; knows no ROS, so that any program can have one."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from soul.mind import words
from soul.mind.archive import Archive
from soul.mind.config import MindConfig
from soul.mind.inside import Bare
from soul.mind.ledger import Ledger
from soul.mind.mind import Mind
from soul.mind.ports import Ports
from soul.mind.prompt import Identity, Prompt
from soul.mind.providers.base import Provider
from soul.mind.providers.choose import provider as chosen
from soul.mind.shares import Shares
from soul.mind.tools import kit
from soul.mind.tools.base import Tool, Toolbox
from soul.store import Home


@dataclass(frozen=True)
class Made:
    """A mind, what was wrong with its files, and how to let go of them."""

    mind: Mind
    anomalies: Sequence[str]
    close: Callable[[], None]


def build(
    config: MindConfig,
    ports: Ports,
    home: Home,
    rng: random.Random,
    memory: Mapping[str, Any] | None = None,
    provider: Provider | None = None,
    tools: Sequence[Tool[Any]] = (),
    identity: Identity | None = None,
) -> Made:
    """Put a mind together.

    Parameters
    ----------
    memory
        What the mind saved in an earlier life.
    provider
        What thinks; None: what the parameters name.
    tools
        Further tools, beside her own.
    identity
        See :class:`soul.mind.prompt.Prompt`.

    Raises
    ------
    ScriptError, TableUnreadable
        If a file that the parameters name cannot be used.
    """
    memory = memory or {}
    said = words.load(config.language)
    shares = Shares(memory.get('shares'))
    archive = Archive(home.path / 'sessions')
    own = kit.own(home.soul, shares)
    toolbox = Toolbox([*(kit.few(own) if config.compact else own), *tools])
    mind = Mind(
        config,
        ports,
        provider or chosen(config),
        toolbox,
        Prompt(said, config.persona, identity, config.compact),
        said,
        Bare(shares, said),
        Ledger(archive.life),
        archive.open,
        rng,
        memory,
        archive.past,
    )
    return Made(mind, archive.anomalies, archive.close)
