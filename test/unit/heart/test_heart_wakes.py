"""What wakes her, what does not, and that nothing is lost or felt twice."""

import dataclasses
import itertools

import pytest

from soul.core.organ import Save
from soul.heart.config import HeartConfig
from soul.heart.rate_forecast import RateForecast
from soul.signals import (
    BodyState,
    Call,
    Energy,
    FieldEvent,
    FieldEventKind,
    MindState,
    NamedValue,
    NudgeRequest,
    Outcome,
    Phase,
    RestRequest,
    SenseEvent,
    SenseKind,
    View,
    Wake,
    WakeCause,
    WakeId,
)
from support.worlds.heart import Beside, guard, knock, spent

TOUCH = SenseEvent(id='t', kind=SenseKind.TOUCHED, detail='somebody touches your head')
SURPRISE = FieldEvent(
    kind=FieldEventKind.SURPRISED, text='a door slams', magnitude=0.8, between_ticks=True
)


def heart(**config):
    """A heart that wakes by itself practically never."""
    return Beside(**{'activity': 0.0, **config})


# --- at once ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ('signal', 'cause', 'reason'),
    [
        (knock(), WakeCause.MESSAGE, None),
        (TOUCH, WakeCause.SENSE, 'somebody touches your head'),
        (SURPRISE, WakeCause.SURPRISE, 'a door slams'),
        (
            FieldEvent(kind=FieldEventKind.BROKEN, text='no answer came', between_ticks=True),
            WakeCause.SURPRISE,
            'no answer came',
        ),
    ],
)
def test_what_wakes_at_once(signal, cause, reason):
    one = heart()
    one.hear(signal)
    (wake,) = one.wakes()
    assert (wake.causes, wake.reasons, wake.stamp) == (
        (cause,),
        (reason,) if reason else (),  # who is at the door is told by the message itself
        one.now,
    )


@pytest.mark.parametrize(
    'signal',
    [
        SenseEvent(kind=SenseKind.LIGHT),
        SenseEvent(kind='thunder'),
        dataclasses.replace(TOUCH, trusted=False),  # a phantom touch
        dataclasses.replace(SURPRISE, between_ticks=False),  # of the wake's own tick
        dataclasses.replace(SURPRISE, magnitude=0.1),
        FieldEvent(kind=FieldEventKind.CAPTURED, magnitude=1.0, between_ticks=True),
        FieldEvent(kind=FieldEventKind.EXPECTED, magnitude=1.0, between_ticks=True),
    ],
)
def test_what_does_not_wake(signal):
    one = heart()
    one.hear(signal)
    assert one.wakes() == []


def test_a_nudge_wakes_with_its_reason():
    one = heart()
    assert one.ask(one.heart.serve_nudge, NudgeRequest('dinner is ready', 'ann')).accepted
    assert one.wakes()[0].causes == (WakeCause.OPERATOR,)
    assert one.wakes()[0].reasons == ('dinner is ready',)


def test_a_nudge_of_her_own_body_is_a_sense():
    """Decided: what her body nudges her for is no operator's doing."""
    one = heart()
    assert one.ask(one.heart.serve_nudge, NudgeRequest('the dock is near', 'body/http')).accepted
    assert one.wakes()[0].causes == (WakeCause.SENSE,)
    assert one.wakes()[0].reasons == ('the dock is near',)


@pytest.mark.parametrize('reason', ['', '  ', 'x' * 1001])
def test_a_nudge_without_a_proper_reason_is_refused(reason):
    one = heart()
    answer = one.ask(one.heart.serve_nudge, NudgeRequest(reason))
    assert not answer.accepted
    assert answer.reason
    assert one.wakes() == []


def test_an_open_wake_takes_everything_in():
    one = heart()
    for signal in (knock('m1'), TOUCH, SURPRISE, knock('m2', 'bob')):
        one.hear(signal)
    (wake,) = one.wakes()
    assert wake.causes == (WakeCause.MESSAGE, WakeCause.SENSE, WakeCause.SURPRISE)
    assert len(wake.reasons) == 2
    assert wake.message_ids == ('m1', 'm2')
    assert wake.events == (TOUCH,)


