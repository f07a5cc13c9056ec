"""A body on soul-serial with a loudspeaker and no voice of its own, on a virtual clock."""

import math
import wave

import pytest

from soul.signals import SayGoal, SayState
from soul.stackchan.config import StackChanConfig
from soul.stackchan.sounding import SoundSpeech
from soul.voice.messages import Complete, Piece
from soul.voice.sound import EAR_RATE
from support.opus import tone
from support.worlds.wire import World

CAPABILITIES = ('head', 'torque', 'face', 'spk', 'touch', 'power')


class Voice:
    """Plays the process: what it was asked for."""

    def __init__(self):
        self.asked = []
        self.hushed = []

    def speak(self, text, of_it):
        self.asked.append(text)
        return len(self.asked)

    def hush(self, id):
        self.hushed.append(id)

    def hear(self, samples, at, own=False):
        pass

    def turn_over(self):
        pass

    def forget(self):
        pass

    def spoke(self, text):
        pass


@pytest.fixture
def life(tmp_path):
    config = {'voice': True, 'port': 'mock'}
    mock = {'capabilities': CAPABILITIES, 'played_file': str(tmp_path / 'played.wav')}
    world = World(tmp_path, driver=config, mock=mock)
    world.voice = Voice()
    given = StackChanConfig(**config)
    sounding = SoundSpeech(
        given, world.driver.port, world.voice, EAR_RATE, lambda: bytes, lambda message: None
    )
    world.driver.components.give_voice(world.voice, sounding)
    world.file = tmp_path / 'played.wav'
    return world.up()


def made(life, seconds, id=1, text='Good morning.'):
    """The voice has made that much sound, and no more comes."""
    samples = tone(440.0, seconds, 24_000).tobytes()
    for message in (Piece(id, text, 24_000, samples), Complete(id)):
        life.take(life.driver.on_voice(message, life.now))


def test_samples_go_by_the_clock_and_the_end_is_acknowledged(life):
    assert life.ask('body/say', SayGoal('a', 'Good morning.'), 's') == ''
    assert life.voice.asked == ['Good morning.']
    begun = life.now
    made(life, 2.0)
    result = life.finish('s')
    assert (result.outcome, result.reason) == (SayState.DONE, '')
    assert life.now - begun == pytest.approx(0.05 + 2.0 + 0.12 + 0.2, abs=0.15)
    speaker = life.mock.firmware.speaker
    assert speaker.lost == 0
    with wave.open(str(life.file), 'rb') as file:
        assert file.getframerate() == EAR_RATE
        assert file.getnframes() / EAR_RATE == pytest.approx(2.16, abs=0.07)


def test_no_more_than_the_lead_is_ahead_of_what_is_played(life):
    life.ask('body/say', SayGoal('a', 'Good morning.'), 's')
    begun = life.now + 0.05
    made(life, 5.0)
    speaker = life.mock.firmware.speaker
    most = 0.0
    while life.finished('s') is None:
        life.tick(math.inf)
        most = max(most, speaker.played / 2 / EAR_RATE - max(0.0, life.now - begun))
    assert most <= 3 * 0.06 + 0.01


def test_sound_that_is_late_is_played_late_and_nothing_is_lost(life):
    life.ask('body/say', SayGoal('a', 'One. Two.'), 's')
    samples = tone(440.0, 0.6, 24_000).tobytes()
    life.take(life.driver.on_voice(Piece(1, 'One.', 24_000, samples), life.now))
    life.run(3.0)
    made(life, 0.6, text='Two.')
    assert life.finish('s').outcome == SayState.DONE
    assert life.driver.components.voice.sounding.underruns == 1
    assert life.mock.firmware.speaker.lost == 0


def test_a_voice_that_says_nothing_is_given_up(life):
    life.ask('body/say', SayGoal('a', 'Good morning.'), 's')
    result = life.finish('s', 120.0)
    assert result.outcome == SayState.ABORTED, 'this body cannot even show it'
    assert life.voice.hushed == [1]
    assert 'the voice makes no sound' in life.reports()


def test_a_cable_that_is_pulled_before_the_first_sound_leaves_it_unsaid(life):
    life.ask('body/say', SayGoal('a', 'Good morning.'), 's')
    life.cable.plugged = False
    result = life.finish('s')
    assert result.outcome == SayState.ABORTED
    assert 'not said' in result.reason
