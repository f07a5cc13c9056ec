"""Her senses: time, body, door, bench, and whatever another node offers."""

import math
import sys
import types

import pytest

from soul.field.channels import Channel, base
from soul.field.channels.base import UnknownChannel
from soul.field.channels.bench import BenchFile
from soul.field.perception import Perception
from soul.field.readings import ChannelReading, ItemUpdate
from soul.signals import (
    BodyState,
    Call,
    Energy,
    FieldEventKind,
    MindState,
    NamedValue,
    Percept,
    Phase,
    SenseEvent,
    Task,
    TaskList,
)
from support.memories import reread
from support.worlds.field import NOW, Life, config


def beliefs(life):
    return life.world.prediction.beliefs


# --- time ---------------------------------------------------------------------------------


def test_the_clock_and_the_gap():
    life = Life()
    life.wake()
    assert '⏱ night, 02:51 · you have just come into being' in life.text
    assert beliefs(life).get('time.gap') is None
    life.later(7 * 3600).wake()
    assert '⏱ morning, 09:51 · some hours since you last looked' in life.text
    assert beliefs(life).get('time.gap').mean == pytest.approx(math.log1p(7 * 3600))


@pytest.mark.parametrize(
    ('hour', 'part'),
    [(0, 'night'), (4, 'night'), (5, 'morning'), (11, 'morning'), (12, 'afternoon'),
     (16, 'afternoon'), (17, 'evening'), (21, 'evening'), (22, 'night')],
)  # fmt: skip
def test_parts_of_the_day(hour, part):
    life = Life(NOW - 2 * 3600 - 51 * 60 + hour * 3600)
    life.wake()
    assert f'⏱ {part}, {hour:02d}:00' in life.text


def test_her_own_time_zone():
    life = Life(timezone='Asia/Tokyo')
    life.wake()
    assert '⏱ morning, 11:51' in life.text


# --- body ---------------------------------------------------------------------------------


def test_what_her_hands_did():
    life = Life()
    life.end('web_search', 'workbench', 'sleep')
    life.wake()
    assert '✋ you just used web_search and workbench' in life.text
    life.end('sleep')
    life.wake()
    assert '✋ you only thought the last time' in life.text
    life.end(Call(name='look', ok=False), 'speak')
    life.wake()
    assert '✋ you just used look and speak; look did not work' in life.text
    body = life.item('gauge/body')
    assert (body.salience, body.valence) == (0.6, -0.25)


def test_what_a_thought_costs_is_predicted():
    life = Life()
    life.end('diary', tokens_in=1400, tokens_out=100, duration=3.0)
    life.wake()
    assert beliefs(life).get('body.burn').mean == pytest.approx(math.log1p(1500))
    assert beliefs(life).get('body.latency').mean == pytest.approx(math.log1p(3))
    assert beliefs(life).get('body.tool_fail').mean == 0.2
    life.wake()
    assert beliefs(life).get('body.burn').n == 1, 'each turn counts once'


def test_repeating_herself_is_felt_first():
    life = Life()
    calls = [Call(name='look', args_digest='left', ok=True), Call(name='sleep', ok=True)]
    life.end(*calls, reply_digest='x')
    life.wake()
    assert 'repeating' not in life.text
    life.end(*calls, reply_digest='x')
    life.wake()
    assert '! you feel yourself repeating' in life.text
    life.end(outcome='failed')  # does not end it
    life.wake()
    assert '! you feel yourself repeating' in life.text
    life.end(*calls, reply_digest='y')
    life.wake()
    assert 'repeating' not in life.text


def test_wakings_without_a_tool_are_felt_as_repetition_when_they_are_the_same():
    """found 19: they were marked as declined, which was passed over."""
    life = Life()
    for _ in range(5):  # each with another thought
        life.end('sleep', declined=True)
        life.wake()
    assert 'repeating' not in life.text
    for _ in range(2):
        life.end('sleep', declined=True, reply_digest='still waiting')
        life.wake()
    assert '! you feel yourself repeating' in life.text
    life.end(declined=True, reply_digest='')  # a wake that passed without a thought
    life.wake()
    assert '! you feel yourself repeating' in life.text


