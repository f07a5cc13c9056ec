"""Her own expectations: they come true, or they break."""

import math

import pytest

from soul.field.expectations import MOST, Expectations
from soul.signals import AttendAction, FieldEventKind, Percept, SenseEvent
from support.worlds.field import NOW, Life

EXPECTED, BROKEN = FieldEventKind.EXPECTED, FieldEventKind.BROKEN


@pytest.mark.parametrize(
    ('channel', 'events', 'met'),
    [
        ('door', ['door'], True),
        ('door', ['door/Trent'], True),
        ('door/Trent', ['door', 'door/Ann'], False),
        ('door/Trent', ['door', 'door/Trent'], True),
        ('door', ['doorbell'], False),
        ('bench', ['bench', 'bench/essay.md'], True),
        ('bench/essay.md', ['bench/notes.md'], False),
        ('body', ['body/touched'], True),
        ('body/touched', ['body', 'body/moved'], False),
        ('weather', [], False),
    ],
)
def test_what_meets_it(channel, events, met):
    expectations = Expectations()
    expectations.expect('it', channel, 10, NOW)
    assert bool(expectations.happened(events, NOW + 1)) == met
    assert len(expectations) == (not met)


@pytest.mark.parametrize(
    ('minutes', 'after', 'broken'),
    [
        (10, 599, False),
        (10, 600, True),
        (1, 60, True),
        (0, 1799, False),
        (0, 1800, True),
        (math.nan, 1800, True),
        (0.2, 60, True),
        (-3, 60, True),
        (1e9, 86399, False),
        (1e9, 86400, True),
    ],
)
def test_when_it_breaks(minutes, after, broken):
    expectations = Expectations()
    made = expectations.expect('it', 'door', minutes, NOW)
    assert expectations.due() == made.deadline
    assert bool(expectations.broken(NOW + after)) == broken
    assert (expectations.due() == math.inf) == broken


def test_too_late_is_not_met():
    expectations = Expectations()
    expectations.expect('it', 'door', 1, NOW)
    assert not expectations.happened(['door'], NOW + 60.001)
    assert expectations.broken(NOW + 60.001)


def test_what_comes_in_the_tick_of_its_deadline_is_met():
    """Decided: met, not broken."""
    life = expecting(channel='weather/rain', within=600.0)
    life.now += 600.0
    rain = Percept(source='weather', text='it rains', events=('rain',))
    life.take(life.field.on_percept(rain, life.now))
    assert life.events(EXPECTED)
    assert not life.events(FieldEventKind.BROKEN)


@pytest.mark.parametrize(
    ('given', 'word'),
    [
        ({'text': 'it', 'channel': ''}, 'channel'),
        ({'text': '', 'channel': 'door'}, 'text'),
    ],
)
def test_what_cannot_be_expected(given, word):
    answer = Life().attend(AttendAction.EXPECT, **given)
    assert not answer.ok
    assert word in answer.reason


@pytest.mark.parametrize(
    ('minutes', 'said'),
    [
        (0.5, 'within 1 minutes'),
        (-3, 'within 1 minutes'),
        (1e9, 'within 1440 minutes'),
        (10080, 'within 1440 minutes'),
        (math.nan, 'within 30 minutes'),
        (0, ''),
        (45, ''),
    ],
)
def test_a_time_beyond_its_limits_is_clamped_and_said(minutes, said):
    """Decided: one place for the limits, and nothing is refused for them."""
    answer = Life().attend(AttendAction.EXPECT, text='it', channel='door', within=60.0 * minutes)
    assert answer.ok
    assert answer.reason.startswith(said)
    assert bool(answer.reason) == bool(said)


def test_not_too_many():
    life = Life(capacity_chars=10000)
    for n in range(MOST):
        assert life.attend(AttendAction.EXPECT, text=f'{n}', channel='door').ok
    assert not life.attend(AttendAction.EXPECT, text='more', channel='door').ok


def expecting(**given):
    life = Life()
    given = {'text': 'a reply from Trent', 'channel': 'door', 'within': 1800.0, **given}
    assert life.attend(AttendAction.EXPECT, **given).ok
    return life


def test_it_stands_in_her_field():
    life = expecting()
    assert 'you expect a reply from Trent (the door) by night, 03:21' in life.text
    assert life.item('expect/x1').salience == pytest.approx(0.55)


def test_it_comes_true_with_a_little_warmth():
    life = expecting()
    life.later(600).post('yes, gladly', 'Trent')
    (event,) = life.events(EXPECTED)
    assert event.text == 'as you expected: a reply from Trent'
    assert not event.between_ticks, 'what was expected wakes nobody'
    met = life.item('met/x1')
    assert (met.salience, met.valence) == pytest.approx((0.45, 0.45))
    assert life.item('expect/x1') is None
    assert life.records('events', EXPECTED)
    life.wake()
    assert 'as you expected: a reply from Trent' in life.text


def test_it_breaks_between_ticks_and_may_wake_her():
    life = expecting()
    life.wake()
    assert life.field.due() == NOW + 1800
    life.later(1799)
    assert not life.events(BROKEN)
    life.later(2)
    (event,) = life.events(BROKEN)
    assert event.text == 'you expected a reply from Trent, and it did not happen'
    assert event.between_ticks
    assert event.magnitude == 0.7
    item = life.item('broken/x1')
    assert (item.kind, item.salience, item.valence) == ('surprise', 0.8, -0.4)
    assert life.field.due() == math.inf
    before = life.world.mood.arousal
    life.wake()
    assert life.world.mood.arousal == pytest.approx(0.7 * before + 0.3 * 0.7)
    assert '  ! you expected a reply from Trent, and it did not happen' in life.text


def test_at_a_tick_it_breaks_without_waking_her():
    life = expecting()
    life.now += 3600  # nobody has asked the field in the meantime
    life.wake()
    (event,) = life.events(BROKEN)
    assert not event.between_ticks


def test_letting_go_of_it():
    life = expecting()
    item = life.item('expect/x1')
    assert life.attend(AttendAction.RESOLVE, item=item.id).ok
    assert life.field.due() == math.inf
    life.later(7200)
    assert not life.events(BROKEN)


def test_of_her_body():
    life = expecting(text='a hand', channel='body/touched')
    life.hear(SenseEvent(kind='moved'))
    assert not life.events(EXPECTED)
    life.hear(SenseEvent(kind='touched'))
    assert life.events(EXPECTED)


def test_of_any_node():
    life = expecting(text='rain', channel='weather/rain')
    life.take(life.field.on_percept(Percept(source='weather', events=('sun',)), life.now))
    assert not life.events(EXPECTED)
    life.take(life.field.on_percept(Percept(source='weather', events=('rain',)), life.now))
    assert life.events(EXPECTED)


def test_nobody_else_can_knock_at_her_door():
    life = expecting()
    life.take(life.field.on_percept(Percept(source='door', events=('door', 'Trent')), life.now))
    life.take(life.field.on_percept(Percept(source='x', events=('door/Trent',)), life.now))
    assert not life.events(EXPECTED)


def test_it_survives_a_restart():
    life = expecting().again()
    assert life.field.due() == NOW + 1800
    life.later(1801)
    assert life.events(BROKEN)


def test_a_clock_that_was_set_back_does_not_make_it_wait():
    life = expecting()
    life.wake()
    memory = life.field.memory()
    back = Life(NOW - 86400, memory)
    assert back.field.due() == pytest.approx(NOW - 86400 + 1800)
