"""What the heart remembers, as it stands in ``heart.json``.

Times are seconds since 1970 of the node's clock, pressures and levels 0..1. A number that is odd
or beyond its range is no reason to refuse the file: whoever takes it brings it within its range.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from soul.signals import SenseEvent, Wake, WakeId

#: (epoch, sequence) of a wake, as the file has it.
Numbered = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StateMemory:
    """Her inner state and when it was so.

    Parameters
    ----------
    drives
        Amount of each drive by its name, each in its own unit.
    lux
        None: unknown.
    lived_until
        None: she was not born yet.
    """

    drives: dict[str, float | None] = field(default_factory=dict)
    pressure: float | None = None
    asleep: bool = False
    lux: float | None = None
    lived_until: float | None = None


class FeltTurn(NamedTuple):
    """A turn that has been felt; a list in the file."""

    epoch: int
    sequence: int
    waking: bool  # it counts as a waking
    novel: bool  # something new happened in it
    decided: tuple[str, ...]  # drives whose level it has set


@dataclass(frozen=True, slots=True)
class TurnsMemory:
    """The newest turns, oldest first, and the wakings without anything new `before` them."""

    entries: tuple[FeltTurn, ...] = ()
    epochs: tuple[int, ...] = ()
    before: int = 0


class Sleep(NamedTuple):
    """The sleep she is in; a list in the file."""

    since: float
    asked: float  # minutes she chose; 0: she did not say
    forced: bool  # somebody else's wish


@dataclass(frozen=True, slots=True)
class SchedulerMemory:
    """When she wakes by herself: the cause of a wake that is overdue, and her sleep."""

    overdue: str = ''
    slept: Sleep | None = None


@dataclass(frozen=True, slots=True)
class OpenWake:
    """A wake that has not begun; as :class:`~soul.signals.Wake`, without NaN."""

    stamp: float
    id: WakeId
    causes: tuple[str, ...]
    reasons: tuple[str, ...]
    message_ids: tuple[str, ...]
    events: tuple[SenseEvent, ...]
    rate_per_hour: float
    since_last: float | None  # s; None or 0: unknown

    @classmethod
    def of(cls, wake: Wake) -> OpenWake:
        """Return what is kept of a wake."""
        return cls(
            wake.stamp,
            wake.id,
            wake.causes,
            wake.reasons,
            wake.message_ids,
            wake.events,
            wake.rate_per_hour,
            wake.since_last,
        )

    def wake(self) -> Wake:
        """Return the wake itself."""
        return Wake(
            self.stamp,
            self.id,
            self.causes,
            self.reasons,
            self.message_ids,
            self.events,
            self.rate_per_hour,
            self.since_last or 0.0,
        )


@dataclass(frozen=True, slots=True)
class WakesMemory:
    """Her wakes: up to which number they are reserved, the last one and the one still open."""

    epoch: int
    reserved: int = 0
    last: Numbered = (0, 0)
    dream: Numbered = (0, 0)
    open: OpenWake | None = None
    last_at: float | None = None


class Nudge(NamedTuple):
    """A reason somebody gave for waking her; a list in the file."""

    reason: str
    by_body: bool  # her own body did


class CarriedNudges(NamedTuple):
    """Nudges that a wake has taken along; a list in the file."""

    epoch: int
    sequence: int
    nudges: tuple[Nudge, ...]


@dataclass(frozen=True, slots=True)
class CallersMemory:
    """Who wants her. Knocks are not kept: the field knocks again.

    `nudges` that are plain texts are from before it mattered who nudges.
    """

    nudges: tuple[Nudge | str, ...] = ()
    carried: tuple[CarriedNudges, ...] = ()
    known: tuple[str, ...] = ()  # ids of messages that have knocked


@dataclass(frozen=True, slots=True)
class HeartMemory:
    """All that the heart remembers.

    Parameters
    ----------
    unconsolidated
        Wakings and talks not dreamt over yet.
    rest_until, rest_minutes
        The rest she is in; 0: none.
    held
        What held her down and what stirred her when it was written: factors on the wake rate.
    """

    life: StateMemory
    turns: TurnsMemory
    pace: SchedulerMemory
    wakes: WakesMemory
    callers: CallersMemory
    arousal: float | None = 0.0
    unconsolidated: float | None = 0.0
    rest_until: float | None = 0.0
    rest_minutes: float | None = 0.0
    held: tuple[float | None, float | None] = (0.0, 1.0)
    schema: int = 1