def test_a_face_at_30_hz_all_day_burns_no_money():
    """With a mind that answers each wake at once, a whole day of events thirty times a second."""
    one = heart(refractory_seconds=30.0)
    face = SenseEvent(kind=SenseKind.TOUCHED, detail='a face')
    end = one.now + 86400.0
    while one.now < end:
        for _ in range(30):
            one.hear(face)
            if one.heart.rhythm.wakes.open is not None:
                one.live()
        # between two wakes an event does nothing at all; go on where that may change
        quiet = one.heart.triggers.refractory.silent_until(face.kind)
        one.now = max(one.now + 1.0, min(quiet - 1.0, one.now + 25.0))
    assert 25 <= len(one.wakes()) <= 35
    assert one.level('longing') <= 1.0


def test_a_kind_is_new_again_after_a_silence():
    one = heart(refractory_seconds=30.0)
    one.hear(TOUCH)
    one.live()
    one.run(29.0)
    one.hear(TOUCH)
    assert len(one.wakes()) == 1
    one.run(31.0)
    one.hear(TOUCH)
    assert len(one.wakes()) == 2


def test_kinds_do_not_share_their_refractory_time():
    one = heart()
    one.hear(TOUCH)
    one.live()
    one.hear(SenseEvent(kind=SenseKind.PICKED_UP))
    assert len(one.wakes()) == 2


# --- in mid-turn --------------------------------------------------------------------------


def test_knocks_wait_until_the_turn_ends():
    one = heart()
    one.hear(knock('m1'))
    one.begin()
    one.hear(knock('m2'))
    one.hear(knock('m3'))
    one.hear(TOUCH)
    one.hear(SURPRISE)
    assert len(one.wakes()) == 1
    one.end(messages_seen=('m1', 'm2'))
    assert [w.message_ids for w in one.wakes()] == [('m1',), ('m3',)]


def test_a_nudge_in_mid_turn_is_kept_even_through_a_crash():
    one = heart()
    one.hear(knock('m1'))
    one.begin()
    answer, outputs = one.heart.serve_nudge(NudgeRequest('come here'), one.now)
    assert answer.accepted
    assert list(outputs) == [Save()]
    again = Beside(one.now, one.heart.memory(), mind=False, activity=0.0)
    again.hear(one.mind)
    assert again.wakes() == []
    again.turns = one.turns
    again.mind = one.mind
    again.end()
    assert again.wakes()[-1].reasons == ('come here',)


@pytest.mark.parametrize('outcome', [Outcome.FAILED, Outcome.CUT, Outcome.STOPPED])
@pytest.mark.parametrize('crashed', [False, True])
def test_a_nudge_whose_turn_fails_waits_again(outcome, crashed):
    """found 54: an accepted nudge was lost when its turn failed."""
    one = heart()
    assert one.ask(one.heart.serve_nudge, NudgeRequest('dinner is ready', 'ann')).accepted
    wake = one.begin()
    assert [w.reasons for w in one.wakes()] == [('dinner is ready',)]
    if crashed:
        turns, mind = one.turns, one.mind
        one = Beside(one.now, one.heart.memory(), mind=False, activity=0.0)
        one.turns, one.mind = turns, mind
        one.hear(mind)
    one.end(wake=wake, outcome=outcome)
    wakes = one.wakes()
    assert wakes[-1].reasons == ('dinner is ready',)
    one.begin(wakes[-1])
    one.end()
    assert len(one.wakes()) == len(wakes), 'once it was lived it is over'


def test_a_nudge_whose_wake_passes_waits_again():
    """found: a wake passes when its messages are dealt with already; a nudge in it was lost."""
    one = heart()
    one.hear(knock('m1'))
    assert one.ask(one.heart.serve_nudge, NudgeRequest('dinner is ready', 'ann')).accepted
    one.live(declined=True)
    assert one.wakes()[-1].reasons == ('dinner is ready',)
    told = len(one.wakes())
    one.live(declined=True, steps=1)
    assert len(one.wakes()) == told, 'she has looked, and that is enough'


def test_nothing_is_sampled_while_she_is_awake():
    one = Beside(base_rate=60.0, activity=4.0)
    one.run(3600.0)
    assert len(one.wakes()) == 1, 'one wake stays open'
    one.begin()
    one.run(3600.0)
    assert len(one.wakes()) == 1
    one.end(drives=(NamedValue('curiosity', 1.0),))
    one.run(3600.0)
    assert len(one.wakes()) == 2


