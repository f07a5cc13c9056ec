"""How long a key or a model is left alone after it has failed.

Nobody asks during a pause, so nothing prolongs it. What a server has said about how long it wants
to be left alone counts more than anybody's hurry.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from soul.core.backoff import Backoff
from soul.mind.providers.base import Fault, ProviderError

#: First and longest pause, s, by whose fault it was.
PAUSES = {
    Fault.AGAIN: (2.0, 300.0),
    Fault.MODEL: (300.0, 3600.0),
    Fault.KEY: (3600.0, 24 * 3600.0),
}


@dataclass
class _Pause:
    ends: float
    wanted: bool  # the server has said so
    fault: str


@dataclass
class _Trouble:
    pauses: dict[str, Backoff] = field(default_factory=dict)  # by fault
    pause: _Pause | None = None


class Cooldowns:
    """The pauses of all.

    Parameters
    ----------
    clock
        Seconds that only grow, also while the machine is suspended.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._troubles: dict[Hashable, _Trouble] = {}

    def failed(self, who: Hashable, error: ProviderError) -> None:
        """Leave somebody alone for a while."""
        fault = error.fault if error.fault in PAUSES else Fault.AGAIN
        trouble = self._troubles.setdefault(who, _Trouble())
        pauses = trouble.pauses.setdefault(fault, Backoff(*PAUSES[fault]))
        seconds = max(pauses.next(), error.after)
        trouble.pause = _Pause(self._clock() + seconds, error.after > 0.0, fault)

    def worked(self, who: Hashable) -> None:
        """Somebody has answered: the next pause is the shortest again."""
        self._troubles.pop(who, None)

    def free_in(self, who: Hashable) -> float:
        """How long somebody is left alone, s; 0: may be asked."""
        trouble = self._troubles.get(who)
        if trouble is None or trouble.pause is None:
            return 0.0
        return max(0.0, trouble.pause.ends - self._clock())

    def fault(self, who: Hashable) -> str:
        """Why somebody is left alone, one of :class:`Fault`; empty: it is not."""
        trouble = self._troubles.get(who)
        if trouble is None or trouble.pause is None or self.free_in(who) == 0.0:
            return ''
        return trouble.pause.fault

    def sooner(self, who: Hashable) -> bool:
        """End somebody's pause, unless the server wanted it; whether it may be asked now.

        The next failure's pause is longer all the same.
        """
        trouble = self._troubles.get(who)
        if trouble is not None and trouble.pause is not None and not trouble.pause.wanted:
            trouble.pause = None
        return self.free_in(who) == 0.0
