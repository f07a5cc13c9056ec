"""Frames, signs and where a point is; the URDF says the same."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.signals import LookAtGoal, Point
from soul.stackchan import geometry
from soul.stackchan.head import Pose
from support.worlds.wire import World

URDF = Path(__file__).parents[3] / 'config' / 'stackchan.urdf'
YAWS = st.floats(-2.0, 2.0)
PITCHES = st.floats(-1.4, -0.1)


def camera_view(yaw: float, pitch: float, ahead: float, left: float = 0.0, up: float = 0.0):
    """Base coordinates of a point given in the camera's frame, by the chain of the URDF."""
    x, y, z = ahead + geometry.CAMERA_X, left, up + geometry.CAMERA_Z
    x, z = x * math.cos(pitch) + z * math.sin(pitch), z * math.cos(pitch) - x * math.sin(pitch)
    z += geometry.PITCH_Z
    x, y = x * math.cos(yaw) - y * math.sin(yaw), x * math.sin(yaw) + y * math.cos(yaw)
    return x, y, z + geometry.YAW_Z


def test_signs_and_units():
    assert geometry.to_radians(Pose(900.0, 450.0), 1) == pytest.approx((math.pi / 2, -math.pi / 4))
    assert geometry.to_radians(Pose(900.0, 450.0), -1)[0] == pytest.approx(-math.pi / 2)
    assert geometry.to_device(0.5, -0.5, -1) == pytest.approx((-286.479, 286.479), abs=1e-3)


@given(YAWS, PITCHES, st.floats(0.2, 5.0))
def test_the_camera_looks_at_the_point(yaw: float, pitch: float, distance: float):
    x, y, z = camera_view(yaw, pitch, distance)
    if math.hypot(x, y) < 0.05:
        return
    found = geometry.towards(Point(x=x, y=y, z=z), '', 0.0, -0.7)
    assert found == pytest.approx((yaw, pitch), abs=1e-6)


@given(YAWS, PITCHES, st.floats(0.2, 5.0))
def test_straight_ahead_of_the_camera_changes_nothing(yaw, pitch, distance):
    point = Point(frame_id='camera_link', x=distance)
    x, y, _ = camera_view(yaw, pitch, distance)
    if math.hypot(x, y) < 0.05:
        return
    assert geometry.towards(point, '', yaw, pitch) == pytest.approx((yaw, pitch), abs=1e-6)


@given(YAWS, PITCHES)
def test_frames_of_the_chain_agree(yaw: float, pitch: float):
    in_base = geometry.towards(Point(x=1.0, y=0.5, z=0.6), '', yaw, pitch)
    x, y = 1.0, 0.5
    turned = Point(
        frame_id='a/head_yaw_link',
        x=x * math.cos(yaw) + y * math.sin(yaw),
        y=y * math.cos(yaw) - x * math.sin(yaw),
        z=0.6 - geometry.YAW_Z,
    )
    assert geometry.towards(turned, 'a/', yaw, pitch) == pytest.approx(in_base, abs=1e-9)


@pytest.mark.parametrize(
    ('point', 'why'),
    [
        (Point(x=math.nan), 'x of the point is nan'),
        (Point(y=math.inf), 'y of the point is inf'),
        (Point(z=-math.inf), 'z of the point is -inf'),
        (Point(z=0.07), 'inside'),
        (Point(frame_id='base_link'), 'inside'),
        (Point(frame_id='camera_link'), 'inside'),
    ],
)
def test_points_that_cannot_be_looked_at(point: Point, why: str, tmp_path: Path):
    with pytest.raises(ValueError, match=why):
        geometry.towards(point, '', 0.0, -0.7)
    world = World(tmp_path).up()
    goal = LookAtGoal('a', has_point=True, point=point)
    assert why in world.ask('body/look_at', goal, 'l')


def test_a_point_in_a_frame_of_somebody_else_is_refused_without_transforms(tmp_path: Path):
    world = World(tmp_path, driver={'frame_prefix': 'a/'}).up()
    for frame in ('map', 'b/base_link'):
        goal = LookAtGoal('a', has_point=True, point=Point(frame_id=frame, x=1.0))
        refusal = world.ask('body/look_at', goal, 'l')
        assert repr(frame) in refusal
        assert 'give the point in a/base_link' in refusal


@pytest.mark.parametrize('sign', [1, -1])
def test_it_turns_to_a_point_to_its_left(tmp_path: Path, sign: int):
    world = World(tmp_path, driver={'first_move': 0.0, 'yaw_sign': sign}).up()
    goal = LookAtGoal('a', has_point=True, point=Point(frame_id='base_link', x=1, y=1, z=0.8))
    assert world.ask('body/look_at', goal, 'l') == ''
    result = world.finish('l')
    assert result.ok
    assert result.yaw == pytest.approx(math.pi / 4, abs=0.02)
    assert result.pitch < -0.4
    assert (world.mock.device.yaw.angle > 0) == (sign > 0)


def test_the_urdf_has_the_same_chain():
    root = ElementTree.parse(URDF).getroot()
    joints = {joint.get('name'): joint for joint in root.findall('joint')}

    def origin(name: str) -> list[float]:
        return [float(v) for v in joints[name].find('origin').get('xyz').split()]

    assert origin(geometry.YAW_JOINT) == [0, 0, geometry.YAW_Z]
    assert origin(geometry.PITCH_JOINT) == [0, 0, geometry.PITCH_Z]
    assert origin('camera_joint') == [geometry.CAMERA_X, 0, geometry.CAMERA_Z]
    chain = [(j.find('parent').get('link'), j.find('child').get('link')) for j in joints.values()]
    assert chain == [
        (geometry.BASE, geometry.YAW), (geometry.YAW, geometry.PITCH),
        (geometry.PITCH, geometry.CAMERA),
    ]  # fmt: skip
    limit = joints[geometry.PITCH_JOINT].find('limit')
    assert float(limit.get('lower')) == pytest.approx(-math.radians(85), abs=1e-4)
    assert float(limit.get('upper')) == pytest.approx(-math.radians(5), abs=1e-4)