# --- stopped, spent -----------------------------------------------------------------------


@pytest.mark.parametrize('how', ['stopped', 'paused'])
def test_stopped_and_resumed_one_merged_wake(how):
    one = Beside(base_rate=60.0, activity=4.0)
    one.hear(guard(**{how: True}))
    for n in range(3):
        one.hear(knock(f'm{n}'))
    one.hear(TOUCH)
    one.run(7200.0)
    assert one.wakes() == []
    assert one.state().rate_per_hour == 0.0
    assert one.state().inhibited_by == (how,)
    assert not one.ask(one.heart.serve_nudge, NudgeRequest('up')).accepted
    one.hear(guard())
    (wake,) = one.wakes()
    assert wake.message_ids == ('m0', 'm1', 'm2')


def test_spent_only_people_wake_her_at_once():
    one = heart()
    one.hear(spent())
    one.hear(TOUCH)
    one.hear(SURPRISE)
    assert one.wakes() == []
    one.hear(knock())
    assert len(one.wakes()) == 1


def test_the_rate_without_a_model_or_a_mind_is_zero():
    one = Beside(mind=False, base_rate=60.0)
    assert one.state().rate_per_hour == 0.0
    one.run(86400.0)
    assert one.wakes() == []
    one.hear(one.mind)
    assert one.state().rate_per_hour > 0.0
    one.do(one.heart.on_silence('mind/state', one.now))
    assert one.state().inhibited_by == ('no_model',)


def test_each_change_of_state_samples_anew():
    one = Beside()
    seen = set()
    for signal in (
        BodyState(temperature=50.0),
        BodyState(temperature=20.0, illuminance=1.0),
        Energy(level=0.3),
        View(arousal=0.9),
        SenseEvent(kind=SenseKind.LIGHT),
        dataclasses.replace(one.mind, open_loops=4),
        guard(),
    ):
        before = one.heart.rhythm.scheduler.due()
        one.hear(signal)
        seen.add(one.heart.rhythm.scheduler.due() != before)
    assert seen == {True}
    before = one.heart.rhythm.scheduler.due()
    one.hear(BodyState(temperature=20.5, illuminance=1.5))
    one.hear(View(arousal=0.9))
    assert one.heart.rhythm.scheduler.due() == before, 'what changes nothing leaves it'


def test_arousal_and_energy_are_factors():
    one = Beside()
    rate = one.state().rate_per_hour
    one.hear(View(arousal=0.4))
    one.hear(Energy(level=0.25))
    assert one.state().rate_per_hour == pytest.approx(rate * 1.6 / 2.0)


# --- rest ---------------------------------------------------------------------------------


def test_a_rest_damps_and_then_wakes_her_soon():
    one = Beside()
    one.hear(knock())
    one.live(rest=60.0 * 30.0, drives=(NamedValue('curiosity', 0.2),))
    state = one.state()
    assert state.rest_until == one.now + 1800.0
    free = Beside()
    free.hear(knock())
    free.live(drives=(NamedValue('curiosity', 0.2),))
    assert state.rate_per_hour == pytest.approx(0.1 * free.state().rate_per_hour)
    one.now += 1800.0  # not stepped: she would wake meanwhile in one of ten lives
    one.hear(guard())
    assert one.heart.state(one.now).rate_per_hour >= 20.0 - 1e-9
    one.hear(guard(paused=True))
    assert one.heart.state(one.now).rate_per_hour == 0.0, 'times inhibition'


def test_after_a_rest_she_wakes_within_a_few_minutes_by_her_own_choice():
    late = []
    for seed in range(60):
        one = Beside(seed=seed, base_rate=0.01)
        one.hear(knock())
        one.live(rest=60.0 * 30.0)
        one.run(1800.0)
        while len(one.wakes()) < 2:
            one.run(60.0)
        assert one.wakes()[-1].causes == (WakeCause.CHOSEN,)
        late.append(one.wakes()[-1].stamp - one.wakes()[0].stamp - 1800.0)
        one.live(drives=(NamedValue('curiosity', 0.0),))
        assert one.state().rate_per_hour < 0.1, 'until she has woken once'
    assert sum(late) / len(late) == pytest.approx(180.0, rel=0.35)


