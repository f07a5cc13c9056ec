"""Points in other frames: with tf2, and without."""

import math
import sys
import types

import pytest
import rclpy
from geometry_msgs.msg import TransformStamped
from rclpy.context import Context

from soul.ros.transforms import transform_of
from soul.signals import Point

pytestmark = pytest.mark.ros


@pytest.fixture
def node(domain):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    node = rclpy.create_node('asker', context=context)
    yield node
    node.destroy_node()
    rclpy.try_shutdown(context=context)


class Buffer:
    """The part of tf2_ros.Buffer that is used; the wheels bring no real one."""

    known = {}

    def lookup_transform(self, target, source, time):
        self.asked = (target, source, time.nanoseconds)
        try:
            return self.known[target, source]
        except KeyError:
            raise TransformException(
                f'"{source}" passed to lookupTransform does not exist'
            ) from None


class TransformException(Exception):
    pass


@pytest.fixture
def tf2(monkeypatch):
    made = []

    class Listener:
        def __init__(self, buffer, node):
            made.append((buffer, node))

    module = types.ModuleType('tf2_ros')
    module.Buffer, module.TransformListener = Buffer, Listener
    module.TransformException = TransformException
    monkeypatch.setitem(sys.modules, 'tf2_ros', module)
    found = TransformStamped()
    # a quarter turn to the left, then one metre ahead
    found.transform.rotation.z = found.transform.rotation.w = math.sqrt(0.5)
    found.transform.translation.x = 1.0
    monkeypatch.setattr(Buffer, 'known', {('base_link', 'map'): found})
    return made


def test_a_point_of_another_frame_is_brought_into_the_robots(node, tf2):
    transform = transform_of(node)
    ((buffer, listener_node),) = tf2
    assert listener_node is node
    moved = transform(Point(2.5, 'map', 2.0, 0.0, 0.5), 'base_link')
    assert buffer.asked == ('base_link', 'map', 2_500_000_000)
    assert (moved.frame_id, moved.stamp) == ('base_link', 2.5)
    assert (moved.x, moved.y, moved.z) == pytest.approx((1.0, 2.0, 0.5))
    transform(Point(0.0, 'map', 1.0), 'base_link')
    assert buffer.asked[2] == 0, 'without a time: the newest'


def test_a_frame_that_nobody_knows_is_named(node, tf2):
    with pytest.raises(ValueError, match="no way from the frame 'moon' to base_link"):
        transform_of(node)(Point(frame_id='moon'), 'base_link')


def test_without_tf2_it_says_so(node, monkeypatch):
    monkeypatch.setitem(sys.modules, 'tf2_ros', None)
    with pytest.raises(ValueError, match="'map' is not part of the head, and tf2 is not inst"):
        transform_of(node)(Point(frame_id='map'), 'base_link')
