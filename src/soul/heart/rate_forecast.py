"""How her wake rate goes on from one moment if nothing happens: exact, with a proven bound.

Between two signals everything is known in closed form: drives rise, sleep pressure rises or
falls, the circadian process follows the clock, the rest is constant. A :class:`RateForecast` is
that future, and cuts it into segments without jumps.

The bound of a segment [l, r]: awake, the mean drive rises, so it is highest at r; S rises, so it
is lowest at l; C is highest at its peak if that lies between, or else at l or r. The rate rises in
each of mean, C and -S, so the rate at these three extremes bounds it. Asleep it is constant but
for a drop when S falls below 0.2, so the rate at l bounds it. `ROUNDING` covers the last bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from soul.heart.drives import ASLEEP_SPEED, HOUR, Drives
from soul.heart.local_clock import Window
from soul.heart.rate import asleep_rate, awake_rate
from soul.heart.sleep import AHEAD, Sleeper, Span, light_shift
from soul.heart.tables import DriveKind

ROUNDING = 1.0 + 1e-12


@dataclass(frozen=True)
class HeartParams:
    """What does not change while she lives."""

    sleeper: Sleeper
    kinds: Mapping[str, DriveKind]
    base_rate: float = 4.0  # lambda0, 1/h
    gamma: float = 2.0
    rest_damping: float = 0.1


@dataclass(frozen=True, slots=True)
class Modulation:
    """What holds still between two signals."""

    inhibition: float = 1.0  # product of the factors and the activity knob
    stir: float = 1.0  # arousal and energy
    lux: float = math.nan
    unconsolidated: float = 0.0
    rest_until: float = 0.0  # s; the rate is damped until then
    rest_floor: float = 0.0  # lowest rate after the rest, 1/h, while awake; 0: none


@dataclass(frozen=True, slots=True)
class RateSegment:
    """A span of time in which the rate has no jump upwards, and is at most `bound`."""

    left: float
    right: float
    bound: float  # 1/h
    forecast: RateForecast


@dataclass(frozen=True)
class RateForecast:
    """The future from `start`, with the state at that time."""

    params: HeartParams
    modulation: Modulation
    start: float
    amounts: Mapping[str, float]
    pressure: float
    asleep: bool
    switch_at: float | None = None  # when she falls asleep or wakes, if it is known already
    _terms: list[tuple[float, float]] = field(init=False, repr=False, default_factory=list)
    _lines: list[tuple[float, float, float]] = field(init=False, repr=False, default_factory=list)
    _highest: float = field(init=False, repr=False, default=0.0)
    _window: list[Window] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        speed = ASLEEP_SPEED if self.asleep else 1.0
        kinds = {name: kind for name, kind in self.params.kinds.items() if kind.weight > 0.0}
        total = sum(kind.weight for kind in kinds.values())
        highest = 0.0  # the mean drive, if the growing part of it is left out
        drives = Drives(kinds, self.amounts)
        for name, kind in kinds.items():
            weight = kind.weight / total
            if kind.source == 'time':
                # 1 - (1 - d) exp(-x r): the mean is a constant less a sum of exponentials
                highest += weight
                missing = weight * (1.0 - drives.amounts[name])
                self._terms.append((missing, speed / (kind.tau_hours * HOUR)))
            elif kind.source == 'contact':
                slope = 1.0 / (HOUR * kind.full_at)
                self._lines.append((weight, drives.amounts[name] / kind.full_at, slope))
            else:
                highest += weight * drives.share(name)
        object.__setattr__(self, '_highest', highest)

    # --- the state at a later time --------------------------------------------------------

    def mean(self, at: float) -> float:
        """Weighted mean of the drives, 0..1; never falling."""
        x = at - self.start
        value = self._highest
        for missing, speed in self._terms:
            value -= missing * math.exp(-x * speed)
        for weight, share, slope in self._lines:
            value += weight * min(1.0, share + x * slope)
        return min(1.0, max(0.0, value))

    def pressure_at(self, at: float) -> float:
        """Sleep pressure, 0..1."""
        x = (at - self.start) / HOUR
        if self.asleep:
            return self.pressure * math.exp(-x / self.params.sleeper.fall_hours)
        return 1.0 - (1.0 - self.pressure) * math.exp(-x / self.params.sleeper.rise_hours)

    def rate(self, at: float) -> float:
        """Wakes per hour at a time between the start and the next switch."""
        if self.asleep:
            return self._asleep_rate(at)
        window = self._window_at(at)
        shift = light_shift(self.modulation.lux, window.day)
        circadian = self.params.sleeper.within(window, at, shift)
        return self._awake_rate(self.mean(at), circadian, self.pressure_at(at), at)

    def _awake_rate(self, mean: float, circadian: float, pressure: float, at: float) -> float:
        modulation = self.modulation
        alert = min(1.0, max(0.0, 0.5 + circadian - pressure))
        held = modulation.inhibition * modulation.stir
        rate = awake_rate(self.params.base_rate, mean, self.params.gamma, alert, held)
        if at < modulation.rest_until:
            return rate * self.params.rest_damping
        return max(rate, modulation.rest_floor * modulation.inhibition)

    def _asleep_rate(self, at: float) -> float:
        modulation = self.modulation
        held = modulation.inhibition * modulation.stir
        if at < modulation.rest_until:
            held *= self.params.rest_damping
        pressure = self.pressure_at(at)
        return asleep_rate(self.params.base_rate, modulation.unconsolidated, pressure, held)

    def _window_at(self, at: float) -> Window:
        known = self._window
        if not (known and known[0].start <= at < known[0].end):
            known[:] = [self.params.sleeper.clock.window(at)]
        return known[0]

    # --- segments ---------------------------------------------------------------------------

    def bound(self, left: float, right: float) -> float:
        """Return a number that the rate does not exceed in [left, right), proven above.

        Between the two lies no switch, no end of a rest and no change of the window.
        """
        if self.asleep:
            return self._asleep_rate(left) * ROUNDING
        window = self._window_at(left)
        shift = light_shift(self.modulation.lux, window.day)
        highest = self.params.sleeper.extreme(window, left, right, shift, highest=True)
        mean, pressure = self.mean(right), self.pressure_at(left)
        return self._awake_rate(mean, highest, pressure, left) * ROUNDING

    def ceiling(self) -> float:
        """Return a crude number that no rate from here on exceeds: every factor at its highest."""
        modulation = self.modulation
        rate = self.params.base_rate * modulation.inhibition * modulation.stir
        return max(rate, modulation.rest_floor * modulation.inhibition) * ROUNDING

    def switch(self, until: float) -> float | None:
        """Find when she next falls asleep or wakes, up to `until`; None if she does not."""
        if self.switch_at is not None:
            return self.switch_at if self.switch_at < until else None
        span = Span(
            self.params.sleeper, self.start, self.pressure, self.asleep, self.modulation.lux
        )
        return span.switch(until)

    def after(self, switch: float) -> RateForecast:
        """Return the forecast from the moment at which she falls asleep or wakes."""
        drives = Drives(self.params.kinds, self.amounts)
        drives.live(switch - self.start, self.asleep)
        pressure = self.pressure_at(switch)
        return RateForecast(
            self.params, self.modulation, switch, drives.amounts, pressure, not self.asleep
        )

    def segments(self, start: float, until: float, step: float) -> Iterator[RateSegment]:
        """Cut the time from `start` to `until` into segments of at most `step` seconds.

        Switches between sleep and waking, the end of a rest, day and night, and clock changes
        are ends of segments. The step is only for the integration: it wakes nobody.
        """
        forecast: RateForecast = self
        left = start
        switch = forecast.switch(min(until, left + AHEAD))
        looked = min(until, left + AHEAD)
        while left < until:
            if switch is None and left >= looked:
                looked = min(until, left + AHEAD)
                switch = forecast.switch(looked)
            if switch is not None and left >= switch:
                forecast = forecast.after(switch)
                looked = min(until, left + AHEAD)
                switch = forecast.switch(looked)
            right = min(left + step, forecast._window_at(left).end, until, looked)
            if left < forecast.modulation.rest_until:
                right = min(right, forecast.modulation.rest_until)
            if switch is not None:
                right = min(right, switch)
            if right > left:
                yield RateSegment(left, right, forecast.bound(left, right), forecast)
                left = right
            elif switch is None or left < switch:  # the clock has no bit between the two
                left = math.nextafter(left, math.inf)
