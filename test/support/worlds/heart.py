"""What the tests of the heart share: a reference of its own, and a heart to talk to."""

import itertools
import math
import random

import numpy as np

from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.signals import (
    Energy,
    GuardState,
    HeartState,
    Knock,
    MindState,
    Outcome,
    Phase,
    Turn,
    Wake,
    WakeId,
)

UTC8 = 'Asia/Shanghai'  # no summer time
#: 2026-03-02 12:00 in Shanghai.
NOON = 1772424000.0

#: weight, tau in hours; open loops have no tau
DRIVES = {'curiosity': (1.0, 3.0), 'expression': (0.8, 6.0), 'longing': (0.7, 10.0)}
LOOPS = 0.6


def kolmogorov(sample):
    """Asymptotic p of the Kolmogorov-Smirnov test against the exponential of mean 1."""
    x = np.sort(np.asarray(sample))
    n = len(x)
    cdf = -np.expm1(-x)
    distance = max(np.max(np.arange(1, n + 1) / n - cdf), np.max(cdf - np.arange(n) / n))
    root = (math.sqrt(n) + 0.12 + 0.11 / math.sqrt(n)) * distance
    if root < 0.2:
        return 1.0
    return 2.0 * sum((-1) ** (k - 1) * math.exp(-2.0 * (k * root) ** 2) for k in range(1, 101))


class Reference:
    """The integral of the wake rate, from the formulas alone, with numpy.

    A segment is a time in which nothing happened; its state is that at its start.
    """

    def __init__(self, base=4.0, offset=8 * 3600.0):
        self.base, self.offset = base, offset
        self.segments = []
        self.nodes, self.weights = np.polynomial.legendre.leggauss(12)

    def add(self, wake, start, end, levels, loops, pressure, asleep, influence):
        """Add a segment that belongs to the interval before wake number `wake`."""
        if end > start:
            self.segments.append((wake, start, end, levels, loops, pressure, asleep, influence))

    def circadian(self, t, lux):
        hour = ((t + self.offset) % 86400.0) / 3600.0
        day = (hour >= 7.0) & (hour < 19.0)
        c = 0.5 + 0.5 * np.cos(2 * np.pi * (hour - 16.0) / 24.0)
        c = c + np.where(~day & (lux > 200.0), 0.1, 0.0) - np.where(day & (lux < 5.0), 0.1, 0.0)
        return np.clip(c, 0.0, 1.0)

    def pressure(self, x, s, asleep):
        return np.where(asleep, s * np.exp(-x / 14400.0), 1 - (1 - s) * np.exp(-x / 57600.0))

    def switches(self, start, end, s, asleep, lux):
        """When each segment changes its mode; after its end if it does not."""
        grid = np.linspace(0.0, 1.0, 481)[None, :] * (end - start)[:, None]

        def over(x):
            column = (..., *([None] * (x.ndim - 1)))
            diff = self.pressure(x, s[column], asleep[column]) - self.circadian(
                start[column] + x, lux[column]
            )
            return np.where(asleep[column], -0.15 - diff, diff - 0.35)

        beyond = over(grid) > 0.0
        first = np.argmax(beyond, axis=1)
        has = beyond.any(axis=1) & (first > 0)
        rows = np.arange(len(start))
        low, high = grid[rows, np.maximum(first - 1, 0)], grid[rows, first]
        for _ in range(40):
            middle = 0.5 * (low + high)
            above = over(middle) > 0.0
            high, low = np.where(above, middle, high), np.where(above, low, middle)
        return np.where(has, start + high, end + 1.0)

    def intervals(self, count):
        """Integral of the rate between the wakes: should be exponential with mean 1."""
        columns = list(zip(*self.segments, strict=True))
        wake = np.array(columns[0])
        start, end = np.array(columns[1]), np.array(columns[2])
        loops, s, asleep = np.array(columns[4]), np.array(columns[5]), np.array(columns[6])
        lux = np.array([i.lux for i in columns[7]])
        switch = self.switches(start, end, s, asleep, lux)
        pieces = []
        for n, influence in enumerate(columns[7]):
            edges = {start[n], end[n]}
            day = start[n] - (start[n] + self.offset) % 86400.0
            times = [switch[n], influence.rest_until]
            times += [day + h * 3600.0 for h in (7, 19, 31, 43)]
            for began, pressure, sleeping in (
                (start[n], s[n], asleep[n]),
                (switch[n], None, not asleep[n]),
            ):
                if sleeping and began < end[n]:
                    if pressure is None:
                        pressure = float(self.pressure(began - start[n], s[n], False))
                    if pressure > 0.2:
                        times.append(began + 14400.0 * math.log(pressure / 0.2))
            edges |= {t for t in times if start[n] < t < end[n]}
            ordered = sorted(edges)
            pieces += [(n, a, b) for a, b in itertools.pairwise(ordered)]
        row, a, b = (np.array(c) for c in zip(*pieces, strict=True))
        row = row.astype(int)
        t = 0.5 * (a + b)[:, None] + 0.5 * (b - a)[:, None] * self.nodes[None, :]
        rate = self.rate(columns, row, t, start, switch, s, asleep, lux, loops)
        integral = (rate * self.weights[None, :]).sum(axis=1) * 0.5 * (b - a) / 3600.0
        return np.bincount(wake[row], weights=integral, minlength=count)[:count]

    def rate(self, columns, row, t, start, switch, s, asleep, lux, loops):
        t0, ts = start[row][:, None], switch[row][:, None]
        before = t < ts
        sleeping = np.where(before, asleep[row][:, None], ~asleep[row][:, None])
        at_switch = self.pressure(ts - t0, s[row][:, None], asleep[row][:, None])
        pressure = np.where(
            before,
            self.pressure(t - t0, s[row][:, None], asleep[row][:, None]),
            self.pressure(t - ts, at_switch, ~asleep[row][:, None]),
        )
        # time that the drives have felt: 0.3 of it asleep
        first = np.where(asleep[row][:, None], 0.3, 1.0)
        second = np.where(asleep[row][:, None], 1.0, 0.3)
        felt = np.where(before, (t - t0) * first, (ts - t0) * first + (t - ts) * second)
        mean = LOOPS * loops[row][:, None]
        for name, (weight, tau) in DRIVES.items():
            level = np.array([levels[name] for levels in columns[3]])[row][:, None]
            mean = mean + weight * (1 - (1 - level) * np.exp(-felt / (tau * 3600.0)))
        mean = mean / 3.1
        c = self.circadian(t, lux[row][:, None])
        alert = np.clip(0.5 + c - pressure, 0.0, 1.0)

        def of(name):
            return np.array([getattr(i, name) for i in columns[7]])[row][:, None]

        held, stir = of('inhibition'), of('stir')
        resting = t < of('rest_until')
        awake = self.base * mean**2 * (0.2 + 0.8 * alert) * held * stir
        awake = np.where(resting, 0.1 * awake, np.maximum(awake, of('rest_floor') * held))
        dreams = self.base * 0.5 * np.minimum(1.0, of('unconsolidated') / 10.0)
        dreams = dreams * np.where(pressure > 0.2, 1.0, 0.3) * held * stir
        dreams = np.where(resting, 0.1 * dreams, dreams)
        return np.where(sleeping, dreams, awake)


