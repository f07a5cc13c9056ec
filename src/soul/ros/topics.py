"""Shows topics of the graph: which there are, and what is said on one, as plain values."""

from __future__ import annotations

import importlib
import math
import queue
import time
from collections.abc import Iterator
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from soul.core.errors import StartRefused
from soul.core.interfaces import LATCHED, SENSOR
from soul.terminal.link import NobodyThere
from soul.text.nearest import nearest

#: Longest array and longest text that is shown whole.
LONGEST_ARRAY = 64
#: Longest look for what there is, s.
DISCOVERY_SECONDS = 6.0
#: As long as one of these is missing, not all of her has been found.
VITAL = ('guard/state', 'heart/state', 'field/view', 'mind/state')
#: If nothing new was found for so long, that is all, s.
QUIET_SECONDS = 1.2
DEPTH = 100
TICK = 0.02


class Topics:
    """The topics of the graph, seen from her namespace; names without a slash are hers."""

    def __init__(self, node: Node, namespace: str) -> None:
        self._node = node
        self._hers = namespace.rstrip('/') + '/'
        self._heard: list[queue.SimpleQueue[Any]] = []
        self._over = False

    def close(self) -> None:
        """End all listening; thread-safe."""
        self._over = True
        for heard in self._heard:
            heard.put(None)

    def full(self, name: str) -> str:
        """Return the full name of a topic."""
        return name if name.startswith('/') else self._hers + name

    def all(self, everywhere: bool, seconds: float) -> dict[str, str]:
        """Find the topics that somebody publishes, with their types.

        Parameters
        ----------
        everywhere
            Also what is not hers.
        seconds
            Longest look for the first one; 0: this process has known the graph for long.

        Raises
        ------
        NobodyThere
            If there is none.
        """
        seen, begun = self._published(), time.monotonic()
        since = begun
        longest = DISCOVERY_SECONDS if seconds else 0.0
        while time.monotonic() - begun < longest and not self._over:
            found_her = everywhere or any(name.startswith(self._hers) for name in seen)
            if not found_her and time.monotonic() - begun >= seconds:
                break
            there = all(self._hers + name in seen for name in VITAL)
            if there and time.monotonic() - since >= QUIET_SECONDS:
                break  # participants come one by one, and the last one came a while ago
            time.sleep(TICK)
            if (found := self._published()) != seen:
                seen, since = found, time.monotonic()
        chosen = {n: kind for n, kind in seen.items() if everywhere or n.startswith(self._hers)}
        if not chosen:
            raise NobodyThere(f'nobody says anything at {self._hers.rstrip("/") or "/"}')
        return chosen

    def _published(self) -> dict[str, str]:
        return {
            name: kinds[0]
            for name, kinds in sorted(self._node.get_topic_names_and_types())
            if self._node.count_publishers(name)
        }

    def manner(self, name: str) -> str:
        """Say in a word how a topic of hers behaves."""
        own = name.removeprefix(self._hers)
        return 'state' if own in LATCHED else 'readings' if own in SENSOR else 'events'

    def listen(self, name: str, field: str, seconds: float, look: float) -> Iterator[Any]:
        """Hear a topic until :meth:`close`.

        Parameters
        ----------
        field
            Path of the field that is wanted; empty: the whole message.
        seconds
            Longest look for somebody who publishes it.
        look
            If there is none: how long to look for others, as for :meth:`all`.

        Raises
        ------
        NobodyThere
            If nobody publishes it in time.
        StartRefused
            If there is no such field, or the type of message is not installed here.
        """
        name, node = self.full(name), self._node
        end = time.monotonic() + seconds
        while not node.count_publishers(name):
            if time.monotonic() >= end or self._over:
                near = nearest(name, self.all(True, look))
                raise NobodyThere(f'nobody publishes {name}{near}')
            time.sleep(TICK)
        publishers = node.get_publishers_info_by_topic(name)
        heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._heard.append(heard)
        node.create_subscription(
            message_class(publishers[0].topic_type),
            name,
            heard.put,
            _profile([publisher.qos_profile for publisher in publishers]),
        )
        while not self._over and (message := heard.get()) is not None:
            yield plain(part(message, field))


def message_class(kind: str) -> type:
    """Find the class of a message type such as sensor_msgs/msg/Imu.

    Raises
    ------
    StartRefused
        If its package is not installed here.
    """
    package, _, name = kind.partition('/msg/')
    try:
        return getattr(importlib.import_module(f'{package}.msg'), name)
    except (ImportError, AttributeError) as error:
        raise StartRefused(f'the type {kind} is not installed here: {error}') from None


def _profile(publishers: list[QoSProfile]) -> QoSProfile:
    """Ask for as much as all of them offer: more would never match."""
    reliable = all(p.reliability == ReliabilityPolicy.RELIABLE for p in publishers)
    latched = all(p.durability == DurabilityPolicy.TRANSIENT_LOCAL for p in publishers)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def part(message: Any, path: str) -> Any:
    """Return the part of a message that a path of field names leads to.

    Raises
    ------
    StartRefused
        If there is no such field.
    """
    for name in filter(None, path.split('.')):
        fields: dict[str, str] = getattr(message, 'get_fields_and_field_types', dict)()
        if name not in fields:
            raise StartRefused(f'there is no field {name}{nearest(name, fields)}; '
                               f'there is {", ".join(fields) or "none"}')  # fmt: skip
        message = getattr(message, name)
    return message


def plain(value: Any) -> Any:
    """Make plain values of a message; long arrays of numbers are shortened."""
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else value
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return f'<{len(value)} bytes>'
    values = list(value)
    if len(values) > LONGEST_ARRAY and not isinstance(values[0], str):
        return f'<{len(values)} values>'
    return [plain(one) for one in values]