@pytest.mark.parametrize(
    ('minutes', 'accepted', 'until'),
    [(30.0, True, 1800.0), (0.2, True, 60.0), (0.0, True, 0.0), (241.0, False, 0.0)],
)
def test_rest_from_outside(minutes, accepted, until):
    one = heart()
    assert one.ask(one.heart.serve_rest, RestRequest(60.0 * minutes)).accepted is accepted
    assert one.state().rest_until == (one.now + until if until else 0.0)


@pytest.mark.parametrize('minutes', [float('nan'), -1.0, float('inf')])
def test_a_senseless_rest_is_refused(minutes):
    one = heart()
    answer = one.ask(one.heart.serve_rest, RestRequest(60.0 * minutes))
    assert 'allowed is 0 to 240' in answer.reason


# --- dreams -------------------------------------------------------------------------------


def asleep(unconsolidated=3, **config):
    one = heart(**config)
    for n in range(unconsolidated):
        one.hear(knock(f'm{n}'))
        one.live(messages_seen=(f'm{n}',))
    one.run(13 * 3600)
    assert one.state().asleep
    return one


def dreaming(**config):
    one = asleep(activity=1.0, base_rate=0.0001, **config)
    object.__setattr__(one.heart.rhythm.life.params, 'base_rate', 60.0)
    one.hear(guard())
    one.run(1800)
    return one


def test_dreams_say_what_they_are_and_how_much_is_left():
    one = dreaming()
    wake = one.wakes()[-1]
    assert wake.causes == (WakeCause.DREAM,)
    assert wake.reasons == ('3 wakings and talks not dreamt over yet',)
    assert one.told()[-1].unconsolidated == 3.0
    boredom = one.level('boredom')
    pressure = one.state().sleep_pressure
    one.begin(phase=Phase.DREAMING)
    one.end(causes=(WakeCause.DREAM,), tokens_in=100_000)
    state = one.state()
    assert state.unconsolidated == 0.0
    assert state.rate_per_hour == 0.0
    assert (one.level('boredom'), state.sleep_pressure) == (boredom, pressure)


def test_a_failed_dream_leaves_everything_to_be_dreamt():
    one = dreaming()
    one.begin(phase=Phase.DREAMING)
    one.end(causes=(), outcome=Outcome.FAILED)  # closed after a crash: no causes
    assert one.state().unconsolidated == 3.0


def test_a_message_cancels_a_dream_and_she_sleeps_on():
    one = dreaming()
    dream = one.wakes()[-1]
    one.hear(knock('night'))
    message = one.wakes()[-1]
    assert message.id.sequence == dream.id.sequence + 1
    assert message.causes == (WakeCause.MESSAGE,)
    one.begin()
    one.end(messages_seen=('night',))
    assert one.state().asleep


def test_a_message_in_mid_dream_wakes_at_once():
    one = dreaming()
    one.begin(phase=Phase.DREAMING)
    one.hear(knock('night'))
    assert one.wakes()[-1].message_ids == ('night',)


def test_morning_is_no_wake_and_a_dream_not_begun_is_let_go():
    one = dreaming()
    count = len(one.wakes())
    object.__setattr__(one.heart.rhythm.life.params, 'base_rate', 0.0)
    one.run(10 * 3600)
    state = one.state()
    assert not state.asleep
    assert not state.wake_open
    assert len(one.wakes()) == count
    assert any(told.asleep != one.told()[0].asleep for told in one.told())


# --- turns --------------------------------------------------------------------------------


def told(one, turn):
    """The same turn as part of the mind's state."""
    return dataclasses.replace(one.mind, last_turn=turn)


def felt(one):
    state = one.heart.state(one.now)
    return (
        tuple((d.name, round(d.level, 12)) for d in state.drives),
        round(state.sleep_pressure, 12),
        state.unconsolidated,
        state.rest_until,
    )


