"""Sound: its rate, its frames, its headers, files of it."""

import math
import struct

import numpy as np
import pytest

from soul.voice.sound import Clip, Framer, as_floats, at_rate, read_wave, silence, write_wave
from support.opus import tone


def loudest(clip):
    """The loudest frequency of a sound, Hz, and how loud it is, 0..1."""
    numbers = as_floats(clip.samples)
    lines = np.abs(np.fft.rfft(numbers * np.hanning(len(numbers)))) * 4 / len(numbers)
    return int(lines.argmax()) * clip.rate / len(numbers), float(lines.max())


@pytest.mark.parametrize(
    ('before', 'after'), [(24_000, 16_000), (22_050, 24_000), (48_000, 24_000)]
)
def test_another_rate_is_the_same_sound(before, after):
    clip = at_rate(Clip(tone(440.0, 1.0, before).tobytes(), before), after)
    assert clip.rate == after
    assert clip.seconds == pytest.approx(1.0, abs=0.001)
    hertz, loud = loudest(clip)
    assert hertz == pytest.approx(440.0, abs=2.0)
    assert loud == pytest.approx(0.49, abs=0.05)


def test_what_a_lower_rate_cannot_hold_does_not_fold_back():
    clip = at_rate(Clip(tone(11_000.0, 1.0, 24_000).tobytes(), 24_000), 16_000)
    assert loudest(clip)[1] < 0.05


def test_frames_have_one_length_and_the_last_one_is_filled_up():
    framer = Framer(24_000, 0.06)
    frames = [
        *framer.add(Clip(b'\x01\x00' * 2000, 24_000)),
        *framer.add(Clip(b'\x01\x00' * 1000, 24_000)),
    ]
    assert [len(frame) for frame in frames] == [2880, 2880]
    (last,) = framer.end()
    assert last == b'\x01\x00' * 120 + bytes(2 * 1320)
    assert list(framer.end()) == []


def test_a_wave_file_is_read_as_it_was_written():
    clip = Clip(tone(440.0, 0.1).tobytes(), 16_000)
    assert read_wave(write_wave(clip)) == clip


def test_a_stream_of_wave_may_claim_a_false_length():
    data = bytearray(write_wave(Clip(b'\x01\x00' * 100, 22_050)))
    struct.pack_into('<I', data, 4, 0xFFFFFFFF)
    struct.pack_into('<I', data, 40, 0xFFFFFFFF)
    assert read_wave(bytes(data)) == Clip(b'\x01\x00' * 100, 22_050)


@pytest.mark.parametrize(
    'data', [b'', b'RIFF', b'ID3' + bytes(100), write_wave(Clip(b'ab', 8000))[:20]]
)
def test_what_is_no_wave_file_is_refused(data):
    with pytest.raises(ValueError, match='WAV'):
        read_wave(data)


def test_silence_lasts_as_long_as_it_says():
    assert Clip(silence(0.06, 24_000), 24_000).seconds == pytest.approx(0.06)
    assert math.isclose(Clip(b'', 24_000).seconds, 0.0)
