"""What the mind remembers beside its ledger, as it stands in ``mind.json``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soul.core.state_file import ShapeRefused, StateFile
from soul.mind.turn_ledger import turn_from


@dataclass(frozen=True, slots=True)
class SharedThought:
    """A thought she wants to share, and since when, s since 1970."""

    text: str
    since: float


@dataclass(frozen=True, slots=True)
class MindMemory:
    """All that the mind remembers.

    Parameters
    ----------
    epoch, sequence
        Number of the newest turn.
    begun
        The newest wake that has begun: (epoch, sequence).
    counters
        Tokens, cost (USD) and wakings of her whole life; what cannot be a count begins anew.
    last_turn
        As :func:`~soul.mind.turn_ledger.turn_from` reads it; None: there was none.
    energy
        The guard's last word, as :class:`~soul.signals.Energy`; None: it has not spoken.
    later
        Ids of messages whose senders know that she answers later.
    dealt
        Ids of messages that were dealt with, and whether they were answered.
    told
        Ids of acts whose end she knows.
    shares
        What she wants to share.
    """

    epoch: int
    counters: dict[str, Any]
    sequence: int = 0
    begun: tuple[int, int] = (0, 0)
    last_turn: dict[str, Any] | None = None
    energy: Any = None
    later: tuple[str, ...] = ()
    dealt: tuple[tuple[str, bool], ...] = ()
    told: tuple[str, ...] = ()
    shares: tuple[SharedThought, ...] = field(default_factory=tuple)
    schema: int = 1


def checked(memory: MindMemory) -> MindMemory:
    """Return what was read if its last turn is one.

    Raises
    ------
    ShapeRefused
        If it is none.
    """
    try:
        turn_from(memory.last_turn)
    except (KeyError, TypeError, ValueError) as error:
        raise ShapeRefused(f'last_turn is no turn: {error!r}') from None
    return memory


def mind_file(path: Path) -> StateFile[MindMemory]:
    """Return the file of the mind's memory."""
    return StateFile(path, MindMemory, checked)
