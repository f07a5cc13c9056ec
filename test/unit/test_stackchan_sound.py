"""Sound of a body's microphone: Opus packets become samples, or it is said why not."""

from __future__ import annotations

import base64
import itertools
from array import array
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.signals import Sound
from soul.stackchan import opus
from soul.stackchan.senses import sound
from soul.stackchan.xiaozhi_body import XiaozhiBody
from soul.wire.schema import DevicePcm
from support import opus as peer

LIBRARY = peer.library()
needs_opus = pytest.mark.skipif(not LIBRARY, reason='there is no libopus here')


def body(library: opus.Opus | str) -> tuple[XiaozhiBody, list[tuple[str, dict[str, Any]]]]:
    told: list[tuple[str, dict[str, Any]]] = []
    link: Any = SimpleNamespace(tools={}, has_sound=True)
    return XiaozhiBody(link, 14.0, 4.0, library, lambda kind, **f: told.append((kind, f))), told


def pitch(samples: array, rate: int) -> float:
    """Frequency of a tone, Hz, by its zero crossings."""
    rising = sum(a < 0 <= b for a, b in itertools.pairwise(samples))
    return rising * rate / len(samples)


@needs_opus
@pytest.mark.parametrize('milliseconds', [20, 60])
def test_a_tone_comes_out_as_it_went_in(milliseconds: int):
    ear, told = body(opus.Opus(LIBRARY))
    assert 'mic' in ear.capabilities
    packets = peer.encode(peer.tone(440.0, 1.2), milliseconds=milliseconds)
    for packet in packets:
        ear.hear_sound(packet)
    ear.close()
    assert {kind for kind, _ in told} == {'pcm'}
    assert [fields['n'] for _, fields in told] == list(range(len(told)))
    samples = array('h')
    for n, (_, fields) in enumerate(told):
        frame = DevicePcm(t='pcm', q=n, up=n, **fields)
        heard = sound(frame)
        assert heard.rate == 16_000
        samples.extend(heard.samples)
    assert len(samples) == len(packets) * 16 * milliseconds
    assert pitch(samples[8_000:16_000], 16_000) == pytest.approx(440.0, rel=0.02)


@needs_opus
@given(st.binary(max_size=200))
def test_no_packet_harms_it(packet: bytes):
    ear, told = body(opus.Opus(LIBRARY))
    ear.hear_sound(packet)
    ear.close()
    assert {kind for kind, _ in told} <= {'pcm', 'log'}


def test_without_the_library_it_is_said_and_not_offered():
    ear, told = body(opus.MISSING)
    assert 'mic' not in ear.capabilities
    ear.hear_sound(b'\x00')
    ((kind, fields),) = told
    assert (kind, fields['warn']) == ('log', True)
    assert 'libopus0' in fields['text']


def test_a_library_that_is_not_there_or_another_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr('ctypes.util.find_library', lambda name: None)
    with pytest.raises(OSError, match='libopus is not installed'):
        opus.Opus()
    with pytest.raises(OSError, match='libnone'):
        opus.Opus('/libnone.so')
    with pytest.raises(OSError, match='is not libopus'):
        opus.Opus('libc.so.6')


def test_half_a_sample_is_none():
    b64 = base64.b64encode(b'\x01\x00\xff\xff\x05').decode()
    assert sound(DevicePcm(t='pcm', q=0, up=0, st=1, n=0, b64=b64)) == Sound((1, -1), 16_000)
