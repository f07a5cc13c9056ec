"""Refuses to live twice under one name: looks whether the nodes' names are taken on the graph.

A node that died a moment ago is still seen for some seconds, so a name alone proves nothing:
only one that answers is alive.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

#: Discovery on one host takes well under this, s.
LOOK_SECONDS = 0.4
ANSWER_SECONDS = 1.0


class NameTaken(Exception):
    """Another suite lives in this namespace."""


def make_sure(names: Sequence[str], context: Context, arguments: Sequence[str] | None) -> None:
    """Make sure that nobody alive has one of the node names in our namespace.

    Raises
    ------
    NameTaken
        Saying who is there and on which home.
    """
    probe = rclpy.create_node(
        f'_probe_{time.monotonic_ns()}',
        context=context,
        cli_args=list(arguments) if arguments is not None else None,
        start_parameter_services=False,
        enable_rosout=False,
    )
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(probe)
    try:
        for name in _taken(probe, names):
            home = _ask_home(probe, executor, name)
            if home is not None:
                full = f'{probe.get_namespace().rstrip("/")}/{name}'
                raise NameTaken(
                    f'{full} already lives, on the home {home}: another suite runs in this '
                    'namespace. Stop it, or start this one under another namespace '
                    '(namespace:=/other) and another home (soul_home:=...).'
                )
    finally:
        executor.shutdown()
        probe.destroy_node()


def _taken(probe: Node, names: Sequence[str]) -> list[str]:
    end = time.monotonic() + LOOK_SECONDS
    namespace = probe.get_namespace()
    while time.monotonic() < end:
        here = {n for n, space in probe.get_node_names_and_namespaces() if space == namespace}
        found = [name for name in names if name in here]
        if found:
            return found
        time.sleep(0.02)
    return []


def _ask_home(probe: Node, executor: SingleThreadedExecutor, name: str) -> str | None:
    client = probe.create_client(GetParameters, f'{name}/get_parameters')
    end = time.monotonic() + ANSWER_SECONDS
    while not client.service_is_ready() and time.monotonic() < end:
        executor.spin_once(timeout_sec=0.02)
    if not client.service_is_ready():
        return None
    future = client.call_async(GetParameters.Request(names=['soul_home']))
    executor.spin_until_future_complete(future, timeout_sec=ANSWER_SECONDS)
    response = future.result() if future.done() else None
    if response is None:
        return None
    return (response.values[0].string_value if response.values else '') or 'by default'
