"""When she wakes by herself, in each of the three cadences.

`poisson` samples the wake rate; `chosen` and `adaptive` are intervals from the end of her last
turn. While a wake is open or a turn in progress nothing is sampled: she is awake already.
"""

from __future__ import annotations

import math
import random

from soul.heart.config import HeartConfig
from soul.heart.intervals import AFTER_RESET, adaptive_seconds, chosen_minutes, rest_minutes
from soul.heart.memory import SchedulerMemory, Sleep
from soul.heart.rate_forecast import RateForecast, RateSegment
from soul.heart.sleep import HOUR
from soul.heart.thinning import BoundExceeded, first_wake
from soul.signals import Energy, WakeCause

#: How far ahead a wake is sampled, s; if none comes until then it is sampled on from there.
HORIZON = 12 * HOUR


class WakeScheduler:
    """When she wakes next by herself.

    Parameters
    ----------
    memory
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(
        self, config: HeartConfig, rng: random.Random, memory: SchedulerMemory | None = None
    ) -> None:
        memory = memory or SchedulerMemory()
        self._config = config
        self._rng = rng
        self.exceeded = 0  # times that a bound did not hold; it never happens
        #: A wake was due while nobody could be woken: at most one, however long that was.
        self.overdue = memory.overdue
        self._next = math.inf
        self._cause = WakeCause.SPONTANEOUS
        self._sampled_to = math.inf
        self._slept = memory.slept  # the sleep she is in

    def memory(self) -> SchedulerMemory:
        """Return what must survive."""
        return SchedulerMemory(self.overdue, self._slept)

    @property
    def samples(self) -> bool:
        """Whether wakes are sampled from the rate."""
        return self._config.cadence == 'poisson'

    def due(self) -> float:
        """When to look again: at the next wake, or to sample on."""
        return min(self._next, self._sampled_to)

    def shift(self, seconds: float) -> None:
        """Move all times: the clock was set."""
        self._next += seconds
        self._sampled_to += seconds
        if self._slept is not None:
            self._slept = self._slept._replace(since=self._slept.since + seconds)

    def pause(self) -> None:
        """Wake nobody until a wake is sampled anew: she is awake, or cannot be woken."""
        self._next = self._sampled_to = math.inf

    def woken(self) -> None:
        """She has woken, for whatever cause: what was due is done."""
        self.overdue = ''
        self.pause()

    # --- poisson --------------------------------------------------------------------------

    def sample(self, forecast: RateForecast, now: float) -> None:
        """Sample the next wake anew: the state has changed, and the process has no memory."""
        self.pause()
        if forecast.ceiling() > 0.0:
            self._sample(forecast, now, now + HORIZON)

    def revive(self, forecast: RateForecast, since: float, now: float) -> None:
        """Sample what would have come while she was down or suspended; at most one wake."""
        if forecast.ceiling() > 0.0:
            self._sample(forecast, since, now)
        self._note(now)
        self.pause()

    def catch_up(self, forecast: RateForecast, now: float) -> None:
        """Note a wake that has come, or sample on; `forecast` began before that."""
        if self._sampled_to <= now:
            start = self._sampled_to
            self._sample(forecast, start, max(start, now) + HORIZON)
        self._note(now)

    def skip(self, to: float) -> None:
        """Leave out the time before `to`: what is sampled begins there."""
        self._note(to)
        self._sampled_to = max(self._sampled_to, to)

    def _note(self, now: float) -> None:
        if self._next <= now:
            self.overdue = self._cause
            self.pause()

    def _sample(self, forecast: RateForecast, start: float, until: float) -> None:
        step = self._config.step_seconds
        try:
            found = first_wake(forecast.segments(start, until, step), self._rng)
        except BoundExceeded:
            self.exceeded += 1  # told in the state of health; this bound cannot be exceeded
            ceiling = forecast.ceiling()
            segments = forecast.segments(start, until, step)
            crude = (RateSegment(p.left, p.right, ceiling, p.forecast) for p in segments)
            found = first_wake(crude, self._rng)
        if found is None:
            self._next, self._sampled_to = math.inf, until
            return
        self._next, asleep = found
        self._sampled_to = math.inf
        modulation = forecast.modulation
        rested = modulation.rest_floor > 0.0 and self._next >= modulation.rest_until
        awake = WakeCause.CHOSEN if rested else WakeCause.SPONTANEOUS
        self._cause = WakeCause.DREAM if asleep else awake

    # --- intervals ------------------------------------------------------------------------

    def sleep(self, now: float, asked: float, forced: bool = False) -> None:
        """She goes to sleep; `asked`: the minutes she chose, 0 if she did not say.

        A `forced` sleep is somebody else's wish, which her own limits do not cut.
        """
        self._slept = Sleep(now, asked, forced)

    def interval(self, now: float, hour: float, energy: Energy | None, arousal: float) -> None:
        """Set the next wake from how long she sleeps.

        Parameters
        ----------
        hour
            Local hour at which she went to sleep, 0..24.
        """
        spent = energy is not None and energy.spent
        self._sampled_to = math.inf
        if self._slept is None:  # a first life begins with a waking
            self._next, self._cause = now, WakeCause.CHOSEN
            return
        since, asked, forced = self._slept
        chosen = self._config.cadence == 'chosen'
        self._cause = WakeCause.CHOSEN if chosen or asked > 0.0 else WakeCause.SPONTANEOUS
        if asked > 0.0 and (forced or not chosen):
            minutes = rest_minutes(asked, self._config.longest_rest_minutes)
            self._next = since + 60.0 * minutes
        elif chosen:
            self._next = since + 60.0 * chosen_minutes(self._config, asked, hour, spent)
        else:
            level = energy.level if energy is not None else 1.0
            config = self._config
            self._next = since + adaptive_seconds(
                config.adaptive_base,
                config.adaptive_min,
                config.adaptive_max,
                level,
                arousal,
                config.adaptive_pace,
            )
        if spent and not chosen and energy is not None and energy.resets_at > now:
            self._next = max(self._next, energy.resets_at + AFTER_RESET)

    @property
    def asleep_since(self) -> float:
        """When she went to sleep, s; NaN if never."""
        return self._slept.since if self._slept else math.nan
