"""Sound of a body's microphone: Opus packets become samples, or it is said why not."""

from __future__ import annotations

import itertools
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.signals import Sound
from soul.stackchan.senses import sound
from soul.stackchan.transports.events import LineLogged, SoundHeard, Told
from soul.stackchan.transports.xiaozhi.sound import Microphone
from soul.wire import opus
from support import opus as peer

LIBRARY = peer.library()
needs_opus = pytest.mark.skipif(not LIBRARY, reason='there is no libopus here')


def microphone(library: opus.Opus | str) -> tuple[Microphone, list[Told]]:
    told: list[Told] = []
    return Microphone(library, told.append), told


def pitch(samples: array, rate: int) -> float:
    """Frequency of a tone, Hz, by its zero crossings."""
    rising = sum(a < 0 <= b for a, b in itertools.pairwise(samples))
    return rising * rate / len(samples)


@needs_opus
@pytest.mark.parametrize('milliseconds', [20, 60])
def test_a_tone_comes_out_as_it_went_in(milliseconds: int):
    ear, told = microphone(opus.Opus(LIBRARY))
    assert ear.works
    packets = peer.encode(peer.tone(440.0, 1.2), milliseconds=milliseconds)
    for packet in packets:
        ear.hear(packet)
    ear.close()
    samples = array('h')
    for piece in told:
        assert isinstance(piece, SoundHeard)
        heard = sound(piece)
        assert heard.rate == 16_000
        samples.extend(heard.samples)
    assert len(samples) == len(packets) * 16 * milliseconds
    assert pitch(samples[8_000:16_000], 16_000) == pytest.approx(440.0, rel=0.02)


@needs_opus
@given(st.binary(max_size=200))
def test_no_packet_harms_it(packet: bytes):
    ear, told = microphone(opus.Opus(LIBRARY))
    ear.hear(packet)
    ear.close()
    assert {type(one) for one in told} <= {SoundHeard, LineLogged}


def test_without_the_library_it_is_said_and_not_offered():
    ear, told = microphone(opus.MISSING)
    assert not ear.works
    ear.hear(b'\x00')
    (line,) = told
    assert isinstance(line, LineLogged)
    assert line.warn
    assert 'libopus0' in line.text


def test_a_library_that_is_not_there_or_another_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr('ctypes.util.find_library', lambda name: None)
    monkeypatch.setattr('importlib.util.find_spec', lambda name: None)
    with pytest.raises(OSError, match='libopus is not installed'):
        opus.Opus()
    with pytest.raises(OSError, match='libnone'):
        opus.Opus('/libnone.so')
    with pytest.raises(OSError, match='is not libopus'):
        opus.Opus('libc.so.6')


def test_half_a_sample_is_none():
    heard = SoundHeard(b'\x01\x00\xff\xff\x05', 16_000)
    assert sound(heard) == Sound((1, -1), 16_000)
