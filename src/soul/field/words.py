"""The words of her field in one language, from `config/view/<language>.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from soul.field.beliefs import Observation
from soul.field.clean import Cleaner
from soul.text.phrases import Phrases, language_table

FOLDER = 'view'
BAR_CELLS = 10
#: Sources whose traces are remembered.
MOST_TRACES = 1000


class FieldWords(Phrases):
    """One language.

    Parameters
    ----------
    table
        What the language file holds.
    figures
        Whether amounts are written as numbers; otherwise only in words and bars.
    zone
        Time zone of the clock she sees; None: the host's.
    """

    def __init__(
        self, table: Mapping[str, Any], figures: bool = False, zone: tzinfo | None = None
    ) -> None:
        super().__init__(table)
        self.figures = figures
        self._zone = zone
        self._traces: dict[tuple[str, str], str] = {}

    def pick(self, name: str, number: int) -> str:
        """Say one of a list; the last one for all numbers above."""
        choices: Sequence[str] = self._table[name]
        return choices[min(max(0, number), len(choices) - 1)]

    def cleaner(self) -> Cleaner:
        """Make what keeps the outside from speaking like the field in this language."""
        openings = ('mood', 'pulled', 'back', 'slipped', 'new_at_edge')
        return Cleaner(
            [self.say(name) for name in ('field', 'focus', 'close', 'around', 'edge', 'alerts')],
            [self.say(name).split('{')[0].rstrip() for name in openings],
        )

    # --- time -----------------------------------------------------------------------------

    def local(self, now: float) -> datetime:
        """Return the time she sees."""
        return datetime.fromtimestamp(now, self._zone).astimezone(self._zone)

    def date(self, now: float) -> str:
        """Return a time as date and clock in her language; `at` in s since 1970."""
        local = self.local(now)
        return self.say(
            'date',
            weekday=self._table['weekdays'][local.weekday()],
            day=local.day,
            month=self._table['months'][local.month - 1],
        )

    def clock(self, now: float) -> str:
        """Say the part of the day and the time."""
        local = self.local(now)
        return self.say('clock', daypart=self.daypart(now), hour=local.hour, minute=local.minute)

    def daypart(self, now: float) -> str:
        """Say the part of the day: night until 5, morning until 12, afternoon 17, evening 22."""
        hour = self.local(now).hour
        part = (
            'night'
            if hour < 5 or hour >= 22
            else 'morning'
            if hour < 12
            else ('afternoon' if hour < 17 else 'evening')
        )
        return self.say(f'dayparts.{part}')

    def age(self, seconds: float) -> str:
        """Return a length of time in her language, in its largest unit."""
        if self.figures:
            return amount(seconds, 'seconds')
        for limit, words in self._table['ages']:
            if seconds <= limit:
                return str(words)
        return self.say('ages_ago')

    # --- things ---------------------------------------------------------------------------

    def source(self, source: str) -> str:
        """Name where something comes from."""
        return self.maybe('sources', source) or source

    def trace(self, kind: str, source: str, age: float = 0.0, resolved: bool = False) -> str:
        """Say what is left of a thing at the edge."""
        if kind == 'message':
            if resolved:
                return self.say('traces.answered')
            if age >= 60.0:
                return self.say('traces.message_age', age=self.age(age))
        trace = self._traces.get((kind, source))
        if trace is None:
            if len(self._traces) > MOST_TRACES:
                self._traces.clear()
            trace = self.maybe('traces', kind) or self.say('from', source=self.source(source))
            self._traces[kind, source] = trace
        return trace

    def alert(self, seen: Observation, unit: str) -> str:
        """Say in words how a prediction missed."""
        side = 'more' if seen.direction > 0 else 'less'
        known = self._table['features'].get(seen.name, {})
        words = known.get(side) or self.say(f'other_feature.{side}', name=seen.name)
        if not self.figures or seen.expected is None:
            return str(words)
        expected = (
            amount(seen.expected, unit) if unit or seen.expected > 1 else (f'{seen.expected:.2f}')
        )
        return self.say('figures', words=words, raw=amount(seen.raw, unit), expected=expected)


def amount(value: float, unit: str) -> str:
    """Write an amount shortly: 40s, 14m, 1.5h, 3d, 1.2k."""
    if unit == 'seconds':
        for limit, size, letter in ((90, 1, 's'), (5400, 60, 'm'), (172800, 3600, 'h')):
            if value < limit:
                return f'{value / size:.1f}h' if letter == 'h' else f'{value / size:.0f}{letter}'
        return f'{value / 86400:.0f}d'
    if unit == 'tokens':
        return f'{value / 1000:.1f}k' if value >= 1000 else f'{value:.0f}'
    return f'{value:.3g}' + {'degrees': '°C', 'percent': '%'}.get(unit, '')


def bar(level: float, cells: int = BAR_CELLS) -> str:
    """Draw a level from 0 to 1."""
    full = round(min(1.0, max(0.0, level)) * cells)
    return '▮' * full + '▱' * (cells - full)


def load(language: str, figures: bool = False, zone: tzinfo | None = None) -> FieldWords:
    """Read a language.

    Parameters
    ----------
    language
        Name of a file in `config/view` without .yaml, or the path of a YAML file.

    Raises
    ------
    TableUnreadable
        If there is no such language, or it does not say all that English says.
    """
    return FieldWords(language_table(FOLDER, language), figures, zone)
