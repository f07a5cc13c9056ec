"""The wire over a real pty: what only the kernel can get wrong."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from soul.mock_body.pty import PtySocket
from soul.signals import (
    CaptureRequest,
    Connection,
    LookAtGoal,
    SayGoal,
    SayState,
    SetBoolRequest,
)
from soul.stackchan.discovery import PortMissingError, resolve
from soul.stackchan.transports.link import Lost
from soul.stackchan.transports.serial_port import SerialPort
from support.worlds.pty import PtyWorld
from support.worlds.wire import Conversation


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PtyWorld]:
    world = PtyWorld(tmp_path)
    yield world
    world.close()


def says(world: Conversation) -> list[str]:
    """Acts that the device began to speak, in order."""
    return [entry['act'] for entry in world.log('say')]


def test_everything_once_over_a_real_pty(world: PtyWorld):
    world.up()
    assert world.ask('body/say', SayGoal('act', 'hello'), 's') == ''
    assert world.finish('s').outcome == SayState.DONE
    assert world.ask('body/capture', CaptureRequest(), 'c') == ''
    picture = world.finish('c').image
    assert picture.data[:2] == b'\xff\xd8'
    assert len(picture.data) > 1500
    assert says(world) == ['act']
    stats = world.driver.port.stream.decoder.stats
    assert (stats.bad_frames, stats.overlong, world.driver.port.stream.sequence.lost) == (0, 0, 0)


def test_the_head_turns(tmp_path: Path):
    world = PtyWorld(tmp_path, driver={'first_move': 0.0})
    world.up()
    assert world.ask('body/look_at', LookAtGoal('a', yaw=0.3, pitch=-0.6), 'l') == ''
    result = world.finish('l')
    world.close()
    assert result.ok
    assert result.yaw == pytest.approx(0.3, abs=0.03)
    assert result.pitch == pytest.approx(-0.6, abs=0.03)


def test_the_cable_is_pulled_and_put_back(world: PtyWorld):
    world.up()
    world.ask('body/say', SayGoal('act', 'a long story ' * 50), 's')
    world.until(lambda: world.mock.device.utterance is not None)
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    assert world.finish('s').outcome == SayState.UNCERTAIN
    assert not world.link.exists()
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.until(lambda: world.driver.port.joined)
    assert [c.connected for c in world.heard(Connection)][-1]
    assert says(world) == ['act']


def test_only_one_driver_at_a_time(world: PtyWorld):
    world.up()
    events: list[object] = []
    told = threading.Event()

    def deliver(event: object) -> None:
        events.append(event)
        told.set()

    other = SerialPort(lambda: os.readlink(world.link), deliver, 921_600)
    other.open()
    assert told.wait(10.0)
    other.shut_down()
    assert isinstance(events[0], Lost)
    assert 'lock' in events[0].reason


def test_only_one_device_at_a_time(world: PtyWorld):
    with pytest.raises(BlockingIOError):
        PtySocket(world.link, lambda data: None)


def test_a_link_left_behind_is_not_opened(tmp_path: Path):
    link = tmp_path / 'run' / 'body.pty'
    link.parent.mkdir()
    link.symlink_to('/dev/pts/0')
    with pytest.raises(PortMissingError, match='simulated device'):
        resolve('mock', '', link)
    (link.parent / 'body.pty.lock').touch()
    with pytest.raises(PortMissingError, match='simulated device'):
        resolve('mock', '', link)


def test_a_missing_port_is_retried_with_its_reason(tmp_path: Path):
    world = PtyWorld(tmp_path, driver={'port': str(tmp_path / 'nowhere')})
    world.take(world.driver.configure(world.now))
    world.until(lambda: 'No such file' in world.driver.detail)
    (tmp_path / 'nowhere').symlink_to(os.readlink(world.link))
    world.until(lambda: world.driver.port.joined)
    world.close()


def test_a_device_that_hangs_up_while_nobody_reads(tmp_path: Path):
    world = PtyWorld(tmp_path)
    # Nobody opens the port: what the device sends is dropped, not piled up.
    for _ in range(2000):
        world.socket.write(b'x' * 100 + b'\n')
    world.up()
    world.close()


def test_threads_and_descriptors_are_gone_at_the_end(tmp_path: Path):
    gc.collect()  # what earlier tests have left open is not counted
    before = threading.active_count(), len(os.listdir('/proc/self/fd'))
    world = PtyWorld(tmp_path)
    world.up()
    world.close()
    assert (threading.active_count(), len(os.listdir('/proc/self/fd'))) == before
    assert not os.path.lexists(world.link)
