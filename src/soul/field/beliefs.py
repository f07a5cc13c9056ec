"""Running beliefs about what she senses, and how far observations miss them (SoulScript Loop).

::

    gaussian   x = ln(1 + raw)     z2 = (x - mu)^2 / sigma2   surprise = 1 - exp(-z2 / 8)
    bernoulli  x = 1 or 0          info = -log2 p(x)
                                   surprise = 1 - exp(-max(0, info - 0.5) / 2.5)
    alpha = min(0.5, 0.2 (1 + surprise))
    mu <- mu + alpha (x - mu);   sigma2 <- (1 - alpha) (sigma2 + alpha (x - mu)^2), the old mu

The first observation sets the belief without surprise; while fewer than three have been made the
surprise is damped to n/3, which lowers alpha too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from soul.core.bounded import BoundedDict

#: From this surprise on an observation is an alert.
ALERT = 0.25
EPSILON = 1e-9
LOWEST, HIGHEST = 0.02, 0.98  # of a probability
AT_FIRST = {True: 0.6, False: 0.2}  # belief after one observation
TRUSTED_AFTER = 3  # observations
#: So many features are remembered; the one longest unheard of goes first.
MOST_FEATURES = 256


class FeatureSpec(BaseModel):
    """How a feature is predicted. Declared in `config/features.yaml` or a file of one's own."""

    model_config = ConfigDict(frozen=True, extra='forbid')

    kind: Literal['gaussian', 'bernoulli'] = 'gaussian'
    initial_variance: float = Field(0.5, gt=0.0, le=100.0)
    least_variance: float = Field(0.04, gt=0.0, le=100.0)
    #: Directions that are worth an alert; a quiet bench, for example, never is.
    alerts: tuple[Literal['more', 'less'], ...] = ('more', 'less')
    unit: Literal['', 'seconds', 'tokens', 'degrees', 'percent'] = ''


UNDECLARED = FeatureSpec.model_validate({})


@dataclass(frozen=True, slots=True)
class Observation:
    """What one observation did to a belief."""

    name: str
    raw: float
    surprise: float  # 0..1
    direction: int  # +1: more than believed (or it happened), -1: less, 0: as believed or first
    expected: float | None  # in the unit of `raw`, or a probability; None: nothing yet
    alert: bool


@dataclass(slots=True)
class Belief:
    """What she believes of one feature."""

    spec: FeatureSpec
    n: int = 0
    mean: float = 0.0  # of x, or the probability
    variance: float = 0.5

    def observe(self, name: str, raw: float) -> Observation:
        """Compare an observation with the belief and learn from it."""
        if self.spec.kind == 'bernoulli':
            surprise, direction, expected = self._observe_event(bool(raw))
        else:
            surprise, direction, expected = self._observe_amount(raw)
        self.n += 1
        side = {1: 'more', -1: 'less'}.get(direction, '')
        alert = surprise >= ALERT and side in self.spec.alerts
        return Observation(name, raw, surprise, direction, expected, alert)

    def _damped(self, surprise: float) -> float:
        return surprise * self.n / TRUSTED_AFTER if self.n < TRUSTED_AFTER else surprise

    def _observe_amount(self, raw: float) -> tuple[float, int, float | None]:
        x = math.log1p(max(0.0, raw))
        if self.n == 0:
            self.mean, self.variance = x, self.spec.initial_variance
            return 0.0, 0, None
        expected = math.expm1(self.mean)
        error = x - self.mean
        z2 = error * error / (self.variance + EPSILON)
        surprise = self._damped(1.0 - math.exp(-z2 / 8.0))
        alpha = learning_rate(surprise)
        self.mean += alpha * error
        learnt = (1.0 - alpha) * (self.variance + alpha * error * error)
        self.variance = max(self.spec.least_variance, learnt)
        return surprise, (error > 0) - (error < 0), expected

    def _observe_event(self, happened: bool) -> tuple[float, int, float | None]:
        if self.n == 0:
            self.mean = AT_FIRST[happened]
            return 0.0, 0, None
        p = min(HIGHEST, max(LOWEST, self.mean))
        information = -math.log2(p if happened else 1.0 - p)
        surprise = self._damped(1.0 - math.exp(-max(0.0, information - 0.5) / 2.5))
        alpha = learning_rate(surprise)
        self.mean = min(HIGHEST, max(LOWEST, self.mean + alpha * (happened - self.mean)))
        return surprise, 1 if happened else -1, p


def learning_rate(surprise: float) -> float:
    """Return alpha: surprise is what she learns from."""
    return min(0.5, 0.2 * (1.0 + surprise))


class Beliefs:
    """All beliefs by the feature's name.

    Parameters
    ----------
    specs
        Declared features; any other is predicted as a gaussian.
    """

    def __init__(self, specs: Mapping[str, FeatureSpec]) -> None:
        self._specs = specs
        self._beliefs: BoundedDict[str, Belief] = BoundedDict(MOST_FEATURES)

    def get(self, name: str) -> Belief | None:
        """Return what she believes of a feature, if it was ever observed."""
        return self._beliefs.get(name)

    def observe(self, name: str, raw: float) -> Observation | None:
        """Compare and learn; None for a number that is none."""
        if not math.isfinite(raw):
            return None
        belief = self._beliefs.get(name)
        if belief is None:
            belief = self._beliefs[name] = Belief(self._specs.get(name, UNDECLARED))
        self._beliefs.move_to_end(name)
        return belief.observe(name, raw)

    def memory(self) -> dict[str, tuple[int, float, float]]:
        """Return what must survive: observations, mean and variance by feature."""
        return {name: (b.n, b.mean, b.variance) for name, b in self._beliefs.items()}

    def restore(self, memory: Mapping[str, tuple[int, float, float]]) -> None:
        """Believe what was believed."""
        for name, (n, mean, variance) in list(memory.items())[-MOST_FEATURES:]:
            if not all(map(math.isfinite, (n, mean, variance))) or n < 0 or variance < 0.0:
                continue  # it is learnt anew
            spec = self._specs.get(name, UNDECLARED)
            self._beliefs[name] = Belief(spec, n, mean, variance)
