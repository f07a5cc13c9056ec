"""Nothing that the schema accepts violates it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.wire import (
    DEVICE_FRAMES,
    HOST_FRAMES,
    BadFieldError,
    SchemaError,
    UnsupportedError,
    parse,
)

JOINT = {'t': 'joint', 'q': 1, 'up': 5, 'yaw': 1, 'pitch': 450.5, 'moving': False,
         'torque': True, 'ok': True}  # fmt: skip
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=70),
    st.lists(st.one_of(st.integers(-5, 300), st.floats(), st.text(max_size=3)), max_size=4),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
    st.sampled_from(['ok', 'dup', 'abort', 'AAAA', [0, 1, 2], [1, 0]]),
)  # fmt: skip


def test_a_sound_message():
    joint = parse(JOINT | {'new': 'ignored'}, DEVICE_FRAMES)
    assert (joint.yaw, joint.pitch, joint.ok) == (1.0, 450.5, True)
    assert not hasattr(joint, 'new')


@pytest.mark.parametrize('message', [{}, {'t': 3}, {'t': 'warp'}, {'t': None}, {'t': ['hb']}])
def test_unknown_types(message):
    with pytest.raises(UnsupportedError) as caught:
        parse(message, HOST_FRAMES)
    assert caught.value.why == 'unsupported'


@pytest.mark.parametrize(
    'change',
    [
        {'q': -1}, {'q': 2**32}, {'q': 1.0}, {'q': True}, {'q': '1'}, {'up': -1}, {'up': None},
        {'yaw': True}, {'yaw': '3'}, {'yaw': math.inf}, {'yaw': math.nan}, {'yaw': 1e300},
        {'moving': 0}, {'ok': None}, {'sid': 'x' * 17}, {'sid': '\ud800'},
    ],
)  # fmt: skip
def test_wrong_fields_are_named(change):
    with pytest.raises(BadFieldError, match=f'joint.{next(iter(change))}'):
        parse(JOINT | change, DEVICE_FRAMES)


def test_null_is_no_reading_and_not_zero():
    joint = parse(JOINT | {'yaw': None, 'pitch': None, 'ok': False}, DEVICE_FRAMES)
    assert joint.yaw is None


@pytest.mark.parametrize(
    ('table', 'message'),
    [
        (HOST_FRAMES, {'t': 'say', 'q': 1, 'text': 'no id'}),
        (HOST_FRAMES, {'t': 'say', 'q': 1, 'id': 'x' * 17, 'text': 'a'}),
        (HOST_FRAMES, {'t': 'say', 'q': 1, 'id': 'x', 'text': ''}),
        (HOST_FRAMES, {'t': 'pcm', 'q': 1, 'st': 1, 'n': 1, 'b64': '???'}),
        (HOST_FRAMES, {'t': 'led', 'q': 1, 'rgb': [0, 0, 256]}),
        (HOST_FRAMES, {'t': 'spk', 'q': 1, 'op': 'louder'}),
        (DEVICE_FRAMES, {'t': 'touch', 'q': 1, 'up': 1, 'z': [0, 4, 0]}),
        (DEVICE_FRAMES, {'t': 'touch', 'q': 1, 'up': 1, 'z': [0, 1]}),
        (DEVICE_FRAMES, {'t': 'ack', 'q': 1, 'up': 1, 'id': 'a', 'st': 'maybe'}),
        (DEVICE_FRAMES, {'t': 'imu', 'q': 1, 'up': 1, 'a': [0, 0, True], 'g': [0, 0, 0]}),
        (DEVICE_FRAMES, {'t': 'jpg', 'q': 1, 'up': 1, 'f': 1, 'k': 0, 'n': 0, 'b64': ''}),
        (DEVICE_FRAMES, {'t': 'hello', 'q': 1, 'up': 1, 'proto': [1], 'boot': 'a'}),
    ],
)
def test_what_violates_the_protocol_is_refused(table, message):
    with pytest.raises(SchemaError):
        parse(message, table)


@given(
    st.sampled_from(sorted(HOST_FRAMES)) | st.sampled_from(sorted(DEVICE_FRAMES)),
    st.dictionaries(
        st.sampled_from(sorted({
            name for table in (HOST_FRAMES, DEVICE_FRAMES)
            for frame in table.values() for name in frame.model_fields
        })),
        VALUES,
    ),
)  # fmt: skip
def test_only_schema_errors_and_what_is_accepted_holds(kind, fields):
    for table in (HOST_FRAMES, DEVICE_FRAMES):
        try:
            frame = parse(fields | {'t': kind}, table)
        except SchemaError:
            continue
        # What was accepted is accepted again and the same: it satisfies its own schema.
        assert type(frame).model_validate(frame.model_dump()) == frame
        assert 0 <= frame.q < 2**32
        for value in frame.model_dump().values():
            assert not isinstance(value, float) or math.isfinite(value)
