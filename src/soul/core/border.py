"""The one border for what comes in: every signal is checked here before an organ hears it.

What a field may hold stands in its annotation (`soul.signals.limits`). From that a check is made
once for each type of signal, with all that is nested in it. What does not fit is brought to fit
(a number clamped or unknown, a text or list cut) or the signal is refused, as the field says;
either way it is counted and told with the topic, the field and the value, and never an exception.
Texts are cut before anything else is done with them.

Beside the limits, every text loses what no file or wire can carry (NUL, half surrogates), and
names lose what cannot be seen. What a text pretends to be is the business of whoever shows it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from soul.core.fitting import Finding, fit
from soul.core.organ import Health, Report

#: A field of a topic is told in the log at most once in this time, s.
PAUSE = 60.0


@dataclass(slots=True)
class _Count:
    times: int = 0
    told_at: float = -math.inf
    last: str = ''


@dataclass(frozen=True, slots=True)
class Passed:
    """What became of a signal at the border."""

    signal: Any  # None: refused
    reason: str = ''  # why, for whoever asked
    reports: tuple[Report, ...] = ()  # lines for the log


@dataclass
class Border:
    """Checks what one organ, or all of a process, hears, and counts what did not fit."""

    _counts: dict[tuple[str, str], _Count] = field(default_factory=dict)
    _newest: float = -math.inf  # when something did not fit last

    def admit(self, topic: str, signal: Any, now: float) -> Passed:
        """Check a signal.

        Parameters
        ----------
        topic
            Where it came: a topic, service or action.
        now
            Seconds of any clock that the log goes by.
        """
        kept, found = fit(signal)
        if not found:
            return Passed(signal)
        reports = [r for finding in found if (r := self._count(topic, finding, now))]
        last = found[-1]
        reason = f'{last.field} {last.what} (it is {last.value})' if kept is None else ''
        return Passed(kept, reason, tuple(reports))

    def _count(self, topic: str, finding: Finding, now: float) -> Report | None:
        count = self._counts.setdefault((topic, finding.field), _Count())
        count.times += 1
        count.last = f'{finding.what}: {finding.value}'
        self._newest = now
        if 0.0 <= now - count.told_at < PAUSE:
            return None
        count.told_at = now
        times = f', {count.times} times by now' if count.times > 1 else ''
        return Report('warning', f'{topic}: {finding.field} {count.last}{times}')

    def values(self) -> dict[str, str]:
        """What did not fit, by topic and field, for /diagnostics."""
        return {
            f'border {topic}.{name}': f'{count.times} times; the last {count.last}'
            for (topic, name), count in self._counts.items()
        }

    def health(self, health: Health, now: float) -> Health:
        """Add what did not fit to an organ's health: a warning while it is fresh."""
        if not self._counts:
            return health
        values: Mapping[str, str] = {**health.values, **self.values()}
        fresh = 0.0 <= now - self._newest < PAUSE
        if health.level != 'ok' or not fresh:
            return Health(health.level, health.message, values)
        return Health('warn', 'something that came in did not fit', values)
