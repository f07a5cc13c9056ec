"""Sleep: crossings are found, not stepped over; clock changes; a restart is a nap."""

import datetime
import math
import random
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soul.heart.local_clock import DAY, LocalClock
from soul.heart.rate_forecast import HeartParams
from soul.heart.sleep import Sleeper, Span
from soul.heart.state_model import LONGEST, StateModel
from soul.heart.tables import load
from support.worlds.heart import NOON, UTC8

KINDS = load().drives
ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', UTC8]


def life(zone=UTC8, **sleeper):
    return StateModel(HeartParams(Sleeper(LocalClock(ZoneInfo(zone)), **sleeper), KINDS))


def local(zone, *moment, fold=0):
    return datetime.datetime(*moment, tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def over(span, at):
    window = span.sleeper.clock.window(at)
    return span.over(window, at)


@pytest.mark.parametrize('seed', range(4))
def test_crossings_are_the_first_and_exact(seed):
    rng = random.Random(seed)
    clock = LocalClock(ZoneInfo('Europe/Berlin'))
    for _ in range(150):
        sleeper = Sleeper(clock, rng.uniform(6, 30), rng.uniform(1, 10), rng.uniform(0, 23.99))
        start = NOON + rng.uniform(0, 365 * DAY)
        lux = rng.choice([math.nan, 1.0, 300.0])
        span = Span(sleeper, start, rng.random(), rng.random() < 0.5, lux)
        found = span.switch(start + 1.5 * DAY)
        end = start + 1.5 * DAY if found is None else found - 1e-5
        for k in range(2000):
            at = start + (end - start) * k / 2000.0
            assert found == start or over(span, at) <= 0.0
        if found is not None:
            assert over(span, found) > 0.0


def test_a_short_crossing_at_dawn_is_not_stepped_over():
    # dark: C drops at 7 h, so a crossing 36 s before dawn would be over again after it
    sleeper = Sleeper(LocalClock(ZoneInfo('Europe/Berlin')), 13.66, 1.34, 11.0745759)
    start = 1796190960.9234152
    span = Span(sleeper, start, 0.6158508628614744, True, 1.0)
    found = span.switch(start + DAY)
    assert found is not None
    assert over(span, found) > 0.0


@pytest.mark.parametrize('zone', ZONES)
def test_windows_tile_time_and_have_one_offset(zone):
    clock = LocalClock(ZoneInfo(zone))
    at = local(zone, 2026, 1, 1)
    while at < local(zone, 2027, 1, 2):
        window = clock.window(at)
        assert window.start <= at < window.end <= at + DAY / 2 + 3600
        for share in (0.0, 0.5, 0.999999):
            inside = at + share * (window.end - at)
            assert clock.offset(inside) == window.offset
            hour = window.local(inside) / 3600.0
            assert (7.0 <= hour < 19.0) == window.day
        at = window.end


def test_hours_are_local_across_both_clock_changes():
    clock = LocalClock(ZoneInfo('Europe/Berlin'))
    spring = local('Europe/Berlin', 2026, 3, 29, 1, 59, 59)
    assert clock.hour(spring) == pytest.approx(2.0, abs=0.001)
    assert clock.hour(spring + 1) == pytest.approx(3.0)
    autumn = local('Europe/Berlin', 2026, 10, 25, 2, 59, 59)
    assert clock.hour(autumn) == pytest.approx(3.0, abs=0.001)
    assert clock.hour(autumn + 1) == pytest.approx(2.0)


@pytest.mark.parametrize('day', [(2026, 3, 28), (2026, 10, 24)])
def test_a_crossing_is_found_where_the_clock_changes(day):
    """The hour that is skipped or lived twice moves C at once, and with it when she wakes."""
    one = life('Europe/Berlin')
    one.live(local('Europe/Berlin', *day, 12))
    slept = one.switch()
    one.live(slept + 1)
    woke = one.switch()
    hours = [datetime.datetime.fromtimestamp(t, ZoneInfo('Europe/Berlin')) for t in (slept, woke)]
    assert one.asleep
    assert 22 <= hours[0].hour <= 23
    assert 7 <= hours[1].hour <= 8


def states(one):
    return [*one.drives.amounts.values(), one.pressure, one.asleep]


@given(st.integers(0, 2**32), st.floats(0.0, 40 * DAY))
@settings(max_examples=60, deadline=None)
def test_a_restart_is_a_nap(seed, down):
    """The state after any time down equals the uninterrupted one to 1e-9."""
    rng = random.Random(seed)
    one = life('Europe/Berlin')
    one.live(NOON + rng.uniform(0, 365 * DAY))
    one.tire(rng.random())
    one.light(rng.choice([math.nan, 1.0, 300.0]))
    for name in KINDS:
        one.drives.set(name, rng.random())
    other = StateModel(one.params, one.memory())
    end = one.at + down
    while one.at < end:  # uninterrupted: looked at often
        one.live(min(end, one.at + rng.uniform(1.0, 7200.0)))
    other.live(end)
    for a, b in zip(states(one), states(other), strict=True):
        assert a == pytest.approx(b, abs=1e-9)


def test_a_clock_that_was_in_1970_costs_no_time():
    one = life()
    one.live(100.0)
    one.live(NOON)
    late = life()
    late.live(NOON - LONGEST)
    late.live(NOON)
    assert one.asleep == late.asleep
    assert one.pressure == pytest.approx(late.pressure, abs=1e-9)
    assert one.drives.share('longing') == pytest.approx(1.0)


def test_effort_may_send_her_to_sleep_at_once():
    one = life()
    one.live(NOON + 9 * 3600)
    assert not one.asleep
    one.tire(0.9)
    assert one.asleep


def test_light_at_the_wrong_time_moves_the_clock():
    one, bright = life(), life()
    for each in (one, bright):
        each.live(NOON + 8 * 3600)
    assert bright.light(300.0)
    assert not bright.light(400.0)
    assert bright.switch() > one.switch() + 600, 'a bright evening keeps her up'


def test_the_bare_defaults_settle_where_the_minutes_say():
    """Without any effort: 23:32 and 07:51, integrated by the minute."""
    one = life()
    times = []
    one.live(NOON)
    while len(times) < 60:
        one.live(one.switch())
        hour = one.params.sleeper.clock.hour(one.at)
        times.append((one.asleep, hour))
    slept = [hour for asleep, hour in times[-10:] if asleep]
    woke = [hour for asleep, hour in times[-10:] if not asleep]
    assert slept[-1] == pytest.approx(23 + 32 / 60, abs=1 / 60)
    assert woke[-1] == pytest.approx(7 + 51 / 60, abs=1 / 60)
