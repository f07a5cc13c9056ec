"""Frames go out as fast as they are played, on a clock that a test turns."""

import random

import pytest

from soul.voice.pacing import Pacer

LENGTH = 0.06
#: What a device holds; more it drops without a word.
QUEUE = 40


def send(pacer, frames, now, delay=lambda: 0.0, ready=lambda number: 0.0):
    """Send frames when they are due; returns when each was sent."""
    times = []
    for number in range(frames):
        now = max(now + delay(), pacer.due(), ready(number))
        pacer.send(now)
        times.append(now)
    return times


def test_the_first_frames_are_ahead_by_the_lead_and_no_more():
    pacer = Pacer(LENGTH, lead=2)
    times = send(pacer, 500, 10.0)
    assert times[:2] == [10.0, 10.0]
    assert times[2] == pytest.approx(10.06 - 0.06)
    for number, at in enumerate(times):
        assert at == pytest.approx(max(10.0, 10.0 + (number - 2) * LENGTH))
    assert pacer.played() == pytest.approx(10.0 + 500 * LENGTH)
    assert pacer.underruns == 0


def test_thirty_seconds_never_overflow_nor_starve_a_device():
    pacer = Pacer(LENGTH, lead=2)
    rng = random.Random(7)
    times = send(pacer, 500, 0.0, delay=lambda: rng.uniform(0.0, 0.02))
    for number, at in enumerate(times):
        held = number + 1 - at / LENGTH
        assert held <= 3.01 < QUEUE
    assert pacer.underruns == 0
    late = [abs(at - max(0.0, (number - 2) * LENGTH)) for number, at in enumerate(times)]
    assert sorted(late)[int(0.95 * len(late))] <= 0.02


def test_what_comes_late_is_played_late_and_what_follows_too():
    pacer = Pacer(LENGTH, lead=2)
    # the sound of frame 10 is there one second late
    times = send(pacer, 20, 0.0, ready=lambda number: 1.6 if number >= 10 else 0.0)
    assert pacer.underruns == 1
    assert times[10] == times[11] == 1.6
    assert pacer.played() == pytest.approx(1.6 + 10 * LENGTH)
    assert pacer.heard(1.6) == pytest.approx(10 * LENGTH)


def test_nothing_sent_is_nothing_played():
    pacer = Pacer(LENGTH, lead=2)
    assert pacer.heard(5.0) == 0.0
    assert pacer.ahead(5.0) == 0.0


def test_how_much_was_heard_counts_what_has_been_played():
    pacer = Pacer(LENGTH, lead=5)
    send(pacer, 5, 0.0)
    assert pacer.heard(0.12) == pytest.approx(0.12)
    assert pacer.ahead(0.12) == pytest.approx(0.18)
