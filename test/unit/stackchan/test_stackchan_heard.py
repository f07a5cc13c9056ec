"""What the messages of a device tell the driver: firmwares say it in different ways."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.signals import Extras, KeyValue
from soul.stackchan.config import StackChanConfig
from soul.stackchan.readings import Readings
from soul.stackchan.transports.events import (
    BodyEvent,
    Heard,
    ListenChanged,
    SpeechAborted,
    WordsHeard,
)
from soul.stackchan.transports.xiaozhi.boots import Boots
from soul.stackchan.transports.xiaozhi.firmware import (
    OFFICIAL_STACKCHAN,
    PLAIN,
    STACKCHAN_MCP,
    firmware_of,
)
from soul.stackchan.transports.xiaozhi.heard import heard_in
from soul.stackchan.transports.xiaozhi.tools import Tools
from soul.wire.sound_frames import VERSIONS, pack, unpack

MESSAGES = st.dictionaries(
    st.sampled_from(['type', 'state', 'mode', 'text', 'event', 'event_type', 'subtype', 'touch',
                     'reason', 'name']),
    st.none() | st.integers() | st.booleans() | st.lists(st.text()) | st.text() | st.sampled_from(
        ['listen', 'abort', 'stackchan-event', 'touch', 'start', 'detect', 'face_detected', 'tap']
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ('message', 'told'),
    [
        ({'type': 'listen', 'state': 'start', 'mode': 'auto'}, [ListenChanged('start', 'auto')]),
        ({'type': 'listen', 'state': 'stop'}, [ListenChanged('stop')]),
        (
            {'type': 'listen', 'state': 'detect', 'text': 'hello'},
            [ListenChanged('detect', '', 'hello'), WordsHeard('hello')],
        ),
        ({'type': 'listen', 'state': 'detect', 'text': ' '}, [ListenChanged('detect', '', ' ')]),
        ({'type': 'listen', 'state': 'dance'}, []),
        ({'type': 'abort', 'reason': 'wake_word_detected'}, [SpeechAborted('wake_word_detected')]),
        ({'type': 'abort'}, [SpeechAborted('')]),
        ({'type': 'stackchan-event', 'touch': 'tap'}, [BodyEvent('tap')]),
        (
            {'type': 'stackchan-event', 'event_type': 'touch', 'subtype': 'stroke'},
            [BodyEvent('stroke')],
        ),
        ({'type': 'face_detected'}, [BodyEvent('face_detected')]),
        ({'type': 'event', 'event': 'sound_event'}, [BodyEvent('sound_event')]),
        ({'type': 'event', 'name': 'state_changed'}, [BodyEvent('state_changed')]),
        ({'type': 'event', 'name': 'lunch'}, []),
        ({}, []),
    ],
)
def test_each_firmware_is_understood(message: dict[str, Any], told: list[Any]):
    assert list(heard_in(message)) == told


@given(MESSAGES)
def test_no_message_harms_it(message: dict[str, Any]):
    for told in heard_in(message):
        assert repr(told).encode()


def tools(*names: str) -> Tools:
    return Tools({name: {} for name in names})


def test_a_firmware_is_known_by_its_tools():
    head = ('self.robot.get_head_angles', 'self.robot.set_head_angles')
    assert firmware_of(tools(*head, 'self.display.set_avatar')) is STACKCHAN_MCP
    assert firmware_of(tools(*head)) is OFFICIAL_STACKCHAN
    assert firmware_of(tools('self.audio_speaker.set_volume')) is PLAIN
    assert firmware_of(tools()) is PLAIN


def test_a_dial_is_a_boot_unless_it_is_shown_that_it_is_not():
    boots = Boots()
    boots.dialled('never asks')
    first = boots.boot_of('never asks')
    boots.dialled('never asks')
    assert boots.boot_of('never asks') != first
    boots.asked('asks')
    boots.dialled('asks')
    first = boots.boot_of('asks')
    boots.dialled('asks')
    assert boots.boot_of('asks') == first
    boots.asked('asks')
    boots.dialled('asks')
    assert boots.boot_of('asks') != first


@given(st.binary(min_size=1, max_size=300), st.sampled_from(VERSIONS), st.integers(0, 2**40))
def test_sound_goes_through_each_header(packet: bytes, version: int, milliseconds: int):
    assert unpack(pack(packet, version, milliseconds), version) == packet


@given(st.binary(max_size=60), st.sampled_from(VERSIONS))
def test_no_header_harms_it(message: bytes, version: int):
    assert isinstance(unpack(message, version), bytes)


def test_what_a_firmware_notices_is_told_as_something_further():
    readings = Readings(StackChanConfig(), float)
    heard = Heard(BodyEvent('face_detected'), 50_000)
    (told,) = readings.take(heard, 1.0, moving=False, now=1.0)
    assert told == Extras(values=(KeyValue('noticed', 'face_detected'),))
    assert list(readings.take(Heard(BodyEvent('lunch'), 50_000), 1.0, False, 1.0)) == []
