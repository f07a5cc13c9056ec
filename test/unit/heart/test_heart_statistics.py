"""Sampled wakes are what the formulas say: time-rescaled they are exponential with mean 1."""

import dataclasses
import math
import random
from zoneinfo import ZoneInfo

import pytest

from soul.heart.local_clock import LocalClock
from soul.heart.rate import rest_floor
from soul.heart.rate_forecast import HeartParams, Modulation, RateForecast, RateSegment
from soul.heart.sleep import Sleeper
from soul.heart.state_model import StateModel
from soul.heart.tables import load
from soul.heart.thinning import BoundExceeded, first_wake
from support.worlds.heart import NOON, UTC8, Reference, kolmogorov

COUNT = 20_000
KINDS = load().drives


def params(base=20.0):
    return HeartParams(Sleeper(LocalClock(ZoneInfo(UTC8))), KINDS, base)


class World:
    """A life in which things happen at random between the wakes and at them."""

    def __init__(self, seed, base=20.0, step=900.0, segments=None):
        self.rng = random.Random(seed)
        self.chance = random.Random(seed + 1000)  # what happens is not drawn from her dice
        self.base, self.step = base, step
        self.life = StateModel(params(base))
        self.now = NOON
        self.life.live(NOON)
        self.modulation = Modulation(unconsolidated=5.0)
        self.reference = Reference(base)
        self.segments = segments or (
            lambda forecast, now, until, step: forecast.segments(now, until, step)
        )

    def happen(self):
        """Change one thing, as signals do."""
        chance, life = self.chance, self.life
        kind = chance.randrange(7)
        if kind == 0:
            life.drives.nudge(chance.choice(list(KINDS)), chance.uniform(0.0, 0.3))
        elif kind == 1:
            life.tire(chance.uniform(-0.3, 0.3))
        elif kind == 2:
            life.light(chance.choice([math.nan, 1.0, 50.0, 500.0]))
        elif kind == 3:
            self.change(inhibition=chance.choice([0.2, 0.5, 1.0, 1.0, 2.0]))
        elif kind == 4:
            self.change(stir=chance.choice([0.4, 1.0, 1.75, 2.5]))
        elif kind == 5:
            self.change(unconsolidated=float(chance.randrange(15)))
        else:
            minutes = chance.uniform(1.0, 40.0)
            self.change(rest_until=self.now + 60.0 * minutes, rest_floor=rest_floor(minutes, 1.0))

    def change(self, **fields):
        self.modulation = dataclasses.replace(self.modulation, **fields)

    def woken(self):
        drives = self.life.drives
        for name in ('curiosity', 'expression', 'longing'):
            drives.set(name, drives.amounts[name] * self.chance.random())
        drives.feed('open_loops', float(self.chance.randrange(8)))
        if self.now >= self.modulation.rest_until:
            self.change(rest_until=0.0, rest_floor=0.0)

    def next_change(self):
        return self.now + min(2 * 3600.0, self.chance.expovariate(1 / 2400.0))

    def live(self, count):
        """Live until so many wakes; return the integrals of the rate between them."""
        for number in range(count):
            while True:
                until = self.next_change()
                influence = dataclasses.replace(self.modulation, lux=self.life.lux)
                course = self.life.forecast(influence)
                pieces = self.segments(course, self.now, until, self.step)
                found = first_wake(pieces, self.rng)
                end = until if found is None else found[0]
                amounts = self.life.drives.amounts
                self.reference.add(
                    number,
                    self.now,
                    end,
                    dict(amounts),
                    min(1.0, amounts['open_loops'] / 5.0),
                    self.life.pressure,
                    self.life.asleep,
                    influence,
                )
                self.now = end
                self.life.live(end)
                if found is not None:
                    break
                self.happen()
            self.woken()
        return self.reference.intervals(count)


