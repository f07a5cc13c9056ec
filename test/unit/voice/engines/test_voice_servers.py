"""Voices and ears behind OpenAI's functions, with every quirk that servers are known for."""

import json
import struct
import threading

import pytest

from soul.voice.engines.port import EngineFailed
from soul.voice.engines.speech_url import Endpoint, SpeechUrl
from soul.voice.engines.transcription_url import TranscriptionUrl
from soul.voice.sound import Clip, write_wave
from support.opus import tone
from support.speech_server import SpeechServer

SAMPLES = tone(440.0, 0.5, 24_000).tobytes()


def speak(server, key='', seconds=5.0, **how):
    mouth = SpeechUrl(Endpoint(server.url, 'tts-1', key, seconds), 'en', 'anna', **how)
    return list(mouth.speak('Good morning.'))


def samples(clips):
    return b''.join(clip.samples for clip in clips)


def test_pcm_is_asked_for_and_read_as_it_comes():
    with SpeechServer(
        lambda handler, _: handler.pieces([SAMPLES[:9600], SAMPLES[9600:]])
    ) as server:
        clips = speak(server, key='secret')
    assert samples(clips) == SAMPLES
    assert {clip.rate for clip in clips} == {24_000}
    assert len(clips) > 1
    (path, headers, body) = server.requests[0]
    assert path == '/v1/audio/speech'
    assert headers['Authorization'] == 'Bearer secret'
    assert json.loads(body) == {
        'model': 'tts-1', 'voice': 'anna', 'response_format': 'pcm', 'input': 'Good morning.',
    }  # fmt: skip


def test_a_piece_may_end_in_the_middle_of_a_sample():
    pieces = [SAMPLES[at : at + 4801] for at in range(0, len(SAMPLES), 4801)]
    with SpeechServer(lambda handler, _: handler.pieces(pieces)) as server:
        clips = speak(server)
    assert samples(clips) == SAMPLES
    assert not any(len(clip.samples) % 2 for clip in clips)


def test_a_streamed_wave_tells_its_rate_though_not_its_length():
    wave = bytearray(write_wave(Clip(SAMPLES, 22_050)))
    struct.pack_into('<I', wave, 40, 0xFFFFFFFF)
    pieces = [bytes(wave[:3]), bytes(wave[3:100]), bytes(wave[100:])]
    with SpeechServer(lambda handler, _: handler.pieces(pieces, 'audio/wav')) as server:
        assert speak(server, form='wav') == [Clip(SAMPLES, 22_050)]


def test_the_first_byte_may_be_slow():
    go = threading.Event()

    def slow(handler, _):
        go.wait(10.0)
        handler.pieces([SAMPLES])

    with SpeechServer(slow) as server:
        threading.Timer(0.2, go.set).start()
        assert samples(speak(server)) == SAMPLES


@pytest.mark.parametrize(
    ('behave', 'why'),
    [
        (lambda h, _: h.answer(200, b'ID3\x04' + bytes(500), 'audio/mpeg'), 'mp3'),
        (lambda h, _: h.answer(200, b'\xff\xfb' + bytes(500), 'audio/pcm'), 'mp3'),
        (
            lambda h, _: h.answer(200, b'data: {"type": "speech"}\n\n', 'text/event-stream'),
            'event',
        ),
        (lambda h, _: h.tell(404, {'detail': 'Model tts-1 is not installed'}), 'not installed'),
        (lambda h, _: h.tell(400, {'error': {'message': 'no such voice'}}), 'no such voice'),
        (lambda h, _: h.answer(500, b'Internal Server Error', 'text/plain'), '500 Internal'),
        (lambda h, _: h.answer(200, b'', 'audio/pcm'), 'no sound'),
        (lambda h, _: h.hang_up(), 'disconnected'),
    ],
)
def test_what_is_wrong_is_said(behave, why):
    with SpeechServer(behave) as server, pytest.raises(EngineFailed, match=why) as failed:
        speak(server)
    assert server.url in str(failed.value)


def test_a_server_that_hangs_is_left_alone_after_a_while():
    go = threading.Event()
    with SpeechServer(lambda handler, _: go.wait(20.0)) as server:
        with pytest.raises(EngineFailed, match='timed out'):
            speak(server, seconds=0.2)
        go.set()


def understand(server):
    ear = TranscriptionUrl(Endpoint(server.url, 'whisper-1', 'secret', 5.0))
    return ear.understand(tone(440.0, 0.5).tobytes(), 'ja')


def test_an_utterance_goes_as_a_wave_file_with_its_language():
    with SpeechServer(lambda handler, _: handler.tell(200, {'text': ' はい '})) as server:
        assert understand(server).text == 'はい'
    (path, headers, body) = server.requests[0]
    assert path == '/v1/audio/transcriptions'
    assert headers['Authorization'] == 'Bearer secret'
    for part in (b'name="language"\r\n\r\nja', b'name="model"\r\n\r\nwhisper-1', b'RIFF'):
        assert part in body


def events(*told):
    return ''.join(f'data: {json.dumps(one)}\n\n' for one in told).encode() + b'data: [DONE]\n\n'


@pytest.mark.parametrize(
    'stream',
    [
        events({'text': 'good '}, {'text': 'morning'}),
        events(*({'choices': [{'delta': {'content': part}}]} for part in ('good ', 'morning'))),
        events(
            {'type': 'transcript.text.delta', 'delta': 'goo'},
            {'type': 'transcript.text.done', 'text': 'good morning'},
        ),
    ],
    ids=['a segment each', 'like a chat', 'as OpenAI'],
)  # fmt: skip
def test_a_stream_that_nobody_asked_for_is_read(stream):
    with SpeechServer(
        lambda handler, _: handler.answer(200, stream, 'text/event-stream')
    ) as server:
        assert understand(server).text == 'good morning'


@pytest.mark.parametrize(
    ('behave', 'why'),
    [
        (lambda h, _: h.tell(404, {'detail': 'no model'}), 'no model'),
        (lambda h, _: h.tell(200, {'words': []}), 'no text'),
        (lambda h, _: h.answer(200, b'<html>', 'text/html'), 'no text'),
        (lambda h, _: h.hang_up(), 'disconnected'),
    ],
)
def test_what_is_wrong_with_ears_is_said(behave, why):
    with SpeechServer(behave) as server, pytest.raises(EngineFailed, match=why):
        understand(server)