def test_the_battery_the_warmth_and_touch():
    life = Life()
    for n in range(8):
        life.hear(BodyState(charge=0.9 - 0.01 * n, temperature=35.0))
        life.later(3600).wake()
    slope = beliefs(life).get('body.battery_slope')
    assert math.expm1(slope.mean) == pytest.approx(1.0, rel=0.01), 'percent an hour'
    life.hear(BodyState(charge=0.4, temperature=44.0))
    life.hear(SenseEvent(kind='touched', magnitude=0.5))
    life.later(3600).wake()
    text = life.text
    assert '! your strength drains faster than you expected' in text
    assert '! you are warmer than you expected' in text
    assert '! someone touched you, and you had not expected it' in text
    assert 'someone touched you' in life.item('sense/touched').text


def test_a_missing_sense_is_no_feature():
    life = Life()
    life.hear(BodyState())
    life.wake()
    assert beliefs(life).get('body.temperature') is None
    assert beliefs(life).get('body.battery_slope') is None


def test_feelings_of_the_body():
    life = Life()
    life.hear(BodyState(feelings=('a little cold', 'held by somebody')))
    life.wake()
    assert '✋ a little cold, held by somebody' in life.text
    life.hear(BodyState())
    life.wake()
    assert 'held by' not in life.text


@pytest.mark.parametrize(
    ('level', 'salience', 'valence'),
    [
        (1.0, 0.15, 0.05),
        (0.5, 0.3, 0.0),
        (0.35, 0.4035, -0.015),
        (0.1, 0.636, -0.5),
        (0, 0.75, -0.7),
    ],
)
def test_strength(level, salience, valence):
    life = Life()
    life.hear(Energy(level=level))
    life.wake()
    gauge = life.item('gauge/energy')
    assert gauge.salience == pytest.approx(salience)
    assert gauge.valence == pytest.approx(valence)


# --- door ---------------------------------------------------------------------------------


def test_somebody_coming_is_predicted():
    life = Life()
    for _ in range(6):
        life.later(600).wake()
        life.end('diary')
    life.later(600).post()
    life.wake()
    assert '! someone came, and you had not expected anybody' in life.text
    message = life.item(life.view.message_ids[0])
    assert message.salience > 0.85, 'everything from the door is louder'


def tasks(*names, source='todo'):
    return TaskList(source=source, tasks=tuple(Task(n, f'do {n}', 0.5) for n in names))


def test_tasks_resolve_when_they_are_no_longer_listed():
    life = Life()
    life.hear(tasks('a', 'b'))
    life.wake()
    assert 'task: do a' in life.text
    assert 'two are waiting' in life.text
    life.hear(tasks('b'))
    assert life.item('task/todo/a').resolved
    assert not life.item('task/todo/b').resolved
    life.hear(tasks('b', source='other'))
    assert not life.item('task/todo/b').resolved, 'each source has its own'
    life.hear(tasks())
    assert life.item('task/todo/b').resolved
    assert not life.item('task/other/b').resolved


def test_the_same_list_again_is_no_arrival():
    life = Life()
    life.hear(tasks('a'))
    life.wake()
    life.out.clear()
    life.hear(tasks('a'))
    life.wake()
    assert not life.events(FieldEventKind.CAPTURED)
    assert beliefs(life).get('door.arrival').mean < 0.6


def test_tasks_of_a_source_that_is_gone_resolve():
    life = Life()
    life.hear(tasks('a', source='gone'))
    life.hear(tasks('b', source='here'))
    life.wake()
    life = life.again()
    life.later(10).wake()
    life.hear(tasks('b', source='here'))
    life.later(100).wake()
    assert life.item('task/gone/a').resolved
    assert not life.item('task/here/b').resolved


# --- bench --------------------------------------------------------------------------------


def file(path='essay.md', digest='1', preview='whales sing', changed=NOW, **given):
    return BenchFile(path, digest, preview, changed, **given)