class Beside:
    """A heart, and a mind beside it that does as it is told."""

    def __init__(self, now=NOON, memory=None, mind=True, seed=1, page=None, **config):
        config.setdefault('timezone', UTC8)
        self.config = config
        self.heart = Heart(HeartConfig(**config), random.Random(seed), memory, page)
        self.now = now
        self.said = []
        self.turns = 0
        self.mind = MindState(epoch=9, phase=Phase.IDLE, model_available=True)
        self.do(self.heart.start(now))
        if mind:
            self.hear(self.mind)

    def do(self, outputs):
        outputs = list(outputs)
        self.said += outputs
        return outputs

    def hear(self, signal, now=None):
        """Let the heart hear a signal."""
        from soul.core.organ import handler_name

        self.now = self.now if now is None else now
        method = getattr(self.heart, handler_name(type(signal)))
        return self.do(method(signal, self.now))

    def ask(self, serve, request):
        answer, outputs = serve(request, self.now)
        self.do(outputs)
        return answer

    def run(self, seconds):
        """Let time pass, stepping exactly when it is due."""
        end = self.now + seconds
        while self.heart.due() <= end:
            self.now = max(self.now, self.heart.due())
            self.do(self.heart.step(self.now))
        self.now = end

    def wakes(self):
        """All wakes said so far: the last version of each."""
        return list({o.id: o for o in self.said if isinstance(o, Wake)}.values())

    def state(self):
        """The heart's state now."""
        self.do(self.heart.step(self.now))
        return self.heart.state(self.now)

    def level(self, name):
        return {d.name: d.level for d in self.state().drives}[name]

    def feels(self, name):
        return {d.name: d.sensation for d in self.state().drives}[name]

    def told(self):
        return [o for o in self.said if isinstance(o, HeartState)]

    def begin(self, wake=None, phase=Phase.WAKING):
        """The mind begins the newest wake."""
        wake = wake or self.wakes()[-1]
        self.mind = MindState(
            epoch=9,
            phase=phase,
            begun=wake.id,
            model_available=True,
            last_turn=self.mind.last_turn,
        )
        self.hear(self.mind)
        return wake

    def turn(self, wake=None, **fields):
        """The mind's next turn, as it would be told."""
        self.turns += 1
        wake = wake or (self.wakes()[-1] if self.wakes() else Wake(id=WakeId(1, self.turns)))
        fields.setdefault('outcome', Outcome.SLEPT)
        fields.setdefault('causes', wake.causes)
        return Turn(epoch=9, sequence=self.turns, wake=wake.id, **fields)

    def end(self, **fields):
        """The turn ends, and the mind is idle again."""
        turn = self.turn(**fields)
        self.hear(turn)
        self.mind = MindState(
            epoch=9,
            phase=Phase.IDLE,
            begun=self.mind.begun,
            model_available=True,
            last_turn=turn,
        )
        self.hear(self.mind)
        return turn

    def live(self, **fields):
        """Begin the newest wake and end its turn."""
        self.begin()
        return self.end(**fields)


def knock(message_id='m1', sender='ann'):
    return Knock(message_id=message_id, sender=sender, weight=0.8)


def spent(**fields):
    return Energy(level=0.05, spent=True, **fields)


def guard(**fields):
    return GuardState(epoch=3, **fields)
