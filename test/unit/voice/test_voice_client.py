"""The process of voice and ears, over its real pipes: what plays it here is a process as well."""

import os
import queue
import signal
import sys

import pytest

from soul.voice.client import VoiceClient
from soul.voice.messages import (
    Complete,
    Engines,
    HeardSpeech,
    Piece,
    SpeechBegan,
    VoiceTrouble,
)
from support.opus import tone
from support.voice_process import A_CHARACTER, RATE, command
from support.waiting import wait_until


@pytest.fixture
def client():
    """Makes clients of a process that is played; `told` of each has what it said."""
    made = []

    def make(*options, words=None):
        told = queue.Queue()
        made.append(VoiceClient(words or command(*options), told.put))
        made[-1].told = told
        return made[-1]

    yield make
    for one in made:
        one.close()


def until(told, kind):
    """The next thing of a kind."""
    while not isinstance(message := told.get(timeout=20.0), kind):
        pass
    return message


def speak(client, text):
    told = queue.Queue()
    client.speak(text, told.put)
    pieces = []
    while isinstance(message := told.get(timeout=20.0), Piece):
        pieces.append(message)
    return pieces, message.why


def test_a_thread_with_a_bug_ends_the_process_which_is_begun_anew_and_says_why(client):
    """The judging thread died once, and she was deaf without a word."""
    broken = (
        'import sys, threading\n'
        'from soul.voice import process\n'
        'from soul.voice.config import VoiceConfig\n'
        'class Broken:\n'
        '    def __init__(self, config, out):\n'
        '        threading.Thread(target=lambda: {}["a bug"]).start()\n'
        '    def take(self, message): pass\n'
        'process.VoiceProcess = Broken\n'
        'sys.argv[1:] = [VoiceConfig(voice_nice=0).model_dump_json()]\n'
        'process.main()\n'
    )
    trouble = until(client(words=[sys.executable, '-c', broken]).told, VoiceTrouble).text
    assert "KeyError: 'a bug'" in trouble
    assert 'started again' in trouble


def test_text_becomes_sound_sentence_by_sentence(client):
    pieces, why = speak(client(), 'Good morning. Fog')
    assert why == ''
    assert [piece.text for piece in pieces] == ['Good morning', 'Fog']
    assert [piece.rate for piece in pieces] == [RATE, RATE]
    assert len(pieces[1].samples) == pytest.approx(2 * RATE * A_CHARACTER * 3, abs=2)


def test_sound_becomes_text(client):
    ears = client('--text', 'good morning')
    for number in range(30):
        loud = tone(300.0, 0.06).tobytes() if number < 10 else bytes(1920)
        ears.hear(loud, 0.06 * (number + 1))
    assert until(ears.told, SpeechBegan).at == pytest.approx(0.06)
    heard = until(ears.told, HeardSpeech)
    assert heard.text == 'good morning'
    assert heard.ended == pytest.approx(0.6)


def test_the_body_may_end_a_turn(client):
    ears = client('--text', 'stop')
    ears.hear(tone(300.0, 0.06).tobytes(), 0.06)
    ears.turn_over()
    assert until(ears.told, HeardSpeech).text == 'stop'


def test_a_process_that_dies_ends_what_it_was_saying_and_is_started_again(client):
    voice = client('--die-at', 'poison')
    until(voice.told, Engines)
    pieces, why = speak(voice, 'poison')
    assert pieces == []
    assert 'ended' in why
    assert 'started again' in until(voice.told, VoiceTrouble).text
    wait_until(lambda: voice.engines.mouth)
    assert speak(voice, 'Good morning')[1] == ''


def test_one_that_dies_again_and_again_is_left_alone(client):
    voice = client(words=['false'])
    for _ in range(3):
        assert 'started again' in until(voice.told, VoiceTrouble).text
    assert 'mute and deaf' in until(voice.told, VoiceTrouble).text
    assert speak(voice, 'Good morning') == ([], 'no voice is running')


def test_one_that_does_not_start_is_told(client):
    voice = client(words=['/nowhere/at/all'])
    assert 'does not start' in until(voice.told, VoiceTrouble).text
    assert speak(voice, 'Good morning')[1] == 'no voice is running'


def test_one_that_talks_nonsense_is_ended(client):
    voice = client(words=['sh', '-c', 'echo this is no message at all; cat'])
    assert 'ended' in until(voice.told, VoiceTrouble).text


def test_sound_that_nobody_takes_is_dropped_and_counted(client):
    voice = client(words=['sleep', '1000'])
    wait_until(lambda: voice.pid)
    os.kill(voice.pid, signal.SIGSTOP)
    for number in range(3000):
        voice.hear(bytes(1920), float(number))
    assert voice.lost > 1000


def test_it_ends_with_whoever_started_it(client):
    voice = client()
    until(voice.told, Engines)
    pid = voice.pid
    voice.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_without_a_voice_an_utterance_says_why(client):
    voice = client('--mute')
    assert 'no voice is installed' in until(voice.told, VoiceTrouble).text
    assert speak(voice, 'Good morning') == ([], 'no engine can speak')
    assert isinstance(until(voice.told, Engines), Engines)
    assert Complete(1).why == ''
