"""Mood: read off the field."""

import math

import pytest

from soul.field.items import Items
from soul.field.mood import Mood, word_for
from soul.signals import Energy
from support.worlds.field import NOW, Life, enter, perception, sight


@pytest.mark.parametrize(
    ('valence', 'arousal', 'energy', 'fullness', 'word'),
    [
        (0.0, 0.0, 0.149, 0.0, 'drained'),
        (0.9, 0.9, 0.0, 0.0, 'drained'),
        (0.0, 0.0, 0.15, 0.0, 'quiet'),
        (0.2, 0.0, 1.0, 0.0, 'settled'),
        (0.2, 0.35, 1.0, 0.0, 'bright'),
        (0.199, 0.349, 1.0, 0.0, 'quiet'),
        (-0.2, 0.0, 1.0, 0.0, 'heavy'),
        (-0.2, 0.35, 1.0, 0.0, 'unsettled'),
        (-0.199, 0.35, 1.0, 0.0, 'alert'),
        (0.0, 0.35, 1.0, 0.9, 'alert'),
        (0.0, 0.0, 1.0, 0.85, 'quiet'),
        (0.0, 0.0, 1.0, 0.851, 'crowded'),
        (0.0, 0.0, 1.0, 1.5, 'crowded'),
        (-0.5, 0.0, 1.0, 1.0, 'heavy'),
        (0.5, 0.1, 1.0, 1.0, 'settled'),
        (-1.0, 1.0, 0.2, 0.0, 'unsettled'),
    ],
)
def test_words(valence, arousal, energy, fullness, word):
    assert word_for(valence, arousal, energy, fullness) == word


def made(*numbers):
    items = Items()
    for salience, valence, resolved in numbers:
        item = items.add('note', 'src', salience=salience, valence=valence)
        item.resolved = resolved
    return items


@pytest.mark.parametrize(
    ('numbers', 'tension', 'warmth'),
    [
        ([], 0.0, 0.0),
        ([(0.5, -0.4, False)], 0.2, 0.0),
        ([(0.5, 0.4, False)], 0.0, 0.2),
        ([(0.5, -0.4, True)], 0.0, 0.0),  # what is resolved holds no tension
        ([(0.5, 0.4, True)], 0.0, 0.2),  # and keeps its warmth
        ([(0.85, -0.3, False), (0.6, 0.3, True)], 0.255, 0.18),
        ([(1.0, -1.0, False)] * 3, 3.0, 0.0),
        ([(0.0, -1.0, False)], 0.0, 0.0),
    ],
)
def test_tension_warmth_and_inertia(numbers, tension, warmth):
    mood = Mood()
    mood.valence = 0.4
    feeling = mood.feel(made(*numbers).rows, 1.0, 0.0, 0.0)
    assert feeling.tension == pytest.approx(tension)
    assert feeling.warmth == pytest.approx(warmth)
    assert mood.valence == pytest.approx(0.75 * 0.4 + 0.25 * math.tanh(warmth - tension))


@pytest.mark.parametrize(
    ('surprise', 'arousal'), [(0.0, 0.35), (0.5, 0.5), (1.0, 0.65), (7.0, 0.65), (-1.0, 0.35)]
)
def test_arousal(surprise, arousal):
    mood = Mood()
    mood.arousal = 0.5
    mood.feel(made().rows, 1.0, 0.0, surprise)
    assert mood.arousal == pytest.approx(arousal)


def test_it_is_never_more_than_one():
    mood = Mood()
    for _ in range(200):
        mood.feel(made((1.0, -1.0, False), (1.0, -1.0, False)).rows, 1.0, 0.0, 9.0)
    assert -1.0 <= mood.valence < -0.9
    assert 0.99 < mood.arousal <= 1.0


def test_it_says_where_it_comes_from():
    seen = perception()
    enter(
        seen,
        sight('m', 'message', text='Trent: did you see the launch?', salience=0.85, valence=-0.3),
        sight('w', 'work', text='drafts/whale_essay.md', salience=0.8, valence=0.4),
    )
    seen.tick(NOW + 1)
    assert seen.view(NOW + 1).because == (
        'tension gathers around “Trent: did you see the launch?”; '
        'warmth around “drafts/whale_essay.md”'
    )


def test_what_is_little_is_not_named():
    seen = perception()
    enter(seen, sight('w', salience=0.3, valence=0.5), sight('v', salience=0.3, valence=-0.5))
    seen.tick(NOW + 1)
    assert seen.view(NOW + 1).because == ''


def test_a_rerender_leaves_the_mood_alone():
    life = Life()
    life.post()
    life.wake()
    before = (life.view.mood, life.view.valence, life.view.arousal)
    for _ in range(5):
        life.attend('look')
    assert (life.view.mood, life.view.valence, life.view.arousal) == before


def test_low_energy_is_felt_in_words_and_bars():
    life = Life()
    life.hear(Energy(level=0.1, tokens_used=900, tokens_limit=1000))
    life.wake()
    assert life.view.mood == 'drained'
    assert 'you are running low' in life.text
    assert '⚡ ▮▱▱▱▱▱▱▱▱▱' in life.text
    assert '%' not in life.text


def test_without_a_guard_her_strength_is_unknown_and_not_zero():
    life = Life()
    life.wake()
    assert life.view.mood == 'quiet'
    assert '⚡' not in life.text
