"""Signals and messages are the same vocabulary, and the border loses nothing."""

import dataclasses
import math
import typing

import pytest
import soul_msgs.action
import soul_msgs.msg
import soul_msgs.srv
from hypothesis import given, settings
from hypothesis import strategies as st

import soul.signals as signals
from soul.ros import convert, foreign

pytestmark = pytest.mark.ros

TYPES = [
    kind for name in signals.__all__ if dataclasses.is_dataclass(kind := getattr(signals, name))
]
OWN = [kind for kind in TYPES if kind not in foreign.CLASSES]


def slots(kind):
    return convert.ros_class(kind).get_fields_and_field_types()


@pytest.mark.parametrize('kind', OWN, ids=lambda k: k.__name__)
def test_a_signal_has_the_fields_of_its_message_in_their_order(kind):
    fields = [field.name for field in dataclasses.fields(kind)]
    expected = ['stamp' if name == 'header' else name for name in slots(kind)]
    # ROS adds a dummy to what has no fields
    expected = [name for name in expected if name != 'structure_needs_at_least_one_member']
    assert fields == expected


def test_every_interface_has_its_signal():
    names = set(signals.__all__)
    for module, suffixes in (
        (soul_msgs.msg, ('',)),
        (soul_msgs.srv, ('Request', 'Answer')),
        (soul_msgs.action, ('Goal', 'Result', 'Feedback')),
    ):
        for name in dir(module):
            if name[0].isupper() and not name.startswith('_') and '_' not in name:
                for suffix in suffixes:
                    assert name + suffix in names, f'{name}{suffix} is missing'


CONSTANTS = [
    (signals.Band, soul_msgs.msg.BodyState),
    (signals.SenseKind, soul_msgs.msg.SenseEvent),
    (signals.WakeCause, soul_msgs.msg.Wake),
    (signals.MessageMode, soul_msgs.msg.Message),
    (signals.FieldEventKind, soul_msgs.msg.FieldEvent),
    (signals.Outcome, soul_msgs.msg.Turn),
    (signals.Phase, soul_msgs.msg.MindState),
    (signals.ThoughtKind, soul_msgs.msg.Thought),
    (signals.ActState, soul_msgs.msg.Act),
    (signals.AttendAction, soul_msgs.srv.Attend.Request),
]


@pytest.mark.parametrize(('mine', 'theirs'), CONSTANTS, ids=lambda c: c.__name__)
def test_constants_are_equal(mine, theirs):
    values = {k: v for k, v in vars(mine).items() if k.isupper()}
    assert values
    for name, value in values.items():
        assert getattr(theirs, name) == value


TEXT = st.text(st.characters(exclude_categories=['Cs'], exclude_characters='\0'), max_size=20)
RANGES = {
    'int8': (-128, 127),
    'uint8': (0, 255),
    'uint16': (0, 999),
    'uint32': (0, 2**32 - 1),
    'uint64': (0, 2**64 - 1),
}


def values(hint, slot):
    if typing.get_origin(hint) is tuple:
        inner = slot.removeprefix('sequence<').removesuffix('>')
        return st.lists(values(typing.get_args(hint)[0], inner), max_size=3).map(tuple)
    if hint is str:
        return TEXT
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.integers(*RANGES[slot])
    if hint is float:
        if slot in ('builtin_interfaces/Time', 'builtin_interfaces/Duration'):
            return st.integers(0, (2**31 - 1) * 1000).map(lambda n: n / 1000.0)
        return st.floats()
    return instances(hint)


def instances(kind):
    if kind is signals.Picture:  # without a frame it gets the camera's
        return st.just(signals.Picture(frame_id='eye', format='png', data=b'\0\xff'))
    if kind in foreign.CLASSES:
        return st.just(kind())
    hints = typing.get_type_hints(kind)
    drawn = {}
    for field in dataclasses.fields(kind):
        slot = 'builtin_interfaces/Time' if field.name == 'stamp' else slots(kind)[field.name]
        drawn[field.name] = values(hints[field.name], slot)
    return st.builds(kind, **drawn)


def same(a, b):
    if isinstance(a, float):
        return math.isnan(b) if math.isnan(a) else math.isclose(a, b, rel_tol=0, abs_tol=1e-6)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and all(
            same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a)
        )
    return a == b


@pytest.mark.parametrize('kind', OWN, ids=lambda k: k.__name__)
@settings(max_examples=40)
@given(data=st.data())
def test_there_and_back_again(kind, data):
    signal = data.draw(instances(kind))
    assert same(signal, convert.from_ros(convert.to_ros(signal), kind))


def test_readings_of_any_robot_keep_what_is_unknown():
    battery = convert.from_ros(convert.to_ros(signals.Battery()), signals.Battery)
    assert math.isnan(battery.percentage)
    assert battery.charging is None
    for charging in (True, False):
        there = convert.to_ros(signals.Battery(charging=charging, percentage=0.5))
        assert convert.from_ros(there, signals.Battery).charging is charging
    imu = convert.to_ros(signals.Imu(acceleration=(0.0, 0.0, 9.8)))
    assert imu.orientation_covariance[0] == -1.0
    picture = signals.Picture(1.5, 'eye', 'jpeg', b'\xff\xd8\x00\x80')
    assert convert.from_ros(convert.to_ros(picture), signals.Picture) == picture
    point = signals.Point(2.0, 'base_link', 1.0, -2.0, 0.5)
    assert convert.from_ros(convert.to_ros(point), signals.Point) == point
    joints = signals.Joints(1.0, ('a', 'b'), (0.1, 0.2), ())
    assert convert.from_ros(convert.to_ros(joints), signals.Joints) == joints


def test_what_a_ros_string_cannot_carry_is_replaced_not_fatal():
    reply = convert.to_ros(signals.Reply(text='a\0b\ud800c'))
    assert reply.text == 'a\ufffdb?c'


def test_times_before_zero_are_zero():
    assert convert.to_ros(signals.Reply(stamp=-5.0)).header.stamp.sec == 0
