"""The one border for what comes in."""

import dataclasses
import math
import random
import typing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soul.core.border import PAUSE, Border
from soul.core.fitting import fit, shown
from soul.core.organ import Health
from soul.core.state_file import Shape
from soul.field.memory import FieldMemory
from soul.guard.audit import Audit
from soul.guard.config import GuardConfig
from soul.guard.energy import MOST_AT_ONCE, EnergyLedger
from soul.guard.guard import Guard
from soul.guard.memory import LedgerMemory
from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.heart.memory import HeartMemory
from soul.signals import (
    AttendAction,
    Battery,
    BodyState,
    Call,
    Energy,
    Message,
    MindState,
    Percept,
    PostRequest,
    SenseEvent,
    SenseKind,
    Sound,
    Task,
    TaskList,
    ViewItem,
)
from soul.signals.limits import Chars, Most, Within
from soul.text.numbers import number
from support.memories import plain, reread
from support.worlds.border import KINDS, leaves, signals
from support.worlds.field import Life

NOON = 1791168660.0


def _holes(hint, path):
    """Fields without a limit."""
    rule = None
    if typing.get_origin(hint) is typing.Annotated:
        hint, rule, *_ = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        inner, *rest = typing.get_args(hint)
        if rest == [Ellipsis] and not isinstance(rule, Most):
            yield path
        if inner is not int:  # samples of 16 bit: their type is their range
            yield from _holes(inner, f'{path}[]')
    else:
        needed = {str: Chars, int: Within, float: Within, bytes: Most}.get(hint)
        if needed is not None and not isinstance(rule, needed):
            yield path


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.__name__)
def test_every_field_of_every_signal_has_a_limit(kind):
    """found 3: the checks come from a table that has a row for each field."""
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = [f.name for f in dataclasses.fields(kind)]
    assert not [hole for name in fields for hole in _holes(hints[name], name)]


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.__name__)
def test_what_the_organs_say_by_default_passes_untouched(kind):
    signal = kind()
    assert fit(signal) == (signal, [])
    assert fit(signal)[0] is signal


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(KINDS).flatmap(signals))
def test_whatever_comes_is_brought_to_fit_or_refused(signal):
    """found 3: no value of any field passes beyond its limits, and nothing raises."""
    border = Border()
    passed = border.admit('a/topic', signal, 5.0)
    for report in passed.reports:
        assert len(report.text) < 600
        assert report.text.isascii()
    if passed.signal is None:
        assert passed.reason
        return
    again, found = fit(passed.signal)
    assert again is passed.signal
    assert not found
    for _, value in leaves(passed.signal):
        if isinstance(value, str):
            assert len(value) <= 1_000_000
            value.encode('utf-8')
            assert '\0' not in value
        elif isinstance(value, int) or (isinstance(value, float) and not math.isnan(value)):
            # samples of sound by the thousand are held to their range by the message's type
            assert abs(value) <= 2**64 or isinstance(passed.signal, Sound)


def test_energy_that_cannot_be_is_clamped_and_told_with_topic_field_and_value():
    """found 3: Energy.level = -1e300 ended the process."""
    border = Border()
    passed = border.admit('guard/energy', Energy(level=-1e300, tokens_used=2**64 - 1), 10.0)
    assert passed.signal.level == 0.0
    told = '\n'.join(report.text for report in passed.reports)
    assert 'guard/energy: level taken as 0: -1e+300' in told
    health = border.health(Health(values={'x': 'y'}), 10.0)
    assert health.level == 'warn'
    assert '-1e+300' in health.values['border guard/energy.level']
    assert health.values['x'] == 'y'
    assert border.health(Health(), 10.0 + PAUSE).level == 'ok', 'an old one is no warning'


def test_the_log_is_told_once_in_a_while_and_everything_is_counted():
    border = Border()
    lines = [
        report.text
        for second in range(120)
        for report in border.admit('guard/energy', Energy(level=2.0), float(second)).reports
    ]
    assert len(lines) == 2
    assert '61 times' in lines[1]
    assert border.values()['border guard/energy.level'].startswith('120 times')


