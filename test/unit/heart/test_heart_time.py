"""Time is odd: restarts, a suspended host, a clock that is set. She goes on from now."""

import pytest

from soul.signals import BodyState, Energy, NamedValue, RestRequest, SenseEvent, SenseKind, Wake
from support.memories import reread
from support.worlds.heart import NOON, Beside, knock

DAY = 86400.0
SLOW = {'base_rate': 0.0}


def stored(one):
    """The memory as it comes back from the disk."""
    return reread(one.heart.memory())


def feelings(one):
    state = one.heart.state(one.now)
    return [
        *(d.level for d in state.drives),
        state.mean_drive,
        state.sleep_pressure,
        state.circadian,
        state.unconsolidated,
        state.asleep,
    ]


@pytest.mark.parametrize('seconds', [1.0, 3600.0, 43_210.9, 5 * DAY])
@pytest.mark.parametrize('lux', [float('nan'), 300.0])
def test_a_restart_is_a_nap(seconds, lux):
    one = Beside(**SLOW)
    one.hear(BodyState(illuminance=lux))
    one.hear(Energy(level=0.6))
    one.hear(knock())
    one.live(tokens_in=50_000, steps=4, drives=(NamedValue('longing', 0.123456789),))
    one.run(4321.0)
    memory = stored(one)
    one.run(seconds)
    one.do(one.heart.step(one.now))
    again = Beside(one.now, memory, mind=False, **SLOW)
    again.do(again.heart.step(again.now))
    assert feelings(again) == pytest.approx(feelings(one), abs=1e-9)


def busy(seed, seconds, **config):
    """A heart that would wake often, down for some time."""
    one = Beside(seed=seed, base_rate=60.0, **config)
    one.hear(knock())
    one.live(drives=(NamedValue('curiosity', 1.0),))
    memory = stored(one)
    again = Beside(
        one.now + seconds, memory, mind=False, seed=seed + 100, base_rate=60.0, **config
    )
    return one, again


def test_at_most_one_wake_on_return():
    for seed in range(20):
        _, again = busy(seed, 6 * 3600.0)
        assert again.wakes() == [], 'nobody is there yet to live it'
        again.hear(again.mind)
        again.run(0.0)
        assert len(again.wakes()) == 1, 'six hours at a high rate: certainly one'
        again.live(drives=(NamedValue('curiosity', 0.0),))
        count = len(again.wakes())
        again.run(0.0)
        assert len(again.wakes()) == count


def test_a_short_nap_wakes_her_as_often_as_the_rate_says():
    came = 0
    for seed in range(200):
        one, again = busy(seed, 120.0)
        expected = one.state().rate_per_hour * 120.0 / 3600.0
        again.hear(again.mind)
        again.run(0.0)
        came += len(again.wakes())
    assert came / 200 == pytest.approx(1 - 2.718281828**-expected, abs=0.08)


def test_what_was_held_down_before_the_nap_was_held_down_in_it():
    one = Beside(mind=False, base_rate=60.0)
    again = Beside(one.now + 6 * 3600.0, stored(one), base_rate=60.0)
    again.run(0.0)
    assert again.wakes() == []


def test_a_night_missed_is_not_made_up_for_in_the_morning():
    for seed in range(10):
        one = Beside(seed=seed, base_rate=0.0001)
        for n in range(10):
            one.hear(knock(f'm{n}'))
            one.live()
        one.run(12 * 3600.0)
        assert one.state().asleep
        again = Beside(one.now + 10 * 3600.0, stored(one), seed=seed)
        again.run(0.0)
        assert not again.state().asleep
        assert all('dream' not in wake.causes for wake in again.wakes())


