"""Faults of the transport, over a real pty with real threads."""

from __future__ import annotations

import itertools
import os
import select
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import serial

from soul.signals import SayGoal, SayState, SetBoolRequest
from soul.stackchan.transports.link import LinkNews, Lost, Up
from soul.stackchan.transports.serial_port import SerialPort
from soul.wire import Decoder, encode
from support.worlds.pty import LONGEST, PtyWorld
from support.worlds.wire import Conversation


@pytest.fixture
def world(tmp_path: Path) -> Iterator[PtyWorld]:
    world = PtyWorld(tmp_path)
    yield world
    world.close()


class Peer:
    """The device's end of a bare pty, read only when a test wants it."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)
        self.events: list[LinkNews] = []
        self._told = threading.Condition()

    def deliver(self, event: LinkNews) -> None:
        with self._told:
            self.events.append(event)
            self._told.notify()

    def wait_for(self, kind: type[LinkNews]) -> LinkNews:
        with self._told:
            assert self._told.wait_for(
                lambda: any(isinstance(e, kind) for e in self.events), LONGEST
            )
        return next(e for e in self.events if isinstance(e, kind))

    def read(self) -> bytes:
        assert select.select([self.master], [], [], LONGEST)[0], 'nothing comes any more'
        return os.read(self.master, 65_536)

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.close()


def says(world: Conversation) -> list[str]:
    """Acts that the device began to speak, in order."""
    return [entry['act'] for entry in world.log('say')]


def replug(world: PtyWorld) -> None:
    """Pull the cable, let the driver notice, put it back, let it join."""
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    world.until(lambda: not world.driver.port.joined)
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.until(lambda: world.driver.port.joined)


def test_fault_08_a_frame_of_an_old_session_is_refused(world: PtyWorld):
    world.up()
    old = world.driver.port.sid
    replug(world)
    world.port.write(
        encode({'t': 'say', 'q': 1, 'sid': old, 'id': 'late', 'act': 'late', 'text': 'boo'})
    )
    joins = world.driver.port.joins
    world.until(lambda: world.driver.port.joins > joins)  # told stale_session
    assert says(world) == []


def test_fault_09_a_say_of_the_old_session_is_not_played_in_the_new(world: PtyWorld):
    world.up()
    world.ask('body/say', SayGoal('one', 'a long story ' * 50), 's1')
    world.ask('body/say', SayGoal('two', 'hello'), 's2')
    world.until(lambda: world.mock.device.utterance is not None)
    replug(world)
    assert world.finish('s1').outcome == SayState.UNCERTAIN
    assert world.finish('s2').outcome == SayState.ABORTED
    world.ask('body/say', SayGoal('three', 'hello'), 's3')
    assert world.finish('s3').outcome == SayState.DONE
    assert says(world) == ['one', 'three']


def test_fault_13_opening_the_port_never_pulses_the_reset_lines(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
):
    levels: list[tuple[str, bool]] = []
    for line in ('dtr', 'rts'):

        def update(port: serial.Serial, line: str = line) -> None:
            levels.append((line, getattr(port, line)))

        monkeypatch.setattr(serial.Serial, f'_update_{line}_state', update)
    port = SerialPort(lambda: peer.path, peer.deliver, 115_200, dtr=False, rts=False)
    port.open()
    peer.wait_for(Up)
    port.shut_down()
    assert levels
    assert not any(level for _, level in levels)


def test_fault_14_the_port_disappears_on_a_reset_and_comes_back_elsewhere(world: PtyWorld):
    world.up()
    before = os.readlink(world.link)
    boot = world.mock.firmware.boot_id
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    world.until(lambda: not world.driver.port.joined)
    assert world.driver.detail
    blockers = []
    while not os.path.exists(before):  # somebody takes the old number meanwhile
        blockers.append(os.openpty())
    world.mock.firmware.boot(world.now, 'sw')
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.until(lambda: world.driver.port.joined)
    for file in itertools.chain.from_iterable(blockers):
        os.close(file)
    assert os.readlink(world.link) != before
    assert world.driver.link.boots == 2
    assert world.mock.firmware.boot_id != boot


def test_fault_14_boot_text_is_log_lines(world: PtyWorld):
    world.up()
    lines = world.driver.port.stream.decoder.stats.log_lines
    world.mock.firmware.boot(world.now, 'wdt')
    world.until(lambda: world.driver.link.boots == 2)
    assert world.driver.port.stream.decoder.stats.log_lines >= lines + 2
    assert any('ESP-ROM' in line for line in world.driver.port.stream.decoder.recent_log)


def test_a_stop_overtakes_everything_that_waits(peer: Peer):
    port = SerialPort(lambda: peer.path, peer.deliver, 115_200)
    port.open()
    peer.wait_for(Up)
    for n in range(100):
        port.write(encode({'t': 'say', 'q': n, 'text': 'x' * 1000}))
    port.write(encode({'t': 'stop', 'q': 1000}), urgent=True)
    decoder = Decoder()
    kinds: list[str] = []
    while len(kinds) < 101:
        kinds += [message['t'] for message in decoder.feed(peer.read())]
    port.shut_down()
    assert decoder.stats.bad_frames == 0  # it waits for the end of the frame half sent
    # Only what the kernel had taken already comes before it.
    assert kinds.index('stop') < 40


def test_a_device_that_never_reads_blocks_nobody(peer: Peer):
    port = SerialPort(lambda: peer.path, peer.deliver, 115_200)
    port.open()
    peer.wait_for(Up)
    for n in range(2000):
        port.write(encode({'t': 'say', 'q': n, 'text': 'x' * 1000}))
    assert port.waiting <= 256 * 1024
    port.close()
    assert port.waiting == 0
    port.shut_down()


def test_a_port_that_is_no_terminal_is_refused_with_a_reason(tmp_path: Path, peer: Peer):
    (tmp_path / 'file').touch()
    port = SerialPort(lambda: str(tmp_path / 'file'), peer.deliver, 115_200)
    port.open()
    lost = peer.wait_for(Lost)
    port.shut_down()
    assert isinstance(lost, Lost)
    assert lost.reason


def measure() -> tuple[int, int, int]:
    """Threads, descriptors and resident memory (bytes) of this process."""
    process = psutil.Process()
    # The reader of the simulated device holds one descriptor more while it waits.
    files = min(process.num_fds() for _ in range(100))
    return process.num_threads(), files, process.memory_info().rss


def reconnect(world: PtyWorld, times: int) -> None:
    for _ in range(times):
        replug(world)
        world.said.clear()


def test_fault_19_reconnects_leave_nothing_behind(world: PtyWorld):
    world.up()
    reconnect(world, 3)
    threads, files, _ = measure()
    reconnect(world, 15)
    # A thread that is just ending still counts for a moment.
    world.until(lambda: measure()[0] <= threads and measure()[1] <= files)


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_fault_19_a_thousand_reconnects(world: PtyWorld):
    world.up()
    reconnect(world, 100)
    threads, files, memory = measure()
    reconnect(world, 900)
    after = measure()
    assert after[:2] == (threads, files)
    assert after[2] - memory <= 2_000_000


class Scissors:
    """Cuts the cable of a world after so many bytes of either side, in the middle of a frame."""

    def __init__(self, world: PtyWorld) -> None:
        self._world = world
        self._send, self._hear = world.socket.write, world.mock.on_bytes
        self.carried = 0
        self.cut_after: int | None = None
        self._cut = False
        world.socket.write = self._write
        world.mock.on_bytes = self._on_bytes

    def _carry(self, data: bytes) -> bytes:
        whole = len(data)
        if self.cut_after is not None:
            data = data[: max(0, self.cut_after - self.carried)]
        self.carried += len(data)
        if len(data) < whole and not self._cut:
            self._cut = True
            self._world.inject(
                lambda now: self._world.mock.serve_lose_link(SetBoolRequest(True), now)[1]
            )
        return data

    def _write(self, data: bytes) -> None:
        self._send(self._carry(data))

    def _on_bytes(self, data: bytes, now: float):
        return self._hear(self._carry(data), now)


SPOKEN = {'joint_hz': 1.0, 'imu_hz': 0.0, 'power_hz': 0.0, 'env_hz': 0.0}


def test_fault_09_the_cable_is_cut_in_the_middle_of_a_say(tmp_path: Path):
    cut_the_cable(tmp_path, 53)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_fault_09_the_cable_is_cut_at_every_byte_of_a_say(tmp_path: Path):
    cut_the_cable(tmp_path, 1)


def cut_the_cable(tmp_path: Path, step: int) -> None:
    for cut in range(0, 700, step):
        # Hardly any readings, so that most bytes belong to the exchange.
        quiet = PtyWorld(tmp_path / str(cut), driver=SPOKEN)
        scissors = Scissors(quiet)
        quiet.up()
        scissors.cut_after = scissors.carried + cut
        assert quiet.ask('body/say', SayGoal('act', 'hello there, how are you?'), 's') == ''
        outcome = quiet.finish('s').outcome
        assert outcome in (SayState.UNCERTAIN, SayState.DONE)
        played = says(quiet)
        assert played in ([], ['act'])
        assert played or outcome == SayState.UNCERTAIN
        scissors.cut_after = None
        quiet.mock.serve_lose_link(SetBoolRequest(True), quiet.now)
        quiet.until(lambda w=quiet: not w.driver.port.joined)
        quiet.mock.serve_lose_link(SetBoolRequest(False), quiet.now)
        quiet.until(lambda w=quiet: w.driver.port.joined)
        quiet.ask('body/say', SayGoal('act', 'hello there, how are you?'), 'again')
        assert quiet.finish('again').outcome == outcome
        assert says(quiet) == played
        quiet.close()
