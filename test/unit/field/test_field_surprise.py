"""What a missed prediction does to her; beliefs of any node's features."""

import math

import pytest

from soul.field import features
from soul.field.beliefs import MOST_FEATURES, Belief, Beliefs, FeatureSpec, learning_rate
from soul.field.readings import ChannelReading
from soul.signals import FieldEventKind, NamedValue, Percept
from soul.text.tables import TableUnreadable
from support.worlds.field import NOW, Life, enter, perception, sight

SURPRISED = FieldEventKind.SURPRISED


def surprised(name='time.gap', steady=120.0, then=5.0, others=()):
    """A field that expects `steady` and meets `then`."""
    seen = perception()
    items = enter(seen, *others)
    for n in range(10):
        seen.impress(ChannelReading('x', features={name: steady}), NOW + n)
    for item in items:
        item.salience = 0.4
    seen.world.prediction.surprise = 0.0
    happened = seen.impress(ChannelReading('x', features={name: then}), NOW + 20)
    return seen, happened, items


def surprise_of(then, steady=120.0):
    belief = Belief(FeatureSpec())
    for _ in range(10):
        belief.observe('f', steady)
    return belief.observe('f', then).surprise


@pytest.mark.parametrize('then', [1.0, 5.0, 20.0, 40.0, 300.0, 900.0, 5000.0, 1e6])
def test_an_alert_has_the_size_of_the_surprise(then):
    seen, happened, _ = surprised(then=then)
    s = surprise_of(then)
    alert = seen.world.items.by_key('surprise/time.gap')
    if s < 0.25:
        assert not happened
        assert alert is None
        return
    assert [(h.kind, h.item) for h in happened] == [(SURPRISED, alert.id)]
    assert happened[0].magnitude == pytest.approx(s)
    assert alert.salience == pytest.approx(min(1.0, 0.3 + s))
    assert alert.valence == pytest.approx(-0.35 * s)
    assert seen.world.prediction.surprise == pytest.approx(s)


@pytest.mark.parametrize(
    ('source', 'kind', 'louder'),
    [
        ('time', 'note', True),
        ('door', 'message', False),
        ('time', 'surprise', False),  # alerts do not lift each other
        ('times', 'note', False),
        ('time', 'work', True),
    ],
)
def test_its_source_gets_louder(source, kind, louder):
    _, happened, (item,) = surprised(others=[sight('k', kind, source)])
    s = happened[0].magnitude
    assert item.salience == pytest.approx(0.4 + 0.3 * s if louder else 0.4)


def test_nothing_gets_louder_than_one():
    _, _, (item,) = surprised(then=1e9, others=[sight('k', 'note', 'time')])
    item.salience = 0.95
    _, _, items = surprised(then=1e9, others=[sight('k', 'note', 'time', salience=1.0)])
    assert items[0].salience <= 1.0


@pytest.mark.parametrize(
    ('name', 'steady', 'then', 'words'),
    [
        ('time.gap', 120, 5, 'you woke sooner than you expected'),
        ('time.gap', 120, 9000, 'you woke later than you expected'),
        ('body.burn', 1500, 9e4, 'that thought cost more than you expected'),
        ('body.latency', 2, 90, 'thinking took longer than you expected'),
        ('body.tool_fail', 0, 1, 'something did not work, and you had not expected that'),
        ('body.tool_fail', 1, 0, 'everything worked, and you had not expected that'),
        ('door.arrival', 0, 1, 'someone came, and you had not expected anybody'),
        ('door.arrival', 1, 0, 'nobody came, and you had expected somebody'),
        ('bench.outside_change', 0, 1, 'someone has been at your bench'),
        ('bench.outside_change', 1, 0, None),
        ('body.touch', 1, 0, None),
        ('body.touch', 0, 1, 'someone touched you, and you had not expected it'),
        ('body.temperature', 35, 44, 'you are warmer than you expected'),
        ('body.temperature', 35, 35.5, None),
        ('body.battery_slope', 5, 40, 'your strength drains faster than you expected'),
        ('weather.rain', 1, 50, 'weather.rain is more than you expected'),
    ],
)
def test_alerts_in_words(name, steady, then, words):
    seen, happened, _ = surprised(name, steady, then)
    assert [h.text for h in happened] == ([words] if words else [])
    seen.tick(NOW + 30)
    assert (f'  ! {words}' in seen.view(NOW + 30).text) == bool(words)


