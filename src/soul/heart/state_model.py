"""Her inner state and how it lives through time: drives, sleep pressure, asleep or awake."""

from __future__ import annotations

import math
from collections.abc import Iterable

from soul.heart.drives import Drives
from soul.heart.local_clock import DAY
from soul.heart.memory import StateMemory
from soul.heart.rate_forecast import HeartParams, Modulation, RateForecast
from soul.heart.sleep import AHEAD, BRIGHT_NIGHT, DARK_DAY, Span
from soul.text.numbers import number

#: Sleep pressure at birth; she is born awake (Heart and Twin).
FIRST_PRESSURE = 0.2
#: Of a longer absence only this last part is lived through, s. A year is enough for every drive
#: to be full and for sleep to find its rhythm, so the state is the same; a clock that wakes in
#: 1970 and is set right costs no time.
LONGEST = 366 * DAY


class StateModel:
    """State that lives through time exactly, however it is cut into steps.

    Parameters
    ----------
    memory
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(self, params: HeartParams, memory: StateMemory | None = None) -> None:
        memory = memory or StateMemory()
        self.params = params
        self.drives = Drives(params.kinds, memory.drives)
        self.pressure = number(memory.pressure, 0.0, 1.0, FIRST_PRESSURE)
        self.asleep = memory.asleep
        self.lux = number(memory.lux, -1.0, 1e9, math.nan)
        # NaN: not born yet
        self.at = number(memory.lived_until, 0.0, 1e11, math.nan)
        self._switch: float | None = None
        self._looked = -math.inf  # up to where a switch was looked for

    def memory(self) -> StateMemory:
        """Return what must survive."""
        return StateMemory(
            dict(self.drives.amounts),
            self.pressure,
            self.asleep,
            None if math.isnan(self.lux) else self.lux,
            None if math.isnan(self.at) else self.at,
        )

    def live(self, now: float) -> None:
        """Live through the time until now: fall asleep and wake at the exact moments.

        A `now` before the last one is a clock that was set back: time goes on from there.
        """
        if math.isnan(self.at) or now < self.at:
            self.at = now
            self._forget()
        if now - self.at > LONGEST:
            self.drives.live(now - LONGEST - self.at, self.asleep)
            self.at = now - LONGEST
            self._forget()
        while True:
            switch = self.switch()
            if switch is None or switch > now:
                if self._looked >= now:
                    break
                self._advance(self._looked)
                continue
            self._advance(switch)
            self.asleep = not self.asleep
            self._forget()
        self._advance(now)

    def _advance(self, to: float) -> None:
        if to > self.at:
            self.drives.live(to - self.at, self.asleep)
            self.pressure = self._span().pressure_at(to)
            self.at = to

    def _span(self) -> Span:
        return Span(self.params.sleeper, self.at, self.pressure, self.asleep, self.lux)

    def _forget(self) -> None:
        self._switch, self._looked = None, -math.inf

    def switch(self) -> float | None:
        """When she falls asleep or wakes next; None if not within two days."""
        if self._switch is None and self._looked <= self.at:
            self._looked = self.at + AHEAD
            self._switch = self._span().switch(self._looked)
        return self._switch

    def due(self) -> float:
        """When to look at her again, so that she falls asleep and wakes in time."""
        switch = self.switch()
        return self._looked if switch is None else switch

    def tire(self, effort: float) -> None:
        """Add to the sleep pressure; she may fall asleep at once."""
        if effort:
            self.pressure = min(1.0, max(0.0, self.pressure + effort))
            self._forget()
            self.live(self.at)

    def light(self, lux: float) -> bool:
        """See how bright it is; True if that moves her body clock."""
        before, self.lux = self.lux, lux
        changed = _band(before) != _band(lux)
        if changed:
            self._forget()
            self.live(self.at)
        return changed

    def ease(self, acts: Iterable[str], spared: Iterable[str] = ()) -> None:
        """Feel what has been done."""
        self.drives.ease(acts, spared)

    def forecast(self, modulation: Modulation) -> RateForecast:
        """Return the future from now, if nothing happens."""
        return RateForecast(
            self.params,
            modulation,
            self.at,
            dict(self.drives.amounts),
            self.pressure,
            self.asleep,
            self.switch(),
        )


def _band(lux: float) -> int:
    """Which of the three bands that move the body clock: dark, neither or unknown, bright."""
    return -1 if lux < DARK_DAY else int(lux > BRIGHT_NIGHT)
