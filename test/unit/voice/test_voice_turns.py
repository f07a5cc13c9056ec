"""When somebody begins and ends to speak, on sound that is judged by the test."""

import pytest

from soul.voice.turns import (
    TurnBegan,
    TurnDropped,
    TurnEnded,
    TurnFinder,
    TurnLasts,
    TurnPaused,
    TurnRules,
)

STEP = 0.032
WINDOW = b'\x01\x00' * 512


def hear(finder, *stretches, at=100.0):
    """Let it hear stretches of (likelihood, seconds); returns what it makes of them."""
    events = []
    for likelihood, seconds in stretches:
        for _ in range(round(seconds / STEP)):
            at += STEP
            events += finder.add(WINDOW, likelihood, at)
    return events


def ends(events):
    return [event for event in events if isinstance(event, TurnEnded)]


def test_a_turn_begins_with_speech_and_ends_after_silence():
    events = hear(TurnFinder(), (0.0, 1.0), (0.9, 1.0), (0.0, 2.0))
    began, lasts, paused, ended = events
    assert isinstance(began, TurnBegan)
    assert isinstance(lasts, TurnLasts)
    assert lasts.at == pytest.approx(101.4, abs=2 * STEP)
    assert began.at == pytest.approx(101.0, abs=2 * STEP)
    assert isinstance(paused, TurnPaused)
    assert ended.began == began.at
    assert ended.ended == pytest.approx(102.0, abs=2 * STEP)
    assert ended.voiced == pytest.approx(1.0, abs=2 * STEP)


def test_the_guess_is_the_turn_if_nothing_more_comes():
    _, _, paused, ended = hear(TurnFinder(), (0.9, 1.0), (0.0, 2.0))
    assert (ended.guess, ended.samples) == (paused.guess, paused.samples)


def test_what_came_before_is_part_of_it():
    *_, ended = hear(TurnFinder(TurnRules(before=0.3)), (0.0, 1.0), (0.9, 1.0), (0.0, 1.0))
    assert len(ended.samples) / 32_000 == pytest.approx(0.3 + 1.0 + 0.3, abs=3 * STEP)


def test_a_pause_in_mid_sentence_is_one_turn_with_a_newer_guess():
    events = hear(TurnFinder(), (0.9, 1.0), (0.0, 0.7), (0.9, 1.0), (0.0, 1.0))
    first, second = (event for event in events if isinstance(event, TurnPaused))
    (ended,) = ends(events)
    assert ended.guess == second.guess != first.guess
    assert ended.voiced == pytest.approx(2.0, abs=3 * STEP)


def test_twelve_seconds_of_reading_with_pauses_are_one_turn():
    events = hear(TurnFinder(), *[(0.9, 2.4), (0.0, 0.6)] * 4, (0.0, 1.0))
    assert len(ends(events)) == 1


def test_a_short_word_is_heard_and_a_click_is_not():
    assert len(ends(hear(TurnFinder(), (0.9, 0.2), (0.0, 1.0)))) == 1
    events = hear(TurnFinder(), (0.9, STEP), (0.0, 1.0))
    assert isinstance(events[-1], TurnDropped)
    assert not ends(events)


def test_silence_and_noise_that_is_not_speech_are_nothing():
    assert hear(TurnFinder(), (0.0, 60.0), (0.3, 60.0)) == []


def test_speech_without_end_is_cut():
    events = hear(TurnFinder(TurnRules(longest=30.0)), (0.9, 65.0), (0.0, 1.0))
    assert len(ends(events)) == 3
    assert max(len(event.samples) for event in ends(events)) / 32_000 <= 31.0


def test_the_body_may_end_a_turn():
    finder = TurnFinder()
    hear(finder, (0.9, 0.5))
    assert finder.speaking
    (ended,) = finder.end()
    assert isinstance(ended, TurnEnded)
    assert list(finder.end()) == []


def test_what_is_to_be_forgotten_is():
    finder = TurnFinder()
    hear(finder, (0.9, 0.5))
    finder.forget()
    assert hear(finder, (0.0, 2.0)) == []