def test_in_figures_if_asked_for():
    seen = perception(figures=True)
    for n in range(10):
        seen.impress(ChannelReading('x', features={'time.gap': 120.0}), NOW + n)
    seen.impress(ChannelReading('x', features={'time.gap': 40.0}), NOW + 20)
    text = seen.view(NOW).text
    assert '! you woke sooner than you expected (40s; you expected 2m)' in text


def test_alerts_feed_arousal_and_what_is_below_does_not():
    seen, _, _ = surprised(then=110.0)
    seen.tick(NOW + 30)
    calm = seen.world.mood.arousal
    seen, happened, _ = surprised(then=2.0)
    total = seen.world.prediction.surprise
    seen.world.live([], NOW + 30)
    assert calm == 0.0
    assert seen.world.mood.arousal == pytest.approx(0.3 * min(1.0, total))
    assert total == pytest.approx(happened[0].magnitude)


def test_the_same_feature_again_refreshes_its_alert():
    seen, _, _ = surprised(then=2.0)
    seen.impress(ChannelReading('x', features={'time.gap': 1e6}), NOW + 21)
    assert len([i for i in seen.world.items if i.kind == 'surprise']) == 1
    assert 'later' in seen.world.items.by_key('surprise/time.gap').text


def test_learning():
    assert learning_rate(0.0) == 0.2
    assert learning_rate(1.0) == 0.4
    assert learning_rate(5.0) == 0.5


@pytest.mark.parametrize('raw', [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_teaches_nothing(raw):
    beliefs = Beliefs({})
    assert beliefs.observe('f', raw) is None
    assert beliefs.get('f') is None


def test_the_number_of_beliefs_is_bounded():
    beliefs = Beliefs({})
    for n in range(MOST_FEATURES + 50):
        beliefs.observe(f'f{n}', 1.0)
    assert beliefs.get('f0') is None
    assert len(beliefs.memory()) == MOST_FEATURES


def test_a_new_feature_by_declaration(tmp_path):
    file = tmp_path / 'features.yaml'
    file.write_text('garden.frost: {kind: bernoulli, alerts: [more]}\n')
    specs = features.load(str(file))
    assert specs['garden.frost'].kind == 'bernoulli'
    assert 'time.gap' in specs
    life = Life(features=str(file))
    for _ in range(6):
        life.take(life.field.on_percept(frost(0.0), life.now))
    assert not life.events(SURPRISED)
    life.take(life.field.on_percept(frost(1.0), life.now))
    (event,) = life.events(SURPRISED)
    assert event.between_ticks, 'it may wake her'
    assert event.text == 'garden.frost is more than you expected'


def frost(value):
    return Percept(source='garden', features=(NamedValue('frost', value),))


@pytest.mark.parametrize(
    'text',
    ['time.gap: {kind: poisson}', 'x: {alerts: [up]}', '- a list', 'x: {least_variance: 0}'],
)
def test_a_bad_declaration_names_itself(tmp_path, text):
    file = tmp_path / 'mine.yaml'
    file.write_text(text)
    with pytest.raises(TableUnreadable, match=r'mine\.yaml'):
        features.load(str(file))


def test_surprises_of_the_tick_itself_do_not_wake_her():
    life = Life()
    for _ in range(8):
        life.later(120).wake(ids=[])
        life.end('diary', 'sleep')
    life.later(40 * 3600).wake(ids=[])
    gap = [e for e in life.events(SURPRISED) if 'woke' in e.text]
    assert gap
    assert not any(e.between_ticks for e in gap)
