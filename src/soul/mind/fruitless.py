"""Ends a waking in which nothing has any effect, step after step."""

from __future__ import annotations

from collections.abc import Sequence

from soul.mind.cut import Cut
from soul.mind.tools.base import Result
from soul.signals import Outcome

#: So much of the last result is told, characters.
TOLD = 200


class Fruitless:
    """Counts steps in a row of which no call had an effect.

    Parameters
    ----------
    most
        So many are one too many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._steps = 0

    def count(self, came: Sequence[Result]) -> None:
        """Count a step by what came of its calls.

        Raises
        ------
        Cut
            If that was one too many.
        """
        if not came:
            return
        self._steps = 0 if any(one.ok for one in came) else self._steps + 1
        if self._steps >= self._most:
            why = ' '.join(came[-1].text.split())[:TOLD]
            detail = f'{self._most} steps in a row had no effect, the last one: {why}'
            raise Cut(Outcome.CUT, detail, failed=True)
