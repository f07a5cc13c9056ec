"""The same device dials on top of its own session: it is the same body, and nothing is lost."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from soul.core.organ import Report
from soul.signals import Connection, SayGoal, SayState
from support.worlds.dialled import DEVICE
from support.worlds.official import OfficialWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[OfficialWorld]:
    life = OfficialWorld(tmp_path, rate=20.0)
    yield life.up()
    life.close()


class Line:
    """Another line of a device, by hand."""

    def __init__(self, line: Any) -> None:
        self.line = line
        with contextlib.suppress(ConnectionClosed):  # it may have been sent away at once
            self.line.send(json.dumps({'type': 'hello', 'version': 1, 'features': {}}))

    def until(self, kind: str, state: str) -> dict[str, Any]:
        """Hear it out until it is told something."""
        while True:
            told = json.loads(self.line.recv(timeout=20))
            if told['type'] == kind and told.get('state', state) == state:
                return told


@pytest.fixture
def dial(world: OfficialWorld) -> Iterator[Any]:
    with contextlib.ExitStack() as stack:

        def anew(device: str = DEVICE) -> Line:
            named = {'Device-Id': device}
            line = connect(f'ws://{world.place()}', additional_headers=named)
            return Line(stack.enter_context(line))

        yield anew


def connections(world: OfficialWorld) -> list[Connection]:
    return [one for one in world.said if isinstance(one, Connection)]


def test_who_dials_anew_is_the_same_body_and_not_lost(world: OfficialWorld, dial: Any):
    joins, told = world.driver.port.joins, len(connections(world))
    world.ask('body/say', SayGoal('a', 'a long story ' * 20), 's')
    world.until(lambda: world.mock.device.utterance is not None)
    line = dial()
    world.until(lambda: world.driver.port.joins == joins + 1)
    assert world.driver.port.joined
    assert world.finish('s').outcome == SayState.UNCERTAIN, 'what the old line was at is over'
    world.until(lambda: not world.mock.firmware.call)  # the old line is closed
    assert all(one.connected for one in connections(world)[told:]), 'never lost in between'
    reports = [one for one in world.said if isinstance(one, Report)]
    assert not [one.text for one in reports if 'lost' in one.text]
    assert any('dialled anew' in one.text and one.level == 'info' for one in reports)
    world.ask('body/say', SayGoal('b', 'here I am'), 'b')
    world.until(lambda: bool(world.mock.log))
    assert line.until('tts', 'sentence_start')['text'] == 'here I am'
    line.line.close()
    world.until(lambda: not world.driver.port.joined)
    assert not connections(world)[-1].connected


def test_many_lines_of_one_device_end_as_one(world: OfficialWorld, dial: Any):
    joins, before = world.driver.port.joins, len(connections(world))
    lines = []
    for number in range(5):
        lines.append(dial())
        world.until(lambda number=number: world.driver.port.joins >= joins + number + 1)
    for old in lines[:-1]:
        with pytest.raises(ConnectionClosed):
            old.until('nothing', 'at all')
    assert world.driver.port.joined
    told = len(connections(world))
    assert all(one.connected for one in connections(world)[before:])
    lines[-1].line.close()
    world.until(lambda: len(connections(world)) > told)
    assert not connections(world)[-1].connected


def test_another_device_is_still_sent_away(world: OfficialWorld, dial: Any):
    joins = world.driver.port.joins
    other = dial('02:50:0c:00:00:77')
    with pytest.raises(ConnectionClosed):
        other.until('nothing', 'at all')
    assert (world.driver.port.joins, world.driver.port.joined) == (joins, True)
