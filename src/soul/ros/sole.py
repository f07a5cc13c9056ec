"""Refuses to live twice under one name: looks whether the nodes' names are taken on the graph.

A node that died a moment ago is still seen for some seconds, so a name alone proves nothing:
only one that answers is alive.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

from soul.ros import dds
from soul.store import HomeInUse, InstanceLock
from soul.store.lock import said_by
from soul.terminal.place import name_lock

#: How long to look for a suite on another machine, s. On this one each node has a lock on its name
#: (:class:`NameLock`), which waits for nobody.
LOOK_SECONDS = 1.0
ANSWER_SECONDS = 2.0


class NameTaken(Exception):
    """Another suite lives in this namespace."""


class NameLock(InstanceLock):
    """One node of a name on this machine; says on which home the other one lives.

    The graph shows a suite on another machine, too, but it may take its time; a lock does not.
    """

    def __init__(self, full_name: str, domain: int, home: str) -> None:
        super().__init__(name_lock(full_name, domain), home)
        self._full_name = full_name

    def _paths(self) -> list[Path]:
        return [self.path]

    def acquire(self) -> NameLock:
        """Take the name.

        Raises
        ------
        NameTaken
            Saying who has it.
        HomeUnusable
            If the user's runtime folder cannot be used.
        """
        try:
            super().acquire()
        except HomeInUse as taken:
            raise NameTaken(str(taken)) from None
        return self

    def _refusal(self, said: bytes) -> str:
        about = said_by(said)
        who = (
            f'on the home {about["holder"]}, as process {about["pid"]}'
            if about
            else 'and has not said yet on which home'
        )
        return _taken_text(self._full_name, who)


def _taken_text(full_name: str, who: str) -> str:
    return (
        f'{full_name} already lives, {who}: another suite runs in this namespace. Stop it, or '
        'start this one under another namespace (namespace:=/other) and another home '
        '(soul_home:=...).'
    )


class Look:
    """Looks for nodes with our names; it begins when it is made and ends with :meth:`conclude`.

    What else has to be done for the start can be done in between. Where nobody on another machine
    can be met there is nothing to wait for; who is seen at once, as a suite of another user,
    counts all the same.
    """

    def __init__(self, names: Sequence[str], context: Context) -> None:
        self._names = names
        seconds = 0.0 if dds.stays_on_this_machine() else LOOK_SECONDS
        self._until = time.monotonic() + seconds
        self._probe = rclpy.create_node(
            f'_probe_{time.monotonic_ns()}',
            context=context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._probe)

    def full_name(self, name: str) -> str:
        """Full name of a node of ours."""
        return f'{self._probe.get_namespace().rstrip("/")}/{name}'

    def close(self) -> None:
        """End the look; nothing is concluded."""
        self._executor.shutdown()
        self._probe.destroy_node()

    def conclude(self) -> None:
        """Make sure that nobody alive has one of the names.

        Raises
        ------
        NameTaken
            Saying who is there and on which home.
        """
        try:
            for name in self._taken():
                home = self._ask_home(name)
                if home is not None:
                    raise NameTaken(_taken_text(self.full_name(name), f'on the home {home}'))
        finally:
            self.close()

    def _taken(self) -> list[str]:
        namespace = self._probe.get_namespace()
        while True:
            nodes = self._probe.get_node_names_and_namespaces()
            here = {name for name, space in nodes if space == namespace}
            found = [name for name in self._names if name in here]
            if found or time.monotonic() >= self._until:
                return found
            time.sleep(0.02)

    def _ask_home(self, name: str) -> str | None:
        client = self._probe.create_client(GetParameters, f'{name}/get_parameters')
        end = time.monotonic() + ANSWER_SECONDS
        while not client.service_is_ready() and time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.02)
        if not client.service_is_ready():
            return None
        future = client.call_async(GetParameters.Request(names=['soul_home']))
        self._executor.spin_until_future_complete(future, timeout_sec=ANSWER_SECONDS)
        response = future.result() if future.done() else None
        if response is None:
            return None
        return (response.values[0].string_value if response.values else '') or 'by default'