def test_turns_count_once_in_any_order_however_often_they_are_told():
    """All orders of four turns, on both topics, give what the right order gives."""
    seen = set()
    for order in itertools.permutations(range(4)):
        one = heart()
        wake = Wake(id=WakeId(5, 1))
        look = (Call(name='look', ok=True, receipt='r'),)
        turns = [
            one.turn(wake, steps=3, tokens_in=9000, drives=(NamedValue('curiosity', 0.8),)),
            one.turn(wake, steps=1, talk=True, calls=()),
            one.turn(wake, steps=2, calls=look, drives=(NamedValue('longing', 0.4),)),
            one.turn(wake, steps=4, declined=True, rest=60.0 * 20.0),
        ]
        for n in order:
            one.hear(turns[n] if n % 2 else told(one, turns[n]))
        for n in reversed(order):
            one.hear(told(one, turns[n]))
            one.hear(turns[n])
        seen.add(felt(one))
    assert len(seen) == 1
    ((levels, _, unconsolidated, rest),) = seen
    assert dict(levels)['boredom'] == 1.0
    assert dict(levels)['curiosity'] == pytest.approx(0.3)
    assert dict(levels)['longing'] == pytest.approx(0.4)
    assert unconsolidated == 4.0
    assert rest == one.now + 1200.0


def test_a_mind_that_lost_its_state_counts_anew():
    one = heart()
    one.hear(dataclasses.replace(one.turn(), epoch=9))
    one.hear(dataclasses.replace(one.turn(), epoch=10, sequence=1))
    one.hear(dataclasses.replace(one.turn(), epoch=9, sequence=1))  # the old one once more
    assert one.state().unconsolidated == 2.0


def test_no_old_turn_is_felt_again_after_very_many():
    one = heart()
    turns = [one.turn() for _ in range(200)]
    for turn in turns:
        one.hear(turn)
    for turn in turns:
        one.hear(turn)
    assert one.state().unconsolidated == 200.0
    assert one.level('boredom') == 200.0


# --- the open wake ------------------------------------------------------------------------


def test_a_wake_is_sent_again_until_it_is_begun():
    one = heart()
    one.hear(knock())
    one.run(200.0)
    sent = [o for o in one.said if isinstance(o, Wake)]
    assert [w.stamp for w in sent] == [one.now - 200.0] * 9  # at 0 2 4 8 16 32 64 124 184 s
    one.begin()
    one.run(200.0)
    assert len([o for o in one.said if isinstance(o, Wake)]) == 9


def test_numbers_are_reserved_before_they_are_used_and_never_used_twice():
    one = heart()
    assert Save() in one.said
    ids = set()
    memory = one.heart.memory()
    for n in range(5):
        one = Beside(one.now, memory, activity=0.0)
        for k in range(3):
            one.hear(knock(f'{n}-{k}'))
            one.begin()
            one.end()
        new = {w.id for w in one.wakes()}
        assert not ids & new
        ids |= new
        memory = one.heart.memory()
    assert len({i.epoch for i in ids}) == 1


# --- cadences -----------------------------------------------------------------------------


def test_chosen_she_wakes_when_she_said():
    one = Beside(cadence='chosen')
    one.run(0.0)
    assert len(one.wakes()) == 1, 'a first life begins with a waking'
    for asked, slept in ((10.0, 10.0), (1.0, 5.0), (200.0, 30.0), (0.0, 15.0)):
        one.live(rest=60.0 * asked)
        count, began = len(one.wakes()), one.now
        one.run(60.0 * slept - 1.0)
        assert len(one.wakes()) == count
        one.run(2.0)
        assert one.wakes()[-1].causes == (WakeCause.CHOSEN,)
        assert one.wakes()[-1].stamp == pytest.approx(began + 60.0 * slept)


def test_chosen_a_spent_day_is_wintered_and_people_still_wake_her():
    one = Beside(cadence='chosen')
    one.run(0.0)
    one.live(rest=60.0 * 10.0)
    one.hear(spent())
    one.run(59 * 60.0)
    assert len(one.wakes()) == 1
    one.hear(knock())
    assert one.wakes()[-1].causes == (WakeCause.MESSAGE,)


def test_chosen_a_stop_holds_and_ends_with_one_wake():
    one = Beside(cadence='chosen')
    one.run(0.0)
    one.live()
    one.hear(guard(stopped=True))
    one.run(5 * 3600.0)
    assert len(one.wakes()) == 1
    one.hear(guard())
    one.run(0.0)
    assert len(one.wakes()) == 2


