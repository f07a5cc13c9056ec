"""Says when a provider's cache forgets between two wakings, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from soul.core.organ import Report
from soul.mind.providers.model_entry import Prices

#: So many of the newest wakings say how often she wakes; with fewer the heart's rate does.
NEWEST, LEAST = 50, 5
DAY = 86400.0


@dataclass(frozen=True)
class CacheTerms:
    """What is known of a provider's cache.

    Attributes
    ----------
    model
        Whose it is.
    seconds
        How long it keeps what was read, s; 0: not known.
    prices
        What the model costs; None: not known.
    """

    model: str = ''
    seconds: float = 0.0
    prices: Prices | None = None


class CacheWatch:
    """Says it once, as soon as the heart has told how often she wakes.

    Parameters
    ----------
    past
        Entries of her ledger, oldest first; without enough of them the heart's rate counts.
    length
        Returns how many tokens a waking begins with.
    emit
        Is given the report.
    """

    def __init__(
        self,
        terms: CacheTerms,
        past: Iterable[Mapping[str, Any]],
        length: Callable[[], int],
        emit: Callable[[Report], None],
    ) -> None:
        self._terms = terms
        self._interval = mean_interval(past)
        self._length = length
        self._emit = emit
        self._said = not terms.seconds

    def hear(self, rate_per_hour: float) -> None:
        """Hear the heart's rate."""
        if self._said or not (self._interval or rate_per_hour > 0.0):
            return
        self._said = True
        interval = self._interval or 3600.0 / rate_per_hour
        if told := advice(self._terms, interval, self._length()):
            self._emit(Report('warning', told))


def mean_interval(past: Iterable[Mapping[str, Any]]) -> float:
    """Return how long it was from one waking to the next on average, s; 0: not known.

    Parameters
    ----------
    past
        Entries of her ledger, oldest first.
    """
    stamps = [
        entry['turn']['stamp']
        for entry in past
        if entry.get('kind') == 'turn'
        and isinstance(entry.get('turn'), Mapping)
        and isinstance(entry['turn'].get('stamp'), (int, float))
    ][-NEWEST:]
    if len(stamps) >= LEAST and stamps[-1] > stamps[0]:
        return (stamps[-1] - stamps[0]) / (len(stamps) - 1)
    return 0.0


def advice(terms: CacheTerms, interval: float, tokens: int) -> str:
    """Say that the cache is cold at each waking, and what it costs; empty: it is not.

    Parameters
    ----------
    interval
        From one waking to the next, s.
    tokens
        That a waking begins with.
    """
    if not terms.seconds or not interval or interval <= terms.seconds:
        return ''
    costs = ''
    if terms.prices is not None:
        cold = terms.prices.cost(0, 0, tokens, 0)
        more = cold - terms.prices.cost(0, tokens, 0, 0)
        costs = (
            f', about {more:.3f} USD more than from the cache, {more * DAY / interval:.2f} USD a '
            'day'
        )
    return (
        f'the cache of {terms.model} keeps what was read for {_time(terms.seconds)}, but she '
        f'wakes every {_time(interval)}: each waking reads about {tokens:,} tokens anew{costs}. A '
        'longer lifetime (`cache_seconds` in models.yaml, where the provider sells one), a '
        'shorter history (`ceiling_tokens`) or a cheaper model helps'
    )


def _time(seconds: float) -> str:
    if seconds < 100.0:
        return f'{seconds:.0f} s'
    minutes = seconds / 60.0
    return f'{minutes:.0f} min' if minutes < 100.0 else f'{minutes / 60.0:.1f} h'