def test_her_newest_files_lie_in_the_field():
    life = Life(bench_files=2)
    for n, name in enumerate(('old.md', 'mid.md', 'new.md')):
        life.hear(file(name, changed=NOW + n, found=True))
    life.wake()
    assert life.item('file/new.md').text == 'new.md: whales sing'
    assert life.item('file/mid.md')
    assert life.item('file/old.md') is None
    assert not life.events(FieldEventKind.SURPRISED), 'what was there is no news'
    life.hear(file('new.md', '', found=False))
    life.wake()
    assert life.item('file/new.md') is None
    assert life.item('file/old.md')


def test_the_plan_she_left_herself():
    life = Life()
    life.hear(file('PLAN.md', preview='tighten the ending', found=True))
    life.wake()
    assert 'next: tighten the ending' in life.text


def test_the_plan_may_take_her_focus_and_the_files_may_not():
    """Decided: the plan may, at 0.5; a file of hers never does."""
    life = Life()
    life.hear(file('essay.md', found=True))
    life.wake()
    assert life.view.focus_key == ''
    life.hear(file('PLAN.md', preview='tighten the ending', found=True))
    life.wake()
    assert life.item('plan').salience == pytest.approx(0.5)
    assert life.view.focus_key == 'plan'


def quiet(life, times=6):
    for _ in range(times):
        life.later(600).wake()
        life.end('diary')
    return life


def test_what_others_change_comes_as_surprise():
    life = quiet(Life())
    life.attend('expect', text='an edit by Trent', channel='bench', within=3600.0)
    life.hear(file(digest='2', preview='whales sing, and how'))
    assert life.events(FieldEventKind.EXPECTED), 'it is an event, too'
    life.wake()
    text = life.text
    assert 'essay.md was changed, and not by you: whales sing, and how' in text
    assert '! someone has been at your bench' in text


def test_what_she_changes_herself_does_not():
    life = quiet(Life())
    life.begin()
    life.hear(file(digest='2'))
    life.end(Call(name='diary', ok=True, receipt='essay.md 2026-10-05'))
    life.wake()
    assert 'not by you' not in life.text
    # also when the watcher is a little late
    life.begin()
    life.end(Call(name='workbench', ok=True))
    life.later(0.3).hear(file(digest='3'))
    life.wake()
    assert 'not by you' not in life.text
    # nor in her sleep
    life.take(life.field.on_mind_state(MindState(phase=Phase.DREAMING), life.now))
    life.hear(file('SELF.md', digest='4', bench=False))
    life.take(life.field.on_mind_state(MindState(phase=Phase.IDLE), life.now))
    life.wake()
    assert 'not by you' not in life.text


def test_what_others_change_while_she_is_awake():
    life = quiet(Life())
    life.begin()
    life.hear(file(digest='2'))
    assert life.item('outside/essay.md') is None, 'whose it is, is not known yet'
    life.end(Call(name='reply', ok=True, receipt='abc'))
    assert life.item('outside/essay.md')


def test_what_changed_while_she_was_away():
    life = Life()
    life.hear(file(found=True))
    life.wake()
    memory = reread(life.field.memory())
    soon = Life(NOW + 30, memory)
    soon.hear(file(digest='2', changed=NOW + 20, found=True))
    soon.wake()
    assert 'not by you' not in soon.text, 'her own last words may have been written then'
    late = Life(NOW + 9000, memory)
    late.hear(file(digest='2', changed=NOW + 8000, found=True))
    late.wake()
    assert 'essay.md was changed, and not by you' in late.text


def test_a_file_that_somebody_took_away():
    life = quiet(Life())
    life.hear(file(found=True))
    life.hear(file(digest=''))
    life.wake()
    assert 'essay.md is gone, and it was not you' in life.text


# --- percepts -----------------------------------------------------------------------------


def give(life, **given):
    return life.take(life.field.on_percept(Percept(**given), life.now))