def test_adaptive_the_interval_follows_energy_and_arousal():
    one = Beside(cadence='adaptive')
    one.run(0.0)
    for energy, arousal, seconds in ((1.0, 0.0, 120.0), (0.25, 0.5, 137.142857), (0.0, 0.0, 360)):
        one.hear(Energy(level=energy))
        one.hear(View(arousal=arousal))
        one.live()
        began = one.now
        one.run(seconds + 0.001)
        assert one.wakes()[-1].stamp == pytest.approx(began + seconds, abs=1e-5)
    one.live(rest=60.0 * 120.0)
    count = len(one.wakes())
    one.run(7199.0)
    assert len(one.wakes()) == count
    one.run(1.5)
    assert one.wakes()[-1].causes == (WakeCause.CHOSEN,)


def test_adaptive_a_spent_day_lasts_until_the_reset():
    one = Beside(cadence='adaptive')
    one.run(0.0)
    one.live()
    one.hear(spent(resets_at=one.now + 7200.0))
    one.run(7204.0)
    assert len(one.wakes()) == 1
    one.run(1.5)
    assert len(one.wakes()) == 2


# --- what the mind says -------------------------------------------------------------------


def test_a_field_that_has_just_come_is_told_of_the_open_wake_at_once():
    one = heart()
    one.hear(knock())
    one.run(20.0)
    count = len(one.said)
    one.hear(View())
    one.run(0.0)
    assert any(isinstance(o, Wake) for o in one.said[count:])


def test_the_state_is_told_from_time_to_time():
    one = heart(state_seconds=60.0)
    before = len(one.told())
    one.run(600.0)
    assert len(one.told()) - before == 10
    assert HeartConfig().state_seconds == 60.0


def test_a_mind_that_dies_in_mid_turn_lets_the_knocks_through():
    one = heart()
    one.hear(knock('m1'))
    one.begin()
    one.hear(knock('m2'))
    one.do(one.heart.on_silence('mind/state', one.now))
    assert one.wakes()[-1].message_ids == ('m2',)
    one.hear(MindState(epoch=9, phase=Phase.IDLE, begun=one.wakes()[-1].id))
    assert not one.state().wake_open


def test_a_turn_that_is_told_before_its_beginning_closes_its_wake():
    one = heart()
    one.hear(knock('m1'))
    one.hear(one.turn())
    assert not one.state().wake_open
    assert one.level('boredom') == 1
    one.begin()
    assert one.level('boredom') == 1, 'its turn has ended'


def test_falling_asleep_is_told_whatever_notices_it_first():
    one = heart()
    one.run(9 * 3600)
    one.now = one.heart.rhythm.life.switch() + 1.0
    count = len(one.told())
    one.hear(SenseEvent(kind='thunder'))
    one.hear(SenseEvent(kind='thunder'))
    one.run(0.0)
    assert [told.asleep for told in one.told()[count:]][-1] is True


def test_if_a_bound_did_not_hold_she_would_wake_all_the_same_and_say_so(monkeypatch):
    """A candidate notices it, and a crude bound takes over for that sample."""
    low = RateForecast.bound
    monkeypatch.setattr(RateForecast, 'bound', lambda course, a, b: low(course, a, b) / 2.0)
    wakes = 0
    for seed in range(40):
        one = Beside(seed=seed, base_rate=20.0)
        one.run(3600.0)
        wakes += len(one.wakes())
        exceeded = one.heart.rhythm.scheduler.exceeded
        assert exceeded == bool(one.heart.health(one.now).level == 'error')
    rate = Beside(base_rate=20.0).state().rate_per_hour
    assert wakes / 40 == pytest.approx(1 - 2.718281828**-rate, abs=0.15)


@pytest.mark.parametrize(('longest', 'granted'), [(240.0, 240.0), (600.0, 480.0)])
def test_how_long_she_may_rest_is_one_parameter(longest, granted):
    """`longest_rest_minutes` above 240 did nothing: three places had a limit of their own."""
    from soul.mind.tools.rest import SleepArguments

    asked = SleepArguments(minutes=480.0).minutes
    one = heart(longest_rest_minutes=longest)
    one.hear(knock())
    one.begin()
    one.end(rest=60.0 * asked)
    assert one.state().rest_until - one.now == pytest.approx(60.0 * granted, abs=5.0)