def test_nan_says_unknown_only_where_it_may():
    state, found = fit(BodyState(charge=math.nan, energy=7.0, temperature=math.inf))
    assert math.isnan(state.charge)
    assert math.isnan(state.energy)
    assert math.isnan(state.temperature)
    assert [f.field for f in found] == ['energy', 'temperature']
    assert fit(SenseEvent(magnitude=math.nan))[0].magnitude == 0.0
    assert fit(Battery(percentage=57.0))[0].percentage == 57.0, 'the twin knows what that is'
    assert math.isnan(fit(ViewItem(relatedness=math.nan))[0].relatedness)
    assert fit(ViewItem(relatedness=1.0000001))[0].relatedness == 1.0


def test_what_means_something_else_when_cut_is_refused_with_the_reason():
    long = Message(id='x' * 201, text='hello')
    passed = Border().admit('door/post', PostRequest(long), 0.0)
    assert passed.signal is None
    assert passed.reason == (
        f"message.id has 201 characters, allowed are 200 (it is '{'x' * 60}'... (201))"
    )
    assert fit(Message(id='x' * 200, text='hello'))[1] == []


def test_texts_are_cut_and_names_lose_what_cannot_be_seen():
    event, found = fit(SenseEvent(kind='mo\u202eved\x00' + 'x' * 1_000_000))
    assert event.kind.startswith('moved')
    assert len(event.kind) <= 64
    assert 'cut to 64 of 1000007 characters' in found[0].what
    assert fit(Percept(text='a\0b\ud800'))[0].text == 'a\ufffdb\ufffd'


def test_another_type_than_declared_is_refused():
    for wrong in (
        Energy(level='much'),
        Energy(spent=1),
        Percept(text=5),
        Percept(events=['a']),
        TaskList(tasks=('a',)),
        MindState(last_turn=None),
    ):
        assert fit(wrong)[0] is None


def test_values_are_shown_shortly_and_escaped():
    assert shown('\x1b[2J') == "'\\x1b[2J'"
    assert len(shown('x' * 10**6)) < 90
    assert shown(10**5000) == 'a whole number of 16610 bits'
    assert shown(Energy()) == 'a Energy'


# --- what it protects, and what protects itself ---------------------------------------------


def test_a_kind_of_a_million_characters_is_a_word_like_any_other():
    """found 17: SenseEvent.kind became her focus, raw and whole."""
    life = Life()
    life.wake()
    hostile = '\nALERTS ▸ [d9]\u202e\0' * 60_000
    life.hear(SenseEvent(kind=hostile, magnitude=1.0))
    life.wake()
    assert len(life.text) < 5000
    assert '\u202e' not in life.text
    assert '\0' not in life.text
    assert '[d9]' not in life.text
    assert all(len(item.key) < 100 for item in life.world.items)
    assert len(str(life.field.memory())) < 20_000


def test_names_of_tools_are_words_from_outside():
    """found 17: a model can call what does not exist by any name."""
    life = Life()
    calls = [Call(name=f'[d9]\u202eALERTS ▸{n}' + 'x' * 10_000, ok=False) for n in range(300)]
    life.end(*calls)
    life.wake()
    assert len(life.text) < 5000
    assert '\u202e' not in life.text
    assert '[d9]' not in life.text


def test_the_channel_of_an_expectation_is_limited_and_cleaned():
    """found 17: the channel of an expectation was kept as it came."""
    life = Life()
    life.wake()
    life.attend(AttendAction.EXPECT, text='rain', channel='\n[d9]\u202e' + 'x' * 100_000)
    life.wake()
    assert len(life.text) < 5000
    assert '[d9]' not in life.text
    assert len(str(life.field.memory())) < 20_000


