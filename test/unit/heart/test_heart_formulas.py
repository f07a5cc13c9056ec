"""The heart's formulas: cases of the seeds' running code, golden numbers, properties."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.heart.config import HeartConfig
from soul.heart.drives import Drives, approach, weighted_mean
from soul.heart.inhibition import factors, total
from soul.heart.intervals import adaptive_seconds, chosen_minutes, is_night, rest_minutes
from soul.heart.local_clock import LocalClock
from soul.heart.rate import asleep_rate, awake_rate, rest_floor, stir
from soul.heart.rate_forecast import HeartParams, Modulation, RateForecast
from soul.heart.sleep import Sleeper, alertness, circadian, pressure_after
from soul.heart.tables import load
from soul.signals import NO, YES, BodyState, Energy, GuardState, MindState

DATA = Path(__file__).parents[1] / 'data'
CLOSE = 1e-6
KINDS = load().drives
MIND = MindState(model_available=True)
share = st.floats(0.0, 1.0)


def cases(name):
    return json.loads((DATA / f'{name}.json').read_text())['cases']


def ours(drives):
    """The seed's names of the drives as ours; its open loops are a share already."""
    levels = {'longing': drives['social'], 'open_loops': 5.0 * drives['openLoops']}
    return {'curiosity': drives['curiosity'], 'expression': drives['expression'], **levels}


@pytest.mark.parametrize('case', cases('quetzal_circadian'))
def test_circadian_cases(case):
    lux = math.nan if case['in']['lux'] is None else case['in']['lux']
    assert circadian(case['in']['hour'], 16.0, lux) == pytest.approx(case['out'], abs=CLOSE)


@pytest.mark.parametrize('case', cases('quetzal_drive_approach'))
def test_drive_cases(case):
    given_, hours = case['in'], case['in']['dt_h']
    asleep = given_['mode'] == 'asleep'
    drives = Drives(KINDS, ours(given_['drives']))
    drives.live(hours * 3600.0, asleep)
    wanted = ours(case['out']['drives'])
    for name, level in wanted.items():
        assert drives.amounts[name] == pytest.approx(level, abs=CLOSE), name
    pressure = pressure_after(given_['S'], hours, asleep, 16.0, 4.0)
    assert pressure == pytest.approx(case['out']['S'], abs=CLOSE)


@pytest.mark.parametrize('case', cases('quetzal_lambda'))
def test_rate_cases(case):
    given_, out = case['in'], case['out']
    mean = Drives(KINDS, ours(given_['drives'])).mean()
    alert = alertness(given_['S'], given_['C'])
    base, held = given_['base_per_hour'], given_['inhibition']
    if given_['mode'] == 'awake':
        rate = awake_rate(base, mean, 2.0, alert, held)
    else:
        rate = asleep_rate(base, given_['unconsolidated'], given_['S'], held)
    assert alert == pytest.approx(out['alertness'], abs=CLOSE)
    assert mean**2 == pytest.approx(out['urge'], abs=CLOSE)
    assert rate == pytest.approx(out['rate_per_hour'], abs=CLOSE)


@pytest.mark.parametrize('case', cases('cadence'))
def test_cadence_cases(case):
    given_, out = case['in'], case['out']
    if 'rest_minutes_asked' in given_:
        minutes = rest_minutes(given_['rest_minutes_asked'], given_['max_rest_minutes'])
        assert minutes == pytest.approx(out['granted_minutes'])
        assert 60.0 * minutes == pytest.approx(out['interval_s'])
    else:
        interval = adaptive_seconds(
            given_['base_s'],
            given_['min_s'],
            given_['max_s'],
            given_['energy'],
            given_['arousal'],
            given_['chosen_pace_s'] or 0.0,
        )
        assert interval == pytest.approx(out['interval_s'], abs=CLOSE)


def test_golden_numbers():
    assert stir(0.0, 1.0) == 1.0
    assert stir(1.0, 1.0) == 2.5
    assert stir(0.0, 0.0) == pytest.approx(1 / 3)
    assert stir(0.4, 0.25) == pytest.approx(1.6 / 2.0)
    assert stir(math.nan, math.nan) == 1.0
    assert rest_floor(30.0) == pytest.approx(20.0)  # within 3 min of a rest of 30
    assert rest_floor(5.0) == 60.0  # but at least 1 min
    assert rest_floor(240.0) == pytest.approx(2.5)
    assert approach(0.5, 3.0, 3.0) == pytest.approx(1 - 0.5 / math.e)
    assert approach(0.5, -1.0, 3.0) == 0.5
    assert pressure_after(0.5, 16.0, False, 16.0, 4.0) == pytest.approx(1 - 0.5 / math.e)
    assert pressure_after(0.5, 4.0, True, 16.0, 4.0) == pytest.approx(0.5 / math.e)
    assert alertness(0.2, 1.0) == 1.0
    assert alertness(0.9, 0.1) == 0.0
    assert weighted_mean([]) == 0.0


@pytest.mark.parametrize(
    ('asked', 'hour', 'hungry', 'minutes'),
    [
        (0.0, 12.0, False, 15.0),  # she did not say
        (1.0, 12.0, False, 5.0),
        (240.0, 12.0, False, 30.0),
        (240.0, 3.0, False, 90.0),
        (240.0, 7.0, False, 30.0),  # the night ends at 7
        (20.0, 12.0, True, 60.0),  # spent: she winters
        (240.0, 12.0, True, 90.0),
    ],
)
def test_chosen_sleep(asked, hour, hungry, minutes):
    assert chosen_minutes(HeartConfig(), asked, hour, hungry) == minutes


