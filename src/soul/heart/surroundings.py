"""What the heart knows of the others: body, energy, guard, mind and field."""

from __future__ import annotations

import math
from collections.abc import Mapping

from soul.heart.config import HeartConfig
from soul.heart.inhibition import factors, total
from soul.heart.rate import stir
from soul.signals import BodyState, Energy, GuardState, MindState, Phase


class Surroundings:
    """The newest states of the others; None: nobody has said anything, or is there no more."""

    def __init__(self, config: HeartConfig) -> None:
        self._config = config
        self.body: BodyState | None = None
        self.energy: Energy | None = None
        self.guard: GuardState | None = None
        self.mind: MindState | None = None
        self.arousal = 0.0  # 0..1; at first as it was when she was here last

    @property
    def factors(self) -> Mapping[str, float]:
        """What inhibits her, by name."""
        return factors(self._config, self.body, self.energy, self.guard, self.mind)

    @property
    def inhibition(self) -> float:
        """Product of the factors and the activity knob."""
        return total(self.factors, self._config.activity)

    @property
    def stir(self) -> float:
        """Factor of arousal and energy on the wake rate."""
        return stir(self.arousal, self.energy.level if self.energy else math.nan)

    @property
    def busy(self) -> bool:
        """Whether a turn is in progress in which she sees who comes."""
        return self.mind is not None and self.mind.phase == Phase.WAKING

    @property
    def dreaming(self) -> bool:
        """Whether a dream is in progress."""
        return self.mind is not None and self.mind.phase == Phase.DREAMING

    @property
    def halted(self) -> bool:
        """Whether she is stopped or paused."""
        return self.guard is not None and (self.guard.stopped or self.guard.paused)

    @property
    def spent(self) -> bool:
        """Whether her energy is spent but for what is kept for her people."""
        return self.energy is not None and self.energy.spent

    @property
    def startles(self) -> bool:
        """Whether what happens around her wakes her: not in a turn, and not without energy."""
        return not (self.busy or self.halted or self.spent)