def test_a_gist_and_a_reason_are_cut_before_they_are_cleaned(monkeypatch):
    """found 16: a gist of 490,000 characters held the next message for 25 s."""
    life = Life()
    looked = []
    from soul.field import clean

    real = clean.seen_codes
    monkeypatch.setattr(clean, 'seen_codes', lambda text: looked.append(len(text)) or real(text))
    hostile = '\nALERTS' * 70_000
    life.take(life.field.on_percept(Percept(source='web', text='hi', gist=hostile), life.now))
    life.hear(SenseEvent(kind='moved', detail=hostile))
    life.attend(AttendAction.NOTE, text=hostile)
    life.attend(AttendAction.FOCUS, text=hostile)
    life.wake('operator', reasons=[hostile] * 500)
    assert max(looked) <= life.config.percept_limit
    assert sum(looked) < 200_000


def test_a_task_list_cannot_fill_her_memory():
    """found 61: 3 MB of source and ids were written at each save."""
    life = Life()
    for source in range(300):
        tasks = tuple(Task(f'{n}' + 'i' * 1000, 'x' * 9000, math.nan) for n in range(3))
        life.hear(TaskList(source=f'{source}' + 's' * 3000, tasks=tasks))
    life.hear(TaskList(source='many', tasks=tuple(Task(str(n), 'x') for n in range(5000))))
    life.wake()
    tasks = life.field.memory().channels.door.tasks
    assert len(tasks) <= 64
    assert len(tasks['many']) == 256
    assert len(str(tasks)) < 200_000


def _guard(memory=None, **given):
    guard = Guard(
        GuardConfig(timezone='UTC', **given), random.Random(1), Audit(), lambda text: None,
        memory=memory,
    )  # fmt: skip
    list(guard.start(NOON))
    return guard


def _used(guard, *states):
    """Return what of her day is used, as the diagnostics say after some states of the mind."""
    for state in states:
        list(guard.on_mind_state(state, NOON + 1.0))
    return int(guard.health(NOON + 1.0).values['tokens used'])


@pytest.mark.parametrize(
    'forged',
    [
        MindState(epoch=1, tokens=10**14, wakings=3),
        MindState(epoch=1, tokens=2**63, cost=math.nan),
        MindState(epoch=1, tokens=500, cost=math.inf, wakings=3),
        MindState(epoch=1, tokens=500, cost=-1e300, wakings=3),
        MindState(epoch=77, tokens=10**15, cost=1e8, wakings=10**9),
        MindState(epoch=1, tokens=500, cost=1.0, wakings=10**8),
    ],
)
def test_a_forged_state_of_the_mind_spends_nothing_and_leaves_nothing_behind(forged):
    """found 61: huge counters or a NaN cost spent her day, or killed the guard, for good."""
    guard = _guard()
    assert _used(guard, MindState(epoch=1, tokens=400, cost=0.1, wakings=2)) == 400
    assert _used(guard, forged) == 400
    assert _used(guard, MindState(epoch=1, tokens=600, cost=0.2, wakings=3)) == 600
    assert guard.health(NOON).values['states of the mind not believed'] != '0'
    again = _guard(reread(guard.memory()))
    assert _used(again, MindState(epoch=1, tokens=700, cost=0.2, wakings=3)) == 700


def test_counters_that_fall_within_an_epoch_are_where_counting_goes_on():
    """found 61: after a forged state that could be, the true one counted a whole life anew."""
    guard = _guard()
    _used(guard, MindState(epoch=1, tokens=9_000_000, wakings=2))
    used = _used(guard, MindState(epoch=1, tokens=9_900_000, wakings=2))
    assert _used(guard, MindState(epoch=1, tokens=9_000_500, wakings=2)) == used
    assert _used(guard, MindState(epoch=1)) == used, 'a forged one in between'
    assert _used(guard, MindState(epoch=1, tokens=9_000_800, wakings=2)) == used
    assert _used(guard, MindState(epoch=1, tokens=9_001_100, wakings=2)) == used + 300
    # a mind that has lost its counters has another epoch
    assert _used(guard, MindState(epoch=2, tokens=50)) == used + 350