@pytest.mark.parametrize('seconds', [600.0, 12 * 3600.0, 30 * DAY])
def test_a_suspended_host(seconds):
    """Nothing runs, then everything is late: at most one wake, and the state is exact."""
    one, other = Beside(base_rate=60.0), Beside(**SLOW)
    one.now += seconds
    one.do(one.heart.step(one.now))
    assert len(one.wakes()) <= 1
    assert len([o for o in one.said if isinstance(o, Wake)]) <= 1
    other.run(seconds)
    other.do(other.heart.step(other.now))
    mine, theirs = one.heart.state(one.now), other.heart.state(other.now)
    assert mine.sleep_pressure == pytest.approx(theirs.sleep_pressure, abs=1e-9)
    assert mine.asleep == theirs.asleep


@pytest.mark.parametrize('back', [0.001, 3600.0, 10 * DAY, 50 * 365 * DAY])
def test_a_clock_set_back_goes_on_from_now(back):
    one = Beside(base_rate=4.0)
    one.run(1800.0)
    one.ask(one.heart.serve_rest, RestRequest(60.0 * 60.0))
    touch = SenseEvent(kind=SenseKind.LIGHT)
    one.hear(touch)
    before = feelings(one)
    one.now -= back
    one.do(one.heart.step(one.now))
    after = feelings(one)
    assert after[:-4] == pytest.approx(before[:-4], abs=1e-4), 'no time has passed'
    state = one.heart.state(one.now)
    assert state.rest_until == pytest.approx(one.now + 3600.0, abs=1e-3)
    assert one.heart.due() <= one.now + 3600.0
    curiosity = one.level('curiosity')
    one.hear(touch)
    assert one.level('curiosity') == pytest.approx(curiosity), 'still refractory'
    one.now += 31.0
    one.hear(touch)
    assert one.level('curiosity') > curiosity + 0.05


@pytest.mark.parametrize('back', [3600.0, 50 * 365 * DAY])
def test_a_clock_set_back_while_she_was_down(back):
    one = Beside(base_rate=4.0)
    one.hear(knock())
    one.run(10.0)  # the wake stays open
    one.ask(one.heart.serve_rest, RestRequest(60.0 * 60.0))
    again = Beside(one.now - back, stored(one), base_rate=4.0)
    assert [w.id for w in again.wakes()] == []
    again.run(0.0)
    assert [w.id for w in again.wakes()] == [w.id for w in one.wakes()], 'sent again at once'
    assert again.state().rest_until == pytest.approx(again.now + 3600.0)
    again.live()
    assert again.heart.due() <= again.now + 3600.0
    assert feelings(again)[0] == pytest.approx(0.2)


def test_a_chosen_sleep_survives_restart_and_clock():
    one = Beside(cadence='chosen')
    one.run(0.0)
    one.live(rest=60.0 * 20.0)
    one.run(300.0)
    again = Beside(one.now + 300.0, stored(one), cadence='chosen')
    again.run(599.0)
    assert again.wakes() == []
    again.run(2.0)
    assert len(again.wakes()) == 1
    back = Beside(one.now - 10 * DAY, stored(one), cadence='chosen')
    back.run(901.0)
    assert len(back.wakes()) == 1
    late = Beside(one.now + DAY, stored(one), cadence='chosen')
    late.run(0.0)
    assert len(late.wakes()) == 1


def test_simulated_time_may_begin_anywhere():
    for begin in (0.05, 100.0, NOON):
        one = Beside(begin)
        one.run(2 * DAY)
        assert one.state().stamp == one.now
        assert any(told.asleep for told in one.told())


@pytest.mark.parametrize('activity', [1.0, 1e-9])
def test_a_clock_that_was_in_1970_and_is_set_right(activity):
    one = Beside(100.0, activity=activity)
    one.now = NOON
    one.do(one.heart.step(one.now))
    assert len(one.wakes()) == (activity == 1.0)
    again = Beside(NOON, stored(Beside(100.0, activity=activity)), activity=activity)
    again.run(0.0)
    assert len(again.wakes()) == (activity == 1.0)


def test_time_that_stands_still_is_no_trouble():
    one = Beside()
    for _ in range(50):
        one.do(one.heart.step(one.now))
    assert one.heart.due() > one.now


def test_without_a_memory_she_is_born():
    assert Beside(memory=None).told()[0].drives[0].level == 0.5
