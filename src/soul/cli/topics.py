"""Shows topics: which there are, and what is said on one, readably."""

from __future__ import annotations

import importlib
import math
import queue
import time
from collections.abc import Iterator
from typing import Any

import yaml
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy

from soul.cli.link import Link, NobodyThere
from soul.interfaces import LATCHED, SENSOR
from soul.organ import StartRefused
from soul.ros.given import nearest

#: Longest array and longest text that is shown whole.
LONGEST_ARRAY = 64
#: Longest look for what there is, s.
DISCOVERY_SECONDS = 6.0
#: As long as one of these is missing, not all of her has been found.
VITAL = ('guard/state', 'heart/state', 'field/view', 'mind/state')
#: If nothing new was found for so long, that is all, s.
QUIET_SECONDS = 1.2
DEPTH = 100


class Topics:
    """The topics of the graph, seen from her namespace; names without a slash are hers."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def full(self, name: str) -> str:
        """Return the full name of a topic."""
        return name if name.startswith('/') else f'{self._link.namespace}/{name}'

    def all(self, everywhere: bool = False) -> dict[str, str]:
        """Find the topics that somebody publishes, with their types.

        Parameters
        ----------
        everywhere
            Also what is not hers.

        Raises
        ------
        NobodyThere
            If there is none.
        """
        seen: dict[str, str] = {}
        since = time.monotonic()

        def quiet() -> bool:
            """Whether nothing new has been found for a while; participants come one by one."""
            nonlocal seen, since
            found = self._published()
            if found != seen:
                seen, since = found, time.monotonic()
            there = all(hers + name in seen for name in VITAL)
            return there and time.monotonic() - since >= QUIET_SECONDS

        hers = self._link.namespace.rstrip('/') + '/'
        self._link.wait_until(quiet, DISCOVERY_SECONDS)
        chosen = {n: kind for n, kind in seen.items() if everywhere or n.startswith(hers)}
        if not chosen:
            raise NobodyThere(f'nobody says anything at {self._link.namespace}')
        return chosen

    def _published(self) -> dict[str, str]:
        return {
            name: kinds[0]
            for name, kinds in sorted(self._link.node.get_topic_names_and_types())
            if self._link.node.count_publishers(name)
        }

    def manner(self, name: str) -> str:
        """Say in a word how a topic of hers behaves."""
        own = name.removeprefix(self._link.namespace.rstrip('/') + '/')
        return 'state' if own in LATCHED else 'readings' if own in SENSOR else 'events'

    def listen(self, name: str, seconds: float) -> Iterator[Any]:
        """Hear the messages of a topic, for ever.

        Raises
        ------
        NobodyThere
            If nobody publishes it in time.
        """
        name, node = self.full(name), self._link.node
        if not self._link.wait_until(lambda: bool(node.count_publishers(name)), seconds):
            known = self.all(everywhere=True)
            raise NobodyThere(f'nobody publishes {name}{nearest(name, known)}')
        publishers = node.get_publishers_info_by_topic(name)
        heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        node.create_subscription(
            message_class(publishers[0].topic_type),
            name,
            heard.put,
            _profile([publisher.qos_profile for publisher in publishers]),
        )
        while True:
            yield heard.get()


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


class _Readable(yaml.SafeDumper):
    pass


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # Whole lines, one below the other, where there are several: what she sees is a picture.
    style = '|' if '\n' in text else None
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, style)


_Readable.add_representer(str, _text)


def readable(value: Any) -> str:
    """Write a message, or a part of it, for people."""
    value = plain(value)
    if isinstance(value, str):
        return value
    if not isinstance(value, (dict, list)):
        return str(value)
    return yaml.dump(
        value, Dumper=_Readable, allow_unicode=True, sort_keys=False, width=10_000
    ).rstrip('\n')