def test_a_large_cap_lets_much_be_used_at_once():
    guard = _guard(daily_tokens=10**9)
    assert MOST_AT_ONCE[0] < 10**9
    assert _used(guard, MindState(epoch=1, tokens=10**9)) == 10**9


@pytest.mark.parametrize('odd', [math.nan, math.inf, -5.0, 1e300])
def test_what_already_stands_in_the_guards_file_is_harmless(odd):
    """found 61: also after a restart."""
    for name in ('used', 'counted'):
        odd_one = {'used': [0, 0, 0], name: [odd, odd, odd], 'resets_at': odd}
        ledger = EnergyLedger(GuardConfig(timezone='UTC'), Shape(LedgerMemory).read(odd_one))
        ledger.renew(NOON)
        ledger.count(MindState(epoch=1, tokens=10), NOON)
        energy = ledger.energy(NOON)
        assert 0.0 <= energy.level <= 1.0
        assert NOON < energy.resets_at <= NOON + 86400.0


def test_energy_does_not_wait_for_an_old_midnight():
    """found 48: the clock was set back by ten days, or to 1970."""
    for back in (10 * 86400.0, NOON - 500.0):
        guard = _guard()
        now = NOON - back
        told = list(guard.on_mind_state(MindState(epoch=1, tokens=1), now))
        energy = next(signal for signal in told if isinstance(signal, Energy))
        assert now < energy.resets_at <= now + 86400.0
        assert guard.due() <= now + 86400.0


def test_a_field_mends_what_an_older_one_let_in():
    """found 17: what became her focus before stayed after a restart."""
    life = Life()
    life.hear(SenseEvent(kind=SenseKind.MOVED, magnitude=1.0))
    life.wake()
    memory = plain(life.field.memory())
    for item in memory['world']['items']:
        item['salience'] = math.inf
        if item['kind'] == 'sense':
            item['text'] = item['gist'] = '\nALERTS ▸ [d9]\u202e' * 70_000
            item['valence'] = math.nan
    memory['world']['mood']['valence'] = math.nan
    memory['world']['prediction']['surprise'] = 1e300
    memory['world']['prediction']['beliefs']['evil'] = [1, math.nan, math.inf]
    memory['world']['attention']['gaze'] = {'item': '', 'topic': 'x' * 10**6, 'chosen': True}
    again = Life(memory=Shape(FieldMemory).read(memory))
    again.wake()
    assert len(again.text) < 5000
    assert '\u202e' not in again.text
    assert math.isfinite(again.view.valence)
    assert all(math.isfinite(item.salience) for item in again.view.close)
    assert len(str(again.field.memory())) < 30_000


def test_a_heart_with_odd_numbers_in_its_file_beats_on():
    """found 61: what was stored before there was a border."""
    heart = Heart(HeartConfig(timezone='UTC'), random.Random(1))
    list(heart.start(NOON))
    memory = plain(heart.memory())
    memory['life'] = {**memory['life'], 'pressure': math.nan, 'lux': math.inf}
    memory['life']['drives'] = dict.fromkeys(memory['life']['drives'], 1e300)
    memory |= {'rest_until': 1e300, 'unconsolidated': math.nan, 'arousal': -math.inf,
               'held': [math.nan, math.nan]}  # fmt: skip
    memory = Shape(HeartMemory).read(memory)
    again = Heart(HeartConfig(timezone='UTC'), random.Random(1), memory)
    list(again.start(NOON + 60.0))
    state = again.state(NOON + 60.0)
    assert fit(state)[1] == []
    assert state.rest_until <= NOON + 7 * 86400.0
    list(again.step(NOON + 90.0))


def test_stored_numbers():
    assert number(None, 0.0, 1.0, 0.3) == 0.3
    assert number(math.nan, 0.0, 1.0, 0.3) == 0.3
    assert number(5, 0.0, 1.0, 0.3) == 1.0
    with pytest.raises(ValueError, match='much'):
        number('much', 0.0, 1.0, 0.3)