def test_a_night_may_span_midnight():
    assert is_night(23.0, 22.0, 6.0)
    assert is_night(3.0, 22.0, 6.0)
    assert not is_night(6.0, 22.0, 6.0)
    assert not is_night(3.0, 7.0, 7.0)


NOW = {
    'stopped': {'guard': GuardState(stopped=True)},
    'paused': {'guard': GuardState(paused=True)},
    'no_model': {'mind': MindState()},
    'hot': {'body': BodyState(temperature=45.0)},
    'low_battery': {'body': BodyState(charge=0.149, charging=NO)},
    'offline': {'body': BodyState(online=NO)},
    'budget_spent': {'energy': Energy(level=0.1, spent=True)},
}
WORTH = {
    'stopped': 0.0,
    'paused': 0.0,
    'no_model': 0.0,
    'hot': 0.1,
    'low_battery': 0.2,
    'offline': 0.5,
    'budget_spent': 0.05,
}


def held(body=None, energy=None, guard=None, mind=MIND):
    return factors(HeartConfig(), body, energy, guard, mind)


@pytest.mark.parametrize('name', NOW)
def test_each_inhibition_by_its_name(name):
    assert held(**NOW[name]) == {name: WORTH[name]}


def test_inhibition_composes():
    everything = BodyState(temperature=50.0, charge=0.1, online=NO)
    found = held(everything, Energy(spent=True))
    assert set(found) == {'hot', 'low_battery', 'offline', 'budget_spent'}
    assert total(found, 2.0) == pytest.approx(0.1 * 0.2 * 0.5 * 0.05 * 2.0)
    assert held() == {}
    assert held(mind=None) == {'no_model': 0.0}
    assert total({}, 0.0) == 0.0


def test_what_is_not_known_does_not_inhibit():
    assert held(BodyState()) == {}
    assert held(BodyState(charge=0.1, charging=YES)) == {}
    assert held(BodyState(charge=0.15, charging=NO)) == {}
    assert held(BodyState(temperature=44.9)) == {}


@given(share, share, share, st.floats(0.5, 4.0), st.floats(0.0, 4.0), st.floats(0.0, 60.0))
def test_rates_are_never_negative_or_nan(mean, pressure, c, gamma, inhibition, base):
    rate = awake_rate(base, mean, gamma, alertness(pressure, c), inhibition)
    assert 0.0 <= rate <= base * inhibition * (1 + 1e-12)
    dreams = asleep_rate(base, 30.0 * mean, pressure, inhibition)
    assert 0.0 <= dreams <= 0.5 * base * inhibition * (1 + 1e-12)


@given(
    st.fixed_dictionaries(dict.fromkeys(('curiosity', 'expression', 'longing'), share)),
    st.integers(0, 20),
    st.sampled_from(['curiosity', 'expression', 'longing', 'open_loops']),
    share,
    share,
    st.floats(0.0, 86400.0),
    st.floats(0.05, 4.0),
)
def test_the_rate_is_monotone_in_each_drive_and_in_inhibition(
    levels, loops, which, more, pressure, later, inhibition
):
    amounts = {**levels, 'open_loops': float(loops)}
    raised = {**amounts, which: amounts[which] + more * (5.0 if which == 'open_loops' else 0.0)}
    if which != 'open_loops':
        raised[which] = amounts[which] + more * (1.0 - amounts[which])
    nature = HeartParams(Sleeper(LocalClock(None)), KINDS)

    def rate(state, **influence):
        full = Drives(KINDS, state).amounts
        forecast = RateForecast(nature, Modulation(**influence), 0.0, full, pressure, False)
        return forecast.rate(later)

    low, high = rate(amounts, inhibition=inhibition), rate(raised, inhibition=inhibition)
    assert not math.isnan(low)
    assert 0.0 <= low <= high * (1 + 1e-12)
    assert rate(amounts, inhibition=0.5 * inhibition) == pytest.approx(0.5 * low)
    assert rate(amounts, inhibition=0.0) == 0.0


@given(share, st.floats(0.0, 100.0), st.floats(0.0, 100.0), st.floats(0.5, 48.0))
def test_a_drive_composes_over_time(level, one, other, tau):
    twice = approach(approach(level, one, tau), other, tau)
    assert twice == pytest.approx(approach(level, one + other, tau), abs=1e-12)
    assert level - 1e-12 <= twice <= 1.0


@pytest.mark.parametrize(
    ('wrong', 'says'),
    [
        ({'timezone': 'Europe/Atlantis'}, 'timezone'),
        ({'boredom_thresholds': (4, 3, 22)}, 'rising'),
        ({'adaptive_min': 2000.0}, 'adaptive_min is 2000, more than adaptive_max'),
        ({'chosen_floor': 40.0}, 'chosen_floor'),
        ({'rise_hours': 5.0}, 'rise_hours'),
        ({'cadence': 'cron'}, 'cadence'),
    ],
)
def test_a_wrong_parameter_names_itself(wrong, says):
    with pytest.raises(ValueError, match=says):
        HeartConfig(**wrong)


def test_every_parameter_is_described_and_ranged():
    for name, field in HeartConfig.model_fields.items():
        assert (field.description or '').endswith('.'), name
        if field.annotation is float:
            assert any(hasattr(rule, 'ge') for rule in field.metadata), name
            assert any(hasattr(rule, 'le') for rule in field.metadata), name