@pytest.mark.long
@pytest.mark.parametrize(
    ('seed', 'step'),
    [
        (1, 900.0),
        (2, 60.0),
        (5, 14400.0),
        *(pytest.param(*case, marks=pytest.mark.soak) for case in ((3, 900.0), (4, 3600.0))),
    ],
)
def test_rescaled_wakes_are_exponential_whatever_the_step(seed, step):
    intervals = World(seed, step=step).live(COUNT // 2)
    assert intervals.mean() == pytest.approx(1.0, abs=0.03)
    assert kolmogorov(intervals) > 0.01


class Young(World):
    """Her drives are low all the time, so that the rate grows by half in a quarter of an hour.

    These are the states in which 1.5 times the rate at its beginning bounds no quarter of an hour.
    """

    def happen(self):
        self.woken()

    def next_change(self):
        return self.now + 900.0

    def woken(self):
        self.life.tire(0.2 - self.life.pressure)
        for name in ('curiosity', 'expression', 'longing'):
            self.life.drives.set(name, self.chance.uniform(0.13, 0.16))


class Clipped:
    """A course whose sampler does not notice that its bound is too low."""

    def __init__(self, course, bound):
        self.forecast, self.bound, self.asleep = course, bound, course.asleep

    def rate(self, at):
        return min(self.bound, self.forecast.rate(at))


def grows(piece):
    """Whether the seed's running code has too low a bound here: max(1.5 rate, 0.05)."""
    last = piece.forecast.rate(math.nextafter(piece.right, 0.0))
    return last > max(1.5 * piece.forecast.rate(piece.left), 0.05)


def too_low(factor, check):
    def segments(course, now, until, step):
        for piece in course.segments(now, until, step):
            bound = piece.bound / factor if grows(piece) else piece.bound
            shown = piece.forecast if check else Clipped(piece.forecast, bound)
            yield RateSegment(piece.left, piece.right, bound, shown)

    return segments


@pytest.mark.long
@pytest.mark.parametrize('seed', [1, pytest.param(2, marks=pytest.mark.soak)])
def test_a_bound_too_low_where_the_rate_grows_is_rejected(seed):
    intervals = Young(seed, base=200.0, segments=too_low(1.2, check=False)).live(COUNT)
    assert kolmogorov(intervals) < 0.01


def test_the_same_states_with_the_proven_bound():
    assert kolmogorov(Young(1, base=200.0).live(COUNT)) > 0.01


@pytest.mark.parametrize('factor', [1.045, 1.2])
def test_a_bound_that_does_not_hold_is_noticed_at_once(factor):
    with pytest.raises(BoundExceeded, match='its bound'):
        Young(1, base=60.0, segments=too_low(factor, check=True)).live(COUNT)


class Drowsy(World):
    """Each wake finds her near falling asleep or waking up; asleep she hardly dreams."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.modulation = Modulation(unconsolidated=0.5)

    def happen(self):
        pass

    def next_change(self):
        return self.now + 7200.0

    def woken(self):
        life = self.life
        edge = life.params.sleeper.circadian(self.now) + (-0.15 if life.asleep else 0.35)
        away = self.chance.uniform(0.0, 0.04)
        life.tire(edge + (away if life.asleep else -away) - life.pressure)
        for name in ('curiosity', 'expression', 'longing'):
            life.drives.set(name, self.chance.uniform(0.3, 0.9))


class Late(RateForecast):
    """Notices 15 minutes late that she has fallen asleep or woken up."""

    def switch(self, until):
        switch = super().switch(math.inf if self.switch_at else self.start + 172800.0)
        late = None if switch is None else switch + 900.0
        return late if late is not None and late < until else None


def late(course, now, until, step):
    names = [f.name for f in dataclasses.fields(RateForecast) if f.init]
    return Late(**{name: getattr(course, name) for name in names}).segments(now, until, step)


@pytest.mark.long
def test_a_mode_switch_15_minutes_late_is_rejected():
    assert kolmogorov(Drowsy(1, segments=late).live(COUNT)) < 0.01
    assert kolmogorov(Drowsy(1).live(COUNT)) > 0.01


@pytest.mark.parametrize('seed', range(3))
def test_the_bound_holds_everywhere(seed):
    """Dense: at a hundred points of each piece, over states that the signals can make."""
    world = World(seed, base=60.0)
    worst = 0.0
    for _ in range(300):
        world.happen()
        world.woken()
        influence = dataclasses.replace(world.modulation, lux=world.life.lux)
        for piece in world.life.forecast(influence).segments(world.now, world.now + 6e4, 7200.0):
            for k in range(100):
                at = piece.left + (piece.right - piece.left) * k / 100.0
                rate = piece.forecast.rate(at)
                assert 0.0 <= rate <= piece.bound
                worst = max(worst, rate / piece.bound if piece.bound else 0.0)
            assert piece.bound <= world.life.forecast(influence).ceiling() * (1 + 1e-9)
        world.now += world.chance.uniform(0.0, 40_000.0)
        world.life.live(world.now)
    assert worst > 0.999, 'the bound is reached, not merely large'
