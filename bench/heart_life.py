"""A life of the heart alone: the real organ on a virtual clock with a scripted mind.

The default test life: about eleven wakings a day, each of a few steps and thousands of tokens;
somebody talks with her three times a day; one waking in three does something new.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.signals import Call, HeartState, Knock, MindState, Outcome, Phase, Turn, Wake, WakeCause

DAY = 86400.0


@dataclass(frozen=True)
class Habits:
    """What her days are like."""

    steps: int = 3
    tokens: int = 13_000
    talks: tuple[float, ...] = (9.0, 14.0, 20.0)  # local hours at which somebody comes
    scatter: float = 0.75  # h, standard deviation of these
    novel: float = 1.0 / 3.0


@dataclass
class Lived:
    """What came of it."""

    wakes: list[tuple[float, str]] = field(default_factory=list)  # time, cause
    asleep: list[tuple[float, float]] = field(default_factory=list)  # from, until
    states: list[HeartState] = field(default_factory=list)


class HeartLife:
    """Lets a heart live.

    Parameters
    ----------
    zone
        Name of its time zone.
    begin
        Local date and time of its birth.
    """

    def __init__(
        self,
        zone: str = 'Europe/Berlin',
        begin: datetime = datetime(2026, 1, 1, 12),  # noqa: DTZ001 - local, the zone comes beside
        seed: int = 1,
        habits: Habits | None = None,
        **config: Any,
    ) -> None:
        self.zone = ZoneInfo(zone)
        self.now = begin.replace(tzinfo=self.zone).timestamp()
        self.lived = Lived()
        chosen = HeartConfig(timezone=zone, state_seconds=3600.0, **config)
        self.heart = Heart(chosen, random.Random(seed))
        self._rng = random.Random(seed + 1)
        self._habits = habits or Habits()
        self._sample = 0.0
        self._look = math.inf
        self._turns = 0
        self._fell_asleep: float | None = None
        self._talks = self._people()
        self._mind = MindState(epoch=1, phase=Phase.IDLE, model_available=True)
        self._tell(self.heart.start(self.now))
        self._tell(self.heart.on_mind_state(self._mind, self.now))

    def _people(self) -> Iterator[float]:
        """When somebody talks with her."""
        day = datetime.fromtimestamp(self.now, self.zone).replace(hour=0, minute=0, second=0)
        midnight = day.timestamp()
        while self._habits.talks:
            for hour in self._habits.talks:
                yield midnight + 3600.0 * (hour + self._rng.gauss(0.0, self._habits.scatter))
            noon = datetime.fromtimestamp(midnight + 1.5 * DAY, self.zone)
            midnight = noon.replace(hour=0, minute=0).timestamp()

    def sample(self, seconds: float) -> None:
        """Keep its state each so many seconds from now on."""
        self._sample, self._look = seconds, self.now

    def live(self, days: float) -> Lived:
        """Live so long."""
        end = self.now + days * DAY
        talk = self._next_talk()
        while True:
            due = min(self.heart.due(), talk, end, self._look)
            self.now = max(self.now, due)
            if self.now >= end:
                return self.lived
            if due == talk:
                knock = Knock(message_id=f'm{talk:.0f}', sender='ann', weight=0.8)
                self._tell(self.heart.on_knock(knock, self.now))
                talk = self._next_talk()
            elif due == self._look:
                self._tell(self.heart.step(self.now))
                self.lived.states.append(self.heart.state(self.now))
                self._look += self._sample
            else:
                self._tell(self.heart.step(self.now))

    def _next_talk(self) -> float:
        while True:
            talk = next(self._talks, math.inf)
            if talk > self.now:
                return talk

    def _tell(self, outputs: Any) -> None:
        for output in list(outputs):
            if isinstance(output, HeartState):
                self._note(output)
            elif isinstance(output, Wake) and output.id != self._mind.begun:
                self._wake(output)

    def _note(self, state: HeartState) -> None:
        if state.asleep and self._fell_asleep is None:
            self._fell_asleep = state.stamp
        elif not state.asleep and self._fell_asleep is not None:
            self.lived.asleep.append((self._fell_asleep, state.stamp))
            self._fell_asleep = None

    def _wake(self, wake: Wake) -> None:
        """Live a waking, in no time."""
        self._turns += 1
        dream = wake.causes == (WakeCause.DREAM,)
        talk = WakeCause.MESSAGE in wake.causes
        self.lived.wakes.append((self.now, wake.causes[0]))
        habits = self._habits
        calls = [Call(name='reply', routine=True, ok=True, receipt='r')] if talk else []
        if not dream and self._rng.random() < habits.novel:
            calls.append(Call(name='look', ok=True, receipt='l'))
        routine = Call(name='diary', routine=True, ok=True, receipt='d')
        calls += [routine] * (habits.steps - len(calls))
        turn = Turn(
            epoch=1,
            sequence=self._turns,
            wake=wake.id,
            causes=wake.causes,
            calls=tuple(calls),
            messages_seen=wake.message_ids,
            talk=talk,
            steps=habits.steps,
            tokens_in=habits.tokens,
            outcome=Outcome.SLEPT,
        )
        self._mind = MindState(
            epoch=1, phase=Phase.IDLE, begun=wake.id, model_available=True, last_turn=turn
        )
        self._tell(self.heart.on_turn(turn, self.now))
        self._tell(self.heart.on_mind_state(self._mind, self.now))
