"""An utterance on its way to a body, on a clock that the test turns."""

import pytest

from soul.voice.player import (
    FRAME,
    PlayBegin,
    PlayEnd,
    Player,
    PlayFrame,
    PlayRules,
    PlaySentence,
)
from soul.voice.sound import Clip

RATE = 24_000


def clip(seconds):
    return Clip(b'\x01\x00' * round(seconds * RATE), RATE)


def play(player, until, now=0.0):
    """Let it play; returns (time, step) of all it does."""
    steps = []
    while (due := player.due()) <= until:
        now = max(now, due)
        steps += [(now, step) for step in player.step(now)]
    return steps


def kinds(steps):
    return [type(step) for _, step in steps]


@pytest.fixture
def player():
    return Player(PlayRules(), lambda frame: frame)


def test_it_begins_waits_until_the_body_is_ready_and_ends_when_all_is_played(player):
    player.add('Good morning.', clip(0.6))
    player.complete('')
    steps = play(player, 100.0)
    assert kinds(steps)[0] is PlayBegin
    frames = [(at, step) for at, step in steps if isinstance(step, PlayFrame)]
    assert frames[0][0] == pytest.approx(0.05)
    assert kinds(steps)[-1] is PlayEnd
    played = 0.05 + len(frames) * FRAME
    assert steps[-1][0] == pytest.approx(played + 0.2)
    assert player.ended
    assert player.why == ''


def test_silence_comes_before_the_first_syllable(player):
    player.add('Yes.', clip(0.3))
    player.complete('')
    steps = [step for _, step in play(player, 100.0)]
    said = steps.index(PlaySentence('Yes.'))
    assert [step.data.strip(b'\0') for step in steps[1:said]] == [b'', b'']
    assert steps[said + 1].data.strip(b'\0')


def test_a_sentence_is_named_when_it_begins(player):
    player.add('One.', clip(1.2))
    player.add('', clip(0.6))
    player.add('Two.', clip(0.6))
    player.complete('')
    steps = play(player, 100.0)
    one, two = (at for at, step in steps if isinstance(step, PlaySentence))
    assert two - one == pytest.approx(1.8 + 0.12, abs=3 * FRAME)


def test_sound_that_comes_late_is_played_late(player):
    player.add('One.', clip(0.6))
    steps = play(player, 5.0)
    assert player.due() == float('inf')
    player.add('Two.', clip(0.6))
    player.complete('')
    steps += play(player, 100.0, now=5.0)
    assert player.underruns == 1
    assert kinds(steps).count(PlayBegin) == 1
    assert steps[-1][0] == pytest.approx(5.0 + 0.72 + 0.2, abs=0.07)


def test_nothing_to_play_is_no_utterance(player):
    player.complete('no engine can speak')
    assert play(player, 100.0) == []
    assert player.ended
    assert not player.begun
    assert player.why == 'no engine can speak'


def test_one_encoder_serves_the_whole_utterance():
    made = []
    player = Player(PlayRules(rate=16_000), lambda frame: made.append(frame) or b'packet')
    player.add('One.', clip(1.0))
    player.add('Two.', clip(1.0))
    player.complete('')
    frames = [step for _, step in play(player, 100.0) if isinstance(step, PlayFrame)]
    assert {step.data for step in frames} == {b'packet'}
    assert {len(frame) for frame in made} == {2 * 960}


def test_the_words_spoken_so_far_are_known(player):
    player.add('Good morning, everybody.', clip(2.0))
    player.add('There is nothing but fog.', clip(2.0))
    player.complete('')
    play(player, 1.2)
    assert player.spoken(0.0) == ''
    assert player.spoken(1.2) == 'Good…'
    assert player.seconds(1.2) == pytest.approx(1.03, abs=0.07)
    play(player, 3.2)
    assert player.spoken(3.2).startswith('Good morning, everybody. There')
    play(player, 100.0)
    assert player.spoken(100.0) == 'Good morning, everybody. There is nothing but fog.'


def test_words_without_blanks_are_cut_between_characters(player):
    player.add('今天外面有雾我想去看看', clip(2.0))
    player.complete('')
    play(player, 1.2)
    assert player.spoken(1.2) == '今天外面有…'
