"""What the mind remembers beside its ledger, as it stands in ``mind.json``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from soul.core.state_file import Shape, ShapeRefused
from soul.mind.turn_ledger import turn_from
from soul.store import AtomicFile, Unreadable


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


def read(file: AtomicFile) -> dict[str, Any] | None:
    """Return what the mind remembers, as plain values of a shape that holds; None: nothing.

    Raises
    ------
    Unreadable
        If it exists and cannot be read, or is of another shape.
    """
    plain = file.read()
    if plain is None:
        return None
    try:
        kept = Shape(MindMemory).read(plain)
    except ShapeRefused as refused:
        raise Unreadable(file.path, [str(refused)]) from None
    try:
        turn_from(kept.last_turn)
    except (KeyError, TypeError, ValueError) as error:
        raise Unreadable(file.path, [f'last_turn is no turn: {error!r}']) from None
    return plain


def write(file: AtomicFile, plain: Mapping[str, Any]) -> None:
    """Write what the mind remembers, with the number of its shape.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    file.write({**plain, 'schema': 1})
