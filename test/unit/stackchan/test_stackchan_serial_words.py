"""What is said over soul-serial beside speech and turns: lights, eyes, sound, and who is there."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Any

import pytest

from soul.signals import Connection, ExpressRequest, LookAtGoal
from soul.stackchan.transports.commands import (
    HushCommand,
    MouthCommand,
    SoundBegin,
    SoundEnd,
    SoundPacket,
)
from soul.wire import encode
from support.worlds.wire import World

QUICK = {'first_move': 0.0}
HELLO = {
    't': 'hello', 'q': 1, 'up': 5, 'proto': [1, 0], 'fw': 'x', 'hw': 'k151', 'uid': 'aa',
    'boot': 'b', 'rst': 'poweron', 'caps': ['head'],
}  # fmt: skip


def test_a_feeling_lights_it_up(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/express', ExpressRequest('angry'), 'e')
    assert world.finish('e').ok
    world.until(lambda: world.mock.device.lights == (128, 0, 0))


def test_the_eyes_go_ahead_of_the_head_and_come_back(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/look_at', LookAtGoal('a', yaw=0.5, pitch=-0.785), 'l')
    world.until(lambda: world.mock.device.gaze[0] > 0.5)
    assert world.finish('l').ok
    world.until(lambda: world.mock.device.gaze == (0.0, 0.0))


def test_loudness_and_brightness_are_set_in_each_session(tmp_path: Path):
    given = {'volume': 0.25, 'brightness': 0.5}
    world = World(tmp_path, driver=QUICK | given).up()
    world.until(lambda: world.mock.device.volume == 0.25)
    world.until(lambda: world.mock.device.brightness == 0.5)
    world.mock.device.volume = 0.9
    world.mock.firmware.boot(world.now)
    world.until(lambda: world.mock.device.volume == 0.25)
    plain = World(tmp_path / 'plain', driver=QUICK).up()
    plain.run(2.0)
    assert (plain.mock.device.volume, plain.mock.device.brightness) == (0.6, 0.8)


@pytest.mark.parametrize('on', [True, False])
def test_the_microphone_is_switched(tmp_path: Path, on: bool):
    caps = ('head', 'face', 'mic')
    world = World(tmp_path, driver=QUICK | {'microphone': on}, mock={'capabilities': caps}).up()
    word = b'"on":true' if on else b'"on":false'
    world.until(lambda: b'"t":"mic"' in world.cable.sent and word in world.cable.sent)


def test_sound_is_sent_in_numbered_pieces_and_played(tmp_path: Path):
    file = tmp_path / 'played.wav'
    world = World(tmp_path, driver=QUICK, mock={'played_file': str(file)}).up()

    def send(*commands: Any) -> None:
        for command in commands:
            world.driver.port.send(command, world.now)

    samples = [bytes([n, 0]) * 960 for n in range(5)]
    send(SoundBegin(24_000), *map(SoundPacket, samples), MouthCommand(0.7), SoundEnd())
    world.until(lambda: world.mock.firmware.speaker.played == 5 * 1920)
    world.until(lambda: world.mock.device.mouth == 'open')
    world.until(lambda: not world.mock.firmware.speaker.playing)
    assert world.mock.firmware.speaker.lost == 0
    with wave.open(str(file)) as played:
        assert (played.getframerate(), played.getnchannels()) == (24_000, 1)
        assert played.readframes(10_000) == b''.join(samples)
    send(SoundBegin(), SoundPacket(samples[0]), HushCommand(), SoundPacket(samples[1]))
    world.until(lambda: world.mock.firmware.speaker.lost == 1)


# --- who is there -----------------------------------------------------------------------------


def test_another_device_than_the_wanted_one_is_not_taken(tmp_path: Path):
    world = World(tmp_path, driver={'usb_serial': '02:50:0C:00:00:99'})
    world.take(world.driver.configure(world.now))
    world.until(lambda: 'wanted is' in world.heard(Connection)[-1].detail)
    detail = world.heard(Connection)[-1].detail
    assert '02:50:0C:00:00:01' in detail
    assert '02:50:0C:00:00:99' in detail
    assert not world.driver.port.joined


@pytest.mark.parametrize('name', ['02:50:0C:00:00:01', '02500c000001'])
def test_the_wanted_one_is_taken_however_its_name_is_written(tmp_path: Path, name: str):
    assert World(tmp_path, driver={'usb_serial': name}).up().driver.port.joined


@pytest.mark.parametrize(
    ('wrong', 'field'),
    [
        ({'caps': 'head'}, 'hello.caps'),
        ({'proto': '1.0'}, 'hello.proto'),
        ({'boot': 7}, 'hello.boot'),
        ({'lim': {'dps': -1}}, 'hello.lim.dps'),
    ],
)
def test_a_greeting_that_cannot_be_read_is_explained(
    tmp_path: Path, wrong: dict[str, Any], field: str
):
    world = World(tmp_path)
    world.mock.faults.mute = True
    world.take(world.driver.configure(world.now))
    world.until(lambda: world.cable.open)
    world.arrive(b'\n' + encode(HELLO | wrong))
    world.until(lambda: 'greeting' in world.heard(Connection)[-1].detail)
    assert field in world.heard(Connection)[-1].detail
    assert field in world.driver.port.trouble()
    world.mock.faults.mute = False
    world.until(lambda: world.driver.port.joined)
    assert world.driver.port.trouble() == ''
