"""Puts a mind together from its parameters; knows no ROS, so that any program can have one."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from soul.core import persona
from soul.core.organ import Report, StartRefused
from soul.mind import words
from soul.mind.archive import Archive
from soul.mind.config import MindConfig
from soul.mind.confined import Confined
from soul.mind.inside import Pages
from soul.mind.memory import Memory
from soul.mind.mind import Mind
from soul.mind.mind_memory import MindMemory
from soul.mind.pages import SchemaTooNew, SoulDirectory
from soul.mind.pages.canon import Canon
from soul.mind.ports import Ports
from soul.mind.prompt import Identity, Prompt
from soul.mind.providers.base import Provider
from soul.mind.providers.choose import models as chosen
from soul.mind.providers.choose import prices
from soul.mind.providers.models import Models, OnlyOne
from soul.mind.shares import Shares
from soul.mind.tools import kit
from soul.mind.tools.base import Tool, Toolbox
from soul.mind.turn_ledger import TurnLedger
from soul.store import Home
from soul.text.tables import TableUnreadable


@dataclass(frozen=True)
class Made:
    """A mind, what was wrong with its files, and how to let go of them.

    `config` are its parameters with what is known of the model.
    """

    mind: Mind
    config: MindConfig
    toolbox: Toolbox
    anomalies: Sequence[str]
    close: Callable[[], None]


def compose(
    config: MindConfig,
    ports: Ports,
    home: Home,
    rng: random.Random,
    memory: MindMemory | None = None,
    provider: Provider | Models | None = None,
    tools: Sequence[Tool[Any]] = (),
    identity: Identity | None = None,
) -> Made:
    """Put a mind together.

    Parameters
    ----------
    memory
        What the mind saved in an earlier life.
    provider
        What thinks, one backend or several; None: what the parameters name.
    tools
        Further tools, beside her own.
    identity
        See :class:`soul.mind.prompt.Prompt`.

    Raises
    ------
    StartRefused
        If a file or package that the parameters name cannot be used.
    """
    try:
        return _compose(config, ports, home, rng, memory, provider, tools, identity)
    except (TableUnreadable, SchemaTooNew) as error:
        raise StartRefused(f'mind: {error}') from error
    except OSError as error:
        raise StartRefused(f'mind: her home cannot be used: {error}') from error


def _compose(
    config: MindConfig,
    ports: Ports,
    home: Home,
    rng: random.Random,
    memory: MindMemory | None,
    provider: Provider | Models | None,
    tools: Sequence[Tool[Any]],
    identity: Identity | None,
) -> Made:
    models = _models(config, home, provider, ports)
    config = config.fitting(models.window, models.pictures)
    said = words.load(config.language)
    who = persona.load(config.persona)
    shares = Shares(memory.shares if memory is not None else ())
    archive = Archive(home.path / 'sessions', lambda text: ports.emit(Report('warning', text)))
    confined = Confined()
    reach = kit.outside(config, home.path / 'workbench', confined)
    outer = [*kit.body_and_door(shares), *reach, *tools]
    known = kit.few(outer) if config.compact else outer
    directory = SoulDirectory(home.soul, who, config.language, kit.capabilities(known))
    notes = Memory(home.path / 'memory', config.language, pages=directory.recalled())
    ledger = TurnLedger(archive.life)
    own = [*outer, *kit.inner(directory, notes)]
    toolbox = Toolbox(kit.few(own) if config.compact else own, config.compact)
    mind = Mind(
        config,
        ports,
        models,
        toolbox,
        Prompt(said, who.character, identity, config.compact),
        said,
        Pages(directory, notes, Canon(_folder(who.canon)), shares, said, config.compact),
        ledger,
        archive.open,
        rng,
        memory,
        archive.past,
    )
    archive.forget()

    def close() -> None:
        archive.close()
        notes.close()
        confined.kill()

    anomalies = (*archive.anomalies, *ledger.anomalies, *directory.anomalies, *notes.anomalies)
    return Made(mind, config, toolbox, anomalies, close)


def _folder(path: str) -> Path | None:
    return Path(path) if path else None


def _models(
    config: MindConfig, home: Home, provider: Provider | Models | None, ports: Ports
) -> Models:
    if provider is None:
        return chosen(
            config, home.path, lambda trouble: ports.emit(Report('warning', trouble)), ports.steady
        )
    if isinstance(provider, Models):
        return provider
    return OnlyOne(provider, prices(config))
