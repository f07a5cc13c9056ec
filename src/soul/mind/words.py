"""What she reads beside her field, in one language: `config/mind/<language>.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from soul.text.phrases import Phrases, language_table

FOLDER = 'mind'


class Words(Phrases):
    """One language.

    Parameters
    ----------
    zone
        Time zone of the clock she reads; None: the host's.
    """

    def __init__(self, table: Mapping[str, Any], zone: tzinfo | None = None) -> None:
        super().__init__(table)
        self._zone = zone

    def time(self, now: float) -> str:
        """Say the date and the time."""
        local = datetime.fromtimestamp(now, self._zone).astimezone(self._zone)
        return self.say(
            'situation.time',
            weekday=self.get('weekdays')[local.weekday()],
            day=local.day,
            month=self.get('months')[local.month - 1],
            year=local.year,
            clock=f'{local:%H:%M}',
        )

    def when(self, at: float) -> dict[str, str]:
        """Return the weekday and the clock of a time, to fill in."""
        local = datetime.fromtimestamp(at, self._zone).astimezone(self._zone)
        return {'weekday': self.get('weekdays')[local.weekday()], 'clock': f'{local:%H:%M}'}

    def span(self, seconds: float) -> str:
        """Say how long something is, without a number."""
        for most, word in self.get('spans'):
            if seconds < most:
                return str(word)
        return self.say('spans_long')

    def causes(self, causes: Sequence[str]) -> str:
        """Say what woke her."""
        return '; '.join(self.maybe('causes', cause) or cause for cause in causes)


def load(language: str, zone: tzinfo | None = None) -> Words:
    """Read a language.

    Raises
    ------
    TableUnreadable
        If there is no such language, or it does not say all that English says.
    """
    return Words(language_table(FOLDER, language), zone)
