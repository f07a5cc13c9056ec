"""An evening with the robot as its owner lives it, with M5Stack's firmware and a voice.

It boots, asks where to dial, is woken and dials; somebody speaks to it, she answers in sound,
looks, takes a picture; it is switched off in mid-sentence and on again.
"""

import wave

import pytest

from soul.core.organ import Ask
from soul.signals import CaptureRequest, LookAtGoal, SayGoal, SayState, SetBoolRequest
from soul.stackchan.config import StackChanConfig
from soul.stackchan.voicing import connect_voice
from soul.voice.client import command
from soul.voice.sound import EAR_RATE, Clip, at_rate
from support import opus, voice_process
from support.speech import TEXTS, samples, wrong
from support.voices import ear, needs
from support.worlds.official import OfficialWorld

pytestmark = pytest.mark.skipif(not opus.library(), reason='there is no libopus here')


@pytest.fixture
def evening(tmp_path):
    """Makes evenings: with the real engines, or a process that plays them."""
    made = []

    def make(words=None, language='en'):
        library = opus.library()
        mock = {
            'libopus': library, 'night_lux': 300.0, 'played_file': str(tmp_path / 'played.wav'),
        }  # fmt: skip
        world = OfficialWorld(tmp_path, mock=mock, library=library)
        given = StackChanConfig(transport='xiaozhi', voice=True, voice_language=language)
        words = words or command(given)
        client = connect_voice(given, world.driver, words, world.inject)
        made.append((world, client))
        world.until(lambda: client.engines.mouth and client.engines.ear)
        return world.up()

    def end():
        while made:
            world, client = made.pop()
            client.close()
            world.close()

    make.end = end
    yield make
    end()


def messages(world):
    return [
        one.request.message
        for one in world.said
        if isinstance(one, Ask)
        and one.to == 'door/post'
        and one.request.message.channel == 'voice'
    ]


def switched_off(world):
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)


def switched_on(world):
    asked = len(world.asked)
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.until(lambda: len(world.asked) > asked and world.knows)
    world.wake()


def test_an_evening(evening):
    world = evening(voice_process.command('--text', 'what do you see'))
    firmware = world.mock.firmware
    firmware.microphone.hear(opus.tone(300.0, 0.6).tobytes())
    world.until(lambda: messages(world))
    assert messages(world)[0].text == 'what do you see'
    world.until(lambda: list(firmware.words) == ['what do you see'])

    assert world.ask('body/say', SayGoal('a1', 'let me look. wait a little'), 's') == ''
    assert world.finish('s').outcome == SayState.DONE
    assert len(firmware.speaker.played) > 15
    assert firmware.speaker.full_drops == 0

    assert world.ask('body/look_at', LookAtGoal('a2', yaw=0.3, pitch=-0.6), 'l') == ''
    assert world.finish('l').ok
    assert world.ask('body/capture', CaptureRequest('what is there?'), 'c') == ''
    assert world.finish('c').ok

    before = len(firmware.speaker.played)
    assert world.ask('body/say', SayGoal('a3', 'a long story of a robot. ' * 8), 't') == ''
    world.until(lambda: len(firmware.speaker.played) > before + 20)
    switched_off(world)
    result = world.finish('t')
    assert result.outcome == SayState.UNCERTAIN
    assert 'a long' in result.reason
    switched_on(world)
    played = len(firmware.speaker.played)
    assert world.ask('body/say', SayGoal('a3', 'a long story of a robot. ' * 8), 'u') == ''
    assert world.finish('u').outcome == SayState.UNCERTAIN
    assert len(firmware.speaker.played) == played, 'it is not said again'
    assert world.ask('body/say', SayGoal('a4', 'I am here'), 'v') == ''
    assert world.finish('v').outcome == SayState.DONE


def test_a_press_stops_her_and_says_what_was_heard(evening):
    world = evening(voice_process.command())
    assert world.ask('body/say', SayGoal('a', 'a long story of a robot. ' * 8), 's') == ''
    world.until(lambda: len(world.mock.firmware.speaker.played) > 20)
    world.poke('press')
    result = world.finish('s')
    assert result.outcome == SayState.ABORTED
    assert 'stopped at the body' in result.reason
    assert '“a long' in result.reason


@pytest.mark.voice
@needs('en')
def test_an_evening_with_her_real_voice(evening, tmp_path):
    world = evening()
    world.mock.firmware.microphone.hear(samples('en_window'))
    world.until(lambda: messages(world))
    assert wrong(messages(world)[0].text, TEXTS['en_window']) <= 0.2
    text = 'Good morning. There is nothing but fog outside.'
    assert world.ask('body/say', SayGoal('a1', text), 's') == ''
    assert world.finish('s').outcome == SayState.DONE
    evening.end()
    with wave.open(str(tmp_path / 'played.wav'), 'rb') as file:
        assert file.getframerate() == 24_000
        sound = file.readframes(file.getnframes())
    heard = ear('en').understand(at_rate(Clip(sound, 24_000), EAR_RATE).samples, 'en')
    assert wrong(heard.text, text) <= 0.1
