"""How she lives through time, and when she wakes by herself."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Protocol

from soul.heart.config import HeartConfig
from soul.heart.inner_state import InnerState
from soul.heart.memory import HeartMemory
from soul.heart.state_model import LONGEST
from soul.heart.wake_scheduler import WakeScheduler
from soul.heart.wakes import Wakes, is_dream
from soul.signals import WakeCause
from soul.text.numbers import number


class Timed(Protocol):
    """Something that has times of its own."""

    def shift(self, seconds: float) -> None:
        """Move all times: the clock was set."""


class Rhythm:
    """Her inner state, her wakes, and the time that moves both.

    Attributes
    ----------
    inner, life, around
        Her inner state; of it, what lives through time, and what she knows of the others.
    wakes, scheduler
        Her wakes, and when the next one comes by itself.
    along
        What else moves when the clock is set back.
    """

    def __init__(
        self, config: HeartConfig, rng: random.Random, memory: HeartMemory | None = None
    ) -> None:
        self.inner = InnerState(config, memory)
        self.life = self.inner.life
        self.around = self.inner.around
        self.scheduler = WakeScheduler(config, rng, memory.pace if memory else None)
        self.wakes = Wakes(config.resend_seconds, rng, memory.wakes if memory else None)
        self.along: Sequence[Timed] = ()
        # What held her down, as it was written last: so she was while nobody was here.
        held, stir = memory.held if memory else (0.0, 1.0)
        self._held_before = number(held, 0.0, 1e3, 0.0), number(stir, 0.0, 1e3, 1.0)

    # --- time -----------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        """Live through the time since the last life."""
        life = self.life
        if now < life.at:
            self._shift(now - life.at)  # a stamp in the future: the clock was set back
        elif not math.isnan(life.at) and self.scheduler.samples:
            self._skip(now)
            modulation = self.inner.modulation(*self._held_before)
            self.scheduler.revive(life.forecast(modulation), life.at, now)
        life.live(now)
        self.wakes.revive(now)
        self._forget_missed()

    def live(self, now: float) -> None:
        """Live until now, and see what that brought."""
        if now < self.life.at:
            self._shift(now - self.life.at)
        if now >= self.scheduler.due():
            self._skip(now)
            self.scheduler.catch_up(self.inner.forecast(), now)
        self.life.live(now)
        self._forget_missed()

    def due(self) -> float:
        """When something happens by itself: a wake, one sent again, falling asleep, waking up."""
        if self.scheduler.overdue and self.wakeable:
            return self.life.at
        return min(self.scheduler.due(), self.wakes.resend_at, self.life.due())

    def _skip(self, now: float) -> None:
        """Of an absence of years only the last one is looked through for a wake."""
        if now - self.life.at > LONGEST:
            self.life.live(now - LONGEST)
            self.scheduler.skip(self.life.at)

    def _forget_missed(self) -> None:
        """What was due at another time of her day need not be made up for."""
        if not self.life.asleep:
            self.wakes.drop_dream()
        scheduler = self.scheduler
        missed = scheduler.overdue
        if missed and scheduler.samples and (missed == WakeCause.DREAM) != self.life.asleep:
            scheduler.overdue = ''
            self.plan(self.life.at)

    def _shift(self, seconds: float) -> None:
        """The clock was set back: time goes on from now, and nothing waits for the future."""
        self.inner.shift(seconds)
        self.scheduler.shift(seconds)
        self.wakes.shift(seconds)
        for part in self.along:
            part.shift(seconds)

    # --- what holds between two signals ---------------------------------------------------

    @property
    def idle(self) -> bool:
        """Whether no wake is open and neither a turn nor a dream in progress."""
        return self.wakes.open is None and not (self.around.busy or self.around.dreaming)

    @property
    def wakeable(self) -> bool:
        """Whether she may wake by herself now."""
        return self.idle and self.around.inhibition > 0.0

    @property
    def held(self) -> tuple[float, float]:
        """What holds her down and what stirs her now: factors on the wake rate."""
        return (self.around.inhibition if self.idle else 0.0), self.around.stir

    def feel(self, now: float) -> None:
        """Go on from a new state: every change of state changes when she wakes."""
        wake = self.wakes.open
        self.inner.feel(wake is not None and not is_dream(wake))
        self.plan(now)

    def plan(self, now: float) -> None:
        """Find anew when she wakes by herself."""
        scheduler = self.scheduler
        if not self.idle or scheduler.overdue:
            scheduler.pause()
        elif scheduler.samples:
            scheduler.sample(self.inner.forecast(), now)
        elif self.around.inhibition > 0.0:
            since = scheduler.asleep_since
            hour = self.inner.clock.hour(now if math.isnan(since) else since)
            scheduler.interval(now, hour, self.around.energy, self.around.arousal)
        else:
            scheduler.pause()

    def rest(self, minutes: float, now: float, forced: bool = False) -> None:
        """Rest from now.

        Parameters
        ----------
        minutes
            How long; 0: the heart decides.
        forced
            Whether somebody else wants it.
        """
        granted = self.inner.rest(minutes, now)
        if not self.scheduler.samples:
            self.scheduler.sleep(now, granted, forced)