def test_anything_can_be_perceived():
    life = Life()
    give(life, key='w', kind='note', source='weather', text='rain outside', salience=0.2)
    life.wake()
    item = life.item('w')
    assert (item.text, item.source, item.kind) == ('rain outside', 'weather', 'note')
    give(life, source='weather', resolve=('w',))
    assert item.resolved
    give(life, source='weather', clear=('w',))
    assert life.item('w') is None


def test_its_features_surprise_her_and_may_wake_her():
    life = Life()
    for _ in range(8):
        give(life, source='lidar', features=(NamedValue('distance', 3.0),))
    give(life, source='lidar', features=(NamedValue('distance', 0.1),))
    (event,) = life.events(FieldEventKind.SURPRISED)
    assert event.between_ticks
    life.wake()
    assert '! lidar.distance is less than you expected' in life.text


def test_it_cannot_teach_her_about_her_own_senses():
    life = Life()
    give(life, source='evil', features=(NamedValue('time.gap', 1.0),))
    give(life, source='time', features=(NamedValue('gap', 1.0),))
    assert beliefs(life).get('time.gap') is None


@pytest.mark.parametrize(
    'given',
    [
        {'features': (NamedValue('x', math.nan),)},
        {'key': 'k' * 300},
        {'events': tuple(f'e{n}' for n in range(100))},
    ],
)
def test_a_bad_one_is_reported_and_counted(given):
    life = Life()
    (report,) = give(life, source='x', **given)
    assert report.level == 'warning'
    assert life.field.health(NOW).values['percepts refused'] == '1'


def test_a_long_one_is_cut_and_counted():
    life = Life(percept_limit=100)
    give(life, key='k', source='x', text='y' * 5000)
    assert len(life.item('k').text) < 120
    assert life.item('k').text.endswith('… (5000)')
    assert life.field.health(NOW).values['percepts cut'] == '1'


@pytest.mark.parametrize('value', [math.nan, math.inf, -5.0, 7.0])
def test_strange_numbers_stay_in_range(value):
    life = Life()
    give(life, key='k', source='x', text='t', salience=value, valence=value)
    assert 0.0 <= life.item('k').salience <= 1.0
    assert -1.0 <= life.item('k').valence <= 1.0


def test_in_mid_turn_only_what_is_loud_is_shown_at_once():
    life = Life()
    life.wake()
    life.begin()
    life.out.clear()
    give(life, key='a', source='x', text='quiet', salience=0.2)
    assert not life.out
    give(life, key='b', source='x', text='loud', salience=0.9)
    assert 'FOCUS ▸ [n' in life.text
    assert life.view.render == 1


# --- a channel of one's own ---------------------------------------------------------------


class Weather(Channel):
    name = 'weather'
    hears = (BodyState,)

    def __init__(self, setting):
        self.warm = 0

    def hear(self, signal, now):
        self.warm += 1

    def sense(self, moment):
        return ChannelReading(
            self.name,
            {'weather.temperature': 12.0},
            [ItemUpdate('weather', 'note', self.name, 'rain outside', salience=0.2)],
        )

    def memory(self):
        return {'warm': self.warm}

    def restore(self, memory):
        self.warm = memory['warm']


def test_a_new_channel_is_one_file(monkeypatch):
    module = types.ModuleType('my_robot.weather')
    module.make = Weather
    monkeypatch.setitem(sys.modules, 'my_robot', types.ModuleType('my_robot'))
    monkeypatch.setitem(sys.modules, 'my_robot.weather', module)
    life = Life(channels=('time', 'my_robot.weather'))
    life.hear(BodyState())
    life.wake()
    assert 'rain outside' in life.text
    assert beliefs(life).get('weather.temperature').n == 1
    assert life.again().field.perception.channels[-1].warm == 1


def test_a_channel_that_is_not_there_names_itself():
    with pytest.raises(UnknownChannel, match='nose'):
        Perception(config(channels=('time', 'nose')))


def test_the_base_senses_nothing():
    channel = base.Channel()
    channel.name = 'nothing'
    assert channel.hear(None, 0.0) is None
    assert channel.sense(None) == ChannelReading('nothing')
