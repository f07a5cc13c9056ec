"""How she is: what lives through time, what she has lived through, and how she rests."""

from __future__ import annotations

import math

from soul.heart import acts
from soul.heart.config import HeartConfig
from soul.heart.felt_turns import FeltTurns
from soul.heart.intervals import rest_minutes
from soul.heart.local_clock import LocalClock
from soul.heart.memory import HeartMemory
from soul.heart.rate import rest_floor
from soul.heart.rate_forecast import HeartParams, Modulation, RateForecast
from soul.heart.sleep import Sleeper
from soul.heart.state_model import StateModel
from soul.heart.surroundings import Surroundings
from soul.heart.tables import load, speak
from soul.signals import Outcome, Turn, WakeId
from soul.text.numbers import number


class InnerState:
    """Her state, without any wakes.

    Parameters
    ----------
    memory
        The memory of the heart.

    Raises
    ------
    TableRefused
        If the drives or the sensations cannot be used.
    """

    def __init__(self, config: HeartConfig, memory: HeartMemory | None = None) -> None:
        self._config = config
        self.tables = load(config.drives_file, config.boredom_thresholds)
        self.words = speak(config.language, self.tables)
        self.clock = LocalClock(config.zone())
        sleeper = Sleeper(
            self.clock,
            config.rise_hours,
            config.fall_hours,
            config.peak_hour,
            config.sleep_above,
            config.wake_below,
        )
        params = HeartParams(
            sleeper, self.tables.drives, config.base_rate, config.gamma, config.rest_damping
        )
        self.life = StateModel(params, memory.life if memory else None)
        self.turns = FeltTurns(memory.turns if memory else None)
        self.around = Surroundings(config)
        self.unconsolidated = 0.0
        self.rest_until = 0.0
        self.rest_minutes = 0.0  # of the rest she is in; 0: none
        self.ended = WakeId()  # the newest wake whose turn has ended
        if memory:
            self._restore(memory)

    def _restore(self, memory: HeartMemory) -> None:
        longest = self._config.longest_rest_minutes
        self.around.arousal = number(memory.arousal, 0.0, 1.0, 0.0)
        self.unconsolidated = number(memory.unconsolidated, 0.0, 1e9, 0.0)
        self.rest_until = number(memory.rest_until, 0.0, 1e11, 0.0)
        self.rest_minutes = number(memory.rest_minutes, 0.0, longest, 0.0)
        if not math.isnan(self.life.at):  # nothing waits for a time that no rest lasts to
            self.rest_until = min(self.rest_until, self.life.at + 60.0 * longest)

    def shift(self, seconds: float) -> None:
        """Move all times: the clock was set back."""
        self.life.live(self.life.at + seconds)
        if self.rest_until:
            self.rest_until += seconds

    # --- the wake rate --------------------------------------------------------------------

    def modulation(self, inhibition: float | None = None, stir: float | None = None) -> Modulation:
        """Return what holds still until the next signal."""
        floor = rest_floor(self.rest_minutes, self._config.rest_share)
        return Modulation(
            inhibition=self.around.inhibition if inhibition is None else inhibition,
            stir=self.around.stir if stir is None else stir,
            lux=self.life.lux,
            unconsolidated=self.unconsolidated,
            rest_until=self.rest_until,
            rest_floor=floor if self.rest_minutes > 0.0 else 0.0,
        )

    def forecast(self) -> RateForecast:
        """Return the future from now, if nothing happens."""
        return self.life.forecast(self.modulation())

    # --- rest -----------------------------------------------------------------------------

    def rest(self, minutes: float, now: float) -> float:
        """Rest so long from now; 0: the heart decides. Returns the minutes granted."""
        if minutes > 0.0:
            minutes = rest_minutes(minutes, self._config.longest_rest_minutes)
        self.rest_until = now + 60.0 * minutes if minutes > 0.0 else 0.0
        self.rest_minutes = minutes
        return minutes

    def woken(self, now: float) -> None:
        """She wakes: what a rest that is over leaves behind ends with that."""
        if now >= self.rest_until:
            self.rest(0.0, now)

    # --- what moves the drives ------------------------------------------------------------

    def nudge(self, kind: str) -> None:
        """Feel an event of a kind."""
        for name, change in self.tables.event(kind).nudges.items():
            self.life.drives.nudge(name, change)

    def feel(self, open_waking: bool) -> None:
        """Take in the drives whose source is elsewhere.

        Parameters
        ----------
        open_waking
            Whether a wake that is no dream has been sent and not begun.
        """
        drives, around = self.life.drives, self.around
        begun = around.busy and around.mind is not None and around.mind.begun != self.ended
        drives.feed('wakings', float(self.turns.routine() + (open_waking or begun)))
        if around.mind is not None:
            drives.feed('open_loops', float(around.mind.open_loops))
        if around.energy is not None:
            drives.feed('energy', 1.0 if around.energy.spent else 1.0 - around.energy.level)

    def lived(self, turn: Turn, dream: WakeId) -> bool:
        """Feel what a turn did; it was not known before.

        Parameters
        ----------
        dream
            The wake of the newest dream.

        Returns
        -------
        bool
            Whether it is a finished waking and the newest turn: then its rest holds.
        """
        dreamt = acts.is_dream(turn, dream)
        waking = acts.was_lived(turn) and not dreamt
        finished = waking and acts.was_finished(turn)
        happened = acts.done(turn, self.tables.talk_by)
        levels = self._levels_after(turn) if finished else {}
        newest = self.turns.note(turn, waking, acts.NOVEL in happened, levels)
        decided = self.turns.decided_after(turn)
        self.life.ease(happened, decided)
        for name, level in levels.items():
            if name not in decided:
                self.life.drives.set(name, level)
        if dreamt and turn.outcome == Outcome.SLEPT:
            self.unconsolidated = 0.0
        elif waking:
            self.life.tire(acts.effort(turn, self._config))
            self.unconsolidated += 1.0
        if newest:
            self.ended = turn.wake
        return newest and finished

    def _levels_after(self, turn: Turn) -> dict[str, float]:
        """Levels that a finished waking leaves behind: by its nature, or because she says so."""
        levels = {}
        for name, kind in self.tables.drives.items():
            level = kind.after_declined if turn.declined else kind.after_waking
            if level is not None:
                levels[name] = level
        return levels | {override.name: override.value for override in turn.drives}
