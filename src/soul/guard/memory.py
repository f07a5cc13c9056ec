"""What the guard remembers beside its database, as it stands in ``guard.json``."""

from __future__ import annotations

from dataclasses import dataclass

#: Tokens, cost (USD) and wakings, each from 0.
Counts = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class LedgerMemory:
    """What is counted of her energy.

    Parameters
    ----------
    used
        In the present day.
    counted
        Counters of the mind up to which everything is counted; None: it was never heard.
    epoch
        Of the mind that `counted` is of.
    month, month_cost
        The present month, as 2026-12, and what it has cost, USD.
    counted_at, resets_at
        When something was counted last, and when the next day begins: s since 1970, 0 unknown.
    """

    used: Counts
    counted: Counts | None = None
    epoch: int | None = None
    counted_at: float = 0.0
    resets_at: float = 0.0
    month: str = ''
    month_cost: float = 0.0


@dataclass(frozen=True, slots=True)
class GuardMemory:
    """All that the guard remembers; whether she is stopped is the affair of the STOP file.

    `stop_epoch` counts the stops; `audited` and `audit_digest` are number and digest of the newest
    row of the audit when this was written.
    """

    ledger: LedgerMemory
    stop_epoch: int = 0
    paused: bool = False
    audited: int = 0
    audit_digest: str = ''
    schema: int = 1
