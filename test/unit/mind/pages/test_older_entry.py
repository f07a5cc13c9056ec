"""The older diary entry beside the newest is unlike them, and may be chosen ahead."""

import random

import pytest

from soul.mind.pages.entries import PageEntry
from soul.mind.pages.older import OlderEntry
from soul.mind.pages.repetition import Likeness

WORDS = ['sea', 'rain', 'wood', 'lamp', 'bread', 'train', 'owl', 'paper', 'snow', 'glass']


def entry(number):
    """An entry that is unlike all others."""
    rng = random.Random(number)
    return PageEntry(' '.join(rng.choice(WORDS) + str(rng.random()) for _ in range(12)), at=number)


@pytest.fixture
def compared(monkeypatch):
    """How often two entries were compared."""
    times = []
    alike = Likeness.alike
    monkeypatch.setattr(Likeness, 'alike', lambda *pair: times.append(pair) or alike(*pair))
    return times


def test_it_is_older_and_another_one_each_time():
    diary = [entry(n) for n in range(30)]
    older, rng = OlderEntry(Likeness()), random.Random(1)
    taken = [older.take(diary, diary[-10:], rng) for _ in range(40)]
    assert {one.at for one in taken} <= set(range(20))
    assert len({one.at for one in taken}) > 5


def test_what_was_chosen_ahead_is_taken_without_comparing_anything(compared):
    diary = [entry(n) for n in range(30)]
    older, rng = OlderEntry(Likeness()), random.Random(1)
    older.look_ahead(diary, diary[-10:], rng)
    assert len(compared) == 10
    compared.clear()
    assert older.take(diary, diary[-10:], rng) in diary[:20]
    assert not compared
    older.take(diary, diary[-10:], rng)
    assert compared, 'it is taken once'


@pytest.mark.parametrize('change', ['written', 'edited', 'gone', 'new words'])
def test_a_diary_that_has_changed_is_looked_at_anew(change):
    diary = [entry(n) for n in range(12)]
    older, rng = OlderEntry(Likeness()), random.Random(1)
    older.look_ahead(diary, diary[-10:], rng)
    if change == 'written':
        diary.append(entry(50))
        left = diary[:3]
    elif change == 'edited':
        diary[:2] = left = [entry(60), entry(61)]
    elif change == 'gone':
        del diary[0]
        left = diary[:1]
    else:
        diary[-1] = PageEntry(diary[0].text, diary[0].at)
        left = [diary[1]]
    assert older.take(diary, diary[-10:], rng) in left


def test_one_that_says_what_the_newest_say_is_no_way_out():
    same = entry(1)
    diary = [PageEntry(same.text, at=float(n)) for n in range(30)]
    older, rng = OlderEntry(Likeness()), random.Random(1)
    older.look_ahead(diary, diary[-10:], rng)
    assert older.take(diary, diary[-10:], rng) is None
    diary[3] = entry(7)
    assert older.take(diary, diary[-10:], rng) == entry(7)
