"""The two processes of sleep: pressure S and the circadian C (Borbely's two-process model).

S rises awake towards 1 and falls asleep towards 0; C follows the local hour. She falls asleep
where S - C rises above one threshold and wakes where it falls below another. All of it is known
in closed form, so these moments are found, not stepped over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from soul.heart.local_clock import DAY, LocalClock, Window

HOUR = 3600.0
TURN = 2.0 * math.pi / DAY  # rad/s
#: Lux above which the night is bright, below which the day is dark, and what that does to C.
BRIGHT_NIGHT = 200.0
DARK_DAY = 5.0
LIGHT_SHIFT = 0.1
#: Crossings are known to this, s: sleep pressure is then right to 1e-10.
EXACT = 1e-6
#: A piece that short is not halved further; what could cross within it and back is nothing.
SHORTEST = 1e-4
#: How far ahead a crossing is looked for at once, s.
AHEAD = 2 * DAY


def circadian(hour: float, peak_hour: float = 16.0, lux: float = math.nan) -> float:
    """Process C at a local hour, 0..1 (Heart and Twin).

    ``0.5 + 0.5 cos(2 pi (h - peak) / 24)``; +0.1 in the night (before 7 or from 19 h) with more
    than 200 lux, -0.1 by day with less than 5 lux; NaN lux is unknown and shifts nothing.
    """
    day = 7.0 <= hour < 19.0
    value = 0.5 + 0.5 * math.cos(2.0 * math.pi * (hour - peak_hour) / 24.0)
    return min(1.0, max(0.0, value + light_shift(lux, day)))


def light_shift(lux: float, day: bool) -> float:
    """What light at the wrong time does to C."""
    if day:
        return -LIGHT_SHIFT if lux < DARK_DAY else 0.0
    return LIGHT_SHIFT if lux > BRIGHT_NIGHT else 0.0


def alertness(pressure: float, circadian_now: float) -> float:
    """Alertness a, 0..1: ``clamp(0.5 + C - S, 0, 1)`` (Heart and Twin)."""
    return min(1.0, max(0.0, 0.5 + circadian_now - pressure))


def pressure_after(
    pressure: float, hours: float, asleep: bool, rise_hours: float, fall_hours: float
) -> float:
    """Sleep pressure S after some hours, 0..1 (Heart and Twin); negative time counts as none.

    Awake ``1 - (1 - S) exp(-dt / rise)``, asleep ``S exp(-dt / fall)``.
    """
    hours = max(0.0, hours)
    if asleep:
        return pressure * math.exp(-hours / fall_hours)
    return 1.0 - (1.0 - pressure) * math.exp(-hours / rise_hours)


@dataclass(frozen=True)
class Sleeper:
    """The constants of one sleeper."""

    clock: LocalClock
    rise_hours: float = 16.0
    fall_hours: float = 4.0
    peak_hour: float = 16.0
    sleep_above: float = 0.35
    wake_below: float = -0.15

    def circadian(self, at: float, lux: float = math.nan) -> float:
        """Process C at a time, 0..1."""
        window = self.clock.window(at)
        return self.within(window, at, light_shift(lux, window.day))

    def within(self, window: Window, at: float, shift: float) -> float:
        """Process C at a time in a window that is known."""
        angle = TURN * ((at + window.offset) % DAY - self.peak_hour * HOUR)
        return min(1.0, max(0.0, 0.5 + 0.5 * math.cos(angle) + shift))

    def extreme(
        self, window: Window, left: float, right: float, shift: float, highest: bool
    ) -> float:
        """Highest or lowest value of C between two times of one window.

        The cosine falls with the distance to its peak on the circle of the day. So the extreme
        is that of the cosine if it lies between, or else at the end that is nearer or farther.
        """
        since = (window.local(left) - self.peak_hour * HOUR) % DAY  # s since the peak
        until = since + right - left
        half = 0.5 * DAY
        if highest:
            if until >= DAY:
                return min(1.0, max(0.0, 1.0 + shift))
        elif since <= half <= until or until >= DAY + half:
            return min(1.0, max(0.0, shift))
        nearer = min(since, DAY - since) <= min(until, abs(DAY - until))
        return self.within(window, left if nearer == highest else right, shift)


@dataclass(frozen=True)
class Span:
    """How sleep goes on from one moment, as long as the mode stays: awake or asleep."""

    sleeper: Sleeper
    start: float
    pressure: float
    asleep: bool
    lux: float = math.nan

    def pressure_at(self, at: float) -> float:
        """Sleep pressure at a later time, 0..1."""
        sleeper = self.sleeper
        return pressure_after(
            self.pressure,
            (at - self.start) / HOUR,
            self.asleep,
            sleeper.rise_hours,
            sleeper.fall_hours,
        )

    def switch(self, until: float) -> float | None:
        """Find the first moment, up to `until`, at which she falls asleep or wakes.

        Time is cut where C turns. While C moves towards the threshold, so does S, and the
        distance is monotone: its two ends tell whether it crosses. Otherwise segments in which an
        upper bound of the distance stays below zero are passed over and the others are halved,
        the earlier half first. So no crossing is missed, however short.
        """
        left = self.start
        while left < until:
            window = self.sleeper.clock.window(left)
            turn, towards = self._turn(window, left)
            right = min(until, window.end, turn)
            if self.over(window, left) > 0.0:
                return left
            if towards:
                if self.over(window, right) > 0.0:
                    return self._crossing(window, left, right)
            else:
                found = self._within(window, left, right)
                if found is not None:
                    return found
            left = right
        return None

    def _turn(self, window: Window, at: float) -> tuple[float, bool]:
        """When C turns next, and whether it moves towards the threshold until then."""
        peak = self.sleeper.peak_hour * HOUR
        to_peak = (peak - window.local(at)) % DAY
        to_trough = (peak + 0.5 * DAY - window.local(at)) % DAY
        rising = to_peak < to_trough
        ahead = min(to_peak, to_trough)
        # At the turn itself, or within a bit of the clock of it, go on to the next one.
        if at + ahead <= at:
            ahead, rising = ahead + 0.5 * DAY, not rising
        return at + ahead, rising == self.asleep

    def over(self, window: Window, at: float) -> float:
        """How far beyond the threshold of this mode S - C is."""
        shift = light_shift(self.lux, window.day)
        difference = self.pressure_at(at) - self.sleeper.within(window, at, shift)
        if self.asleep:
            return self.sleeper.wake_below - difference
        return difference - self.sleeper.sleep_above

    def _highest(self, window: Window, left: float, right: float) -> float:
        """Return an upper bound of :meth:`over`: awake S rises and asleep it falls."""
        shift = light_shift(self.lux, window.day)
        pressure = self.pressure_at(right)
        highest = self.sleeper.extreme(window, left, right, shift, highest=self.asleep)
        if self.asleep:
            return self.sleeper.wake_below - pressure + highest
        return pressure - highest - self.sleeper.sleep_above

    def _within(self, window: Window, left: float, right: float) -> float | None:
        if self._highest(window, left, right) <= 0.0:
            return None
        middle = 0.5 * (left + right)
        if right - left > SHORTEST and left < middle < right:
            first = self._within(window, left, middle)
            if first is not None:
                return first
            if self.over(window, middle) > 0.0:
                return middle
            return self._within(window, middle, right)
        return self._crossing(window, left, right) if self.over(window, right) > 0.0 else None

    def _crossing(self, window: Window, left: float, right: float) -> float:
        """Narrow down the crossing between a time that is not over and one that is.

        By the secant, each time a little beyond it, so that the crossing is enclosed from both
        sides; by halving where that does not help.
        """
        below, above = self.over(window, left), self.over(window, right)
        at = left - below * (right - left) / (above - below)
        while right - left > EXACT:
            middle = 0.5 * (left + right)
            if not left < at < right:
                at = middle
            if not left < at < right:  # the clock has no bit between the two
                break
            slope = (above - below) / (right - left)
            over = self.over(window, at)
            if over > 0.0:
                right, above = at, over
                at -= 2.0 * over / slope + 0.25 * EXACT
            else:
                left, below = at, over
                at -= 2.0 * over / slope - 0.25 * EXACT
        return right
