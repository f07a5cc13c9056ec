"""A body on soul-serial with a loudspeaker and no voice of its own, on a virtual clock."""

import base64
import itertools
import math
import re
import wave
from array import array

import pytest

from soul.signals import SayGoal, SayState
from soul.stackchan.config import StackChanConfig
from soul.stackchan.sounding import SoundSpeech
from soul.voice.messages import Complete, Piece
from soul.voice.sound import EAR_RATE
from soul.wire import encode
from support.opus import tone
from support.worlds.wire import World

CAPABILITIES = ('head', 'torque', 'face', 'spk', 'touch', 'power')


class Voice:
    """Plays the process: what it was asked for."""

    def __init__(self):
        self.asked = []
        self.hushed = []
        self.heard = b''

    def speak(self, text, of_it):
        self.asked.append(text)
        return len(self.asked)

    def hush(self, id):
        self.hushed.append(id)

    def hear(self, samples, at, own=False, tail=False):
        self.heard += b'' if tail else samples

    def turn_over(self):
        pass

    def forget(self):
        pass

    def spoke(self, text):
        pass


@pytest.fixture
def life(tmp_path):
    return spoken_through(tmp_path, CAPABILITIES)


def spoken_through(tmp_path, capabilities):
    """A body that is up, with the voice of the test."""
    config = {'voice': True, 'port': 'mock'}
    mock = {'capabilities': capabilities, 'played_file': str(tmp_path / 'played.wav')}
    world = World(tmp_path, driver=config, mock=mock)
    world.voice = Voice()
    given = StackChanConfig(**config)
    sounding = SoundSpeech(
        given, world.driver.port, world.voice, EAR_RATE, lambda: bytes, lambda message: None
    )
    world.driver.components.give_voice(world.voice, sounding)
    world.file = tmp_path / 'played.wav'
    return world.up()


def soft(hertz, seconds):
    """A tone of a twentieth of the greatest loudness."""
    return array('h', [n // 10 for n in tone(hertz, seconds, 24_000)]).tobytes()


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


def test_the_mouth_opens_as_wide_as_the_sound_is_loud(life):
    life.ask('body/say', SayGoal('a', 'Good morning.'), 's')
    parts = [tone(440.0, 0.6, 24_000).tobytes(), bytes(2 * 24_000), soft(440.0, 0.6)]
    life.take(life.driver.on_voice(Piece(1, 'Good morning.', 24_000, b''.join(parts)), life.now))
    life.take(life.driver.on_voice(Complete(1), life.now))
    assert life.finish('s').outcome == SayState.DONE
    opened = [float(n) for n in re.findall(rb'"t":"mouth"[^}]*"open":([0-9.]+)', life.cable.sent)]
    assert opened[0] == 0.0, 'the silence before the first syllable'
    assert opened[-1] == 0.0, 'it is closed at the end'
    loud, quiet = opened[2:5], opened[-5:-2]
    assert loud == pytest.approx([1.0] * 3, abs=0.05)
    assert quiet == pytest.approx([0.17] * 3, abs=0.05)
    assert opened.count(0.0) >= 1.0 / 0.12, 'and through the pause'
    life.until(lambda: life.mock.device.mouth == 'closed')


def test_its_microphone_is_not_listened_to_while_she_speaks(tmp_path):
    life = spoken_through(tmp_path, (*CAPABILITIES, 'mic'))
    count = itertools.count(5000)

    def microphone(loudness):
        life.run(0.06)
        told = {
            't': 'pcm', 'q': next(count), 'sid': life.driver.port.sid, 'up': int(1000 * life.now),
            'st': 1, 'n': 0, 'b64': base64.b64encode(bytes([loudness, 1]) * 960).decode(),
        }  # fmt: skip
        life.arrive(encode(told))

    microphone(1)
    life.ask('body/say', SayGoal('a', 'Good morning.'), 's')
    made(life, 1.5)
    life.run(0.2)
    while life.finished('s') is None:
        microphone(2)
    for _ in range(8):  # longer than the room sounds of it
        microphone(0)
    microphone(3)
    assert {1, 3} <= set(life.voice.heard[::2])
    assert 2 not in life.voice.heard[::2]


def test_a_body_without_a_face_has_no_mouth_to_move(tmp_path):
    life = spoken_through(tmp_path, ('head', 'torque', 'spk'))
    life.ask('body/say', SayGoal('a', 'Good morning.'), 's')
    made(life, 0.6)
    assert life.finish('s').outcome == SayState.DONE
    assert b'"t":"mouth"' not in life.cable.sent


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
