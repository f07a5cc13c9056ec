"""The tools of the simulated device's official flavour: what they take, refuse and tell."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.degrees import stepped, told
from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.mock_body.loudspeaker import BEGINS, QUEUE, Loudspeaker
from soul.mock_body.official_tools import OfficialTools
from soul.mock_body.performer import Performer
from soul.mock_body.telemetry import Telemetry
from soul.mock_body.tool_table import ToolError

HEAD = 'self.robot.set_head_angles'


class Nothing:
    def write(self, entry: Any) -> None:
        pass

    def spoken(self) -> dict:
        return {}


class Table:
    def __init__(self) -> None:
        config = MockBodyConfig(flavour='official', noise=0.0)
        self.device = Device(config, random.Random(1))
        self.faults = Faults()
        self.asked: list[str] = []
        caps = config.capabilities
        telemetry = Telemetry(self.device, self.faults, caps, random.Random(1))
        performer = Performer(self.device, config, self.faults, caps, Nothing())
        self.tools = OfficialTools(
            self.device, self.faults, caps, performer, telemetry, self.asked.append
        )

    def call(self, name: str, **given: Any) -> Any:
        answer = self.tools.call(name, given, 0.0)
        return None if answer is None else json.loads(answer)


@pytest.fixture
def table() -> Table:
    return Table()


def test_angles_are_cut_off_both_ways():
    assert told(stepped(11)) == 10
    assert [told(stepped(angle)) for angle in (0, 5, 10, 45, 85, -11, -45)] == [
        0, 5, 10, 45, 85, -10, -45,
    ]  # fmt: skip
    short = [told(stepped(angle)) - angle for angle in range(129)]
    assert set(short) == {0, -1}
    assert all(math.fabs(stepped(angle) - 10 * angle) < 3.125 for angle in range(-128, 129))


def test_a_failed_read_is_an_angle_in_range(table: Table):
    assert table.call('self.robot.get_head_angles') == {'yaw': 0, 'pitch': 45}
    table.faults.stuck_reads = True
    assert table.call('self.robot.get_head_angles') == {'yaw': -128, 'pitch': 0}


@pytest.mark.parametrize(
    ('given', 'why'),
    [
        ({'yaw': 129}, 'out of range'),
        ({'pitch': 91}, 'out of range'),
        ({'pitch': -1}, 'out of range'),
        ({'speed': 99}, 'out of range'),
        ({'speed': 1001}, 'out of range'),
    ],
)
def test_what_is_out_of_range_is_refused(table: Table, given: dict[str, int], why: str):
    with pytest.raises(ToolError, match=why):
        table.call(HEAD, **given)


def test_what_is_left_out_stays_and_what_is_of_the_wrong_type_counts_as_left_out(table: Table):
    table.call(HEAD, yaw=20)
    assert (table.device.yaw.target, table.device.pitch.target) == (stepped(20), 450.0)
    table.call(HEAD, yaw='left', pitch=30)
    assert (table.device.yaw.target, table.device.pitch.target) == (stepped(20), stepped(30))
    table.call(HEAD, yaw=-9999, pitch=-9999)
    assert table.device.yaw.target == stepped(20)
    with pytest.raises(ToolError, match='Missing valid argument: volume'):
        table.call('self.audio_speaker.set_volume', volume='loud')
    with pytest.raises(ToolError, match='Missing valid argument: question'):
        table.call('self.camera.take_photo')
    with pytest.raises(ToolError, match='Unknown tool'):
        table.call('self.dance')


def test_lights_that_are_called_by_a_letter_go_out(table: Table):
    table.call('self.robot.set_led_color', red=168, green=1)
    assert table.device.lights == (168, 1, 0)
    table.call('self.robot.set_led_color', r=168, g=1)
    assert table.device.lights == (0, 0, 0)


def test_its_list_has_pages_and_all_tools(table: Table):
    page = table.tools.page('')
    names = [tool['name'] for tool in page['tools']]
    assert 'nextCursor' in page
    while 'nextCursor' in page:
        page = table.tools.page(page['nextCursor'])
        names += [tool['name'] for tool in page['tools']]
    assert len(names) == len(set(names)) == 11


def test_a_loudspeaker_plays_by_the_clock():
    speaker = Loudspeaker(None, None)
    speaker.take(b'early', 0.0)
    speaker.begin(0.0)
    speaker.take(b'too early', BEGINS / 2)
    assert speaker.silent_drops == 2
    for n in range(QUEUE + 5):
        speaker.take(b'%d' % n, 1.0)
    assert speaker.full_drops == 4, 'one is being played'
    assert not speaker.step(1.0 + 0.06 * 10.5)
    assert len(speaker.played) == 11
    speaker.end(2.0, clear=False)
    assert not speaker.step(3.0)
    assert speaker.step(1.0 + 0.06 * (QUEUE + 1.5))
    assert (len(speaker.played), speaker.underruns) == (QUEUE + 1, 0)
    assert not speaker.speaks


def test_a_loudspeaker_that_is_late_says_so_and_one_that_clears_its_queue_forgets():
    speaker = Loudspeaker(None, None)
    speaker.begin(0.0)
    speaker.take(b'a', 1.0)
    speaker.take(b'b', 1.2)
    assert speaker.underruns == 1
    for n in range(5):
        speaker.take(b'%d' % n, 1.2)
    speaker.end(1.2, clear=True)
    assert speaker.step(1.2)
    assert list(speaker.played) == [b'a', b'b']
