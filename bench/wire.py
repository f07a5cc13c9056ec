"""Round trip over the wire beside a bare pty echo, and how fast a stop gets through."""

from __future__ import annotations

import math
import os
import queue
import random
import select
import tempfile
import threading
import time
import tty
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bench.figure import Figure
from soul.core.organ import Finish, Organ
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.mock_body.pty import PtySocket
from soul.signals import ExpressRequest, TriggerRequest
from soul.stackchan.config import StackChanConfig
from soul.stackchan.discovery import resolve
from soul.stackchan.stackchan import StackChan
from soul.stackchan.transports.choose import over_line
from soul.stackchan.transports.serial_port import SerialPort
from soul.wire import DEVICE_FRAMES, Decoder, encode, parse

_LONGEST = 10.0


class Shell:
    """An organ on a thread of its own, as a node has one; without ROS."""

    def __init__(self) -> None:
        self.said: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._work: queue.SimpleQueue[Callable[[float], Iterable[Any]] | None] = (
            queue.SimpleQueue()
        )

    def inject(self, work: Callable[[float], Iterable[Any]]) -> None:
        """Run `work` on the organ's thread."""
        self._work.put(work)

    def live(self, organ: Organ) -> None:
        """Begin."""
        self._organ = organ
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self.inject(organ.start)

    def end(self) -> None:
        """End and join."""
        self._work.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            wait = self._organ.due() - time.monotonic()
            try:
                work = self._work.get(timeout=max(0.0, min(wait, 60.0)))
            except queue.Empty:
                work = self._organ.step
            if work is None:
                return
            for output in work(time.monotonic()):
                self.said.put(output)


def echo(samples: int, size: int) -> list[float]:
    """Round trips of `size` bytes through a bare pty and a thread that sends them back, s."""
    master, slave = os.openpty()
    tty.setraw(slave)
    ending = threading.Event()

    def answer() -> None:
        poll = select.poll()
        poll.register(master, select.POLLIN)
        while not ending.is_set():
            if poll.poll(100):
                os.write(master, os.read(master, 65_536))

    thread = threading.Thread(target=answer)
    thread.start()
    message = b'x' * size
    times = []
    for _ in range(samples):
        began = time.perf_counter()
        os.write(slave, message)
        got = 0
        while got < size:
            got += len(os.read(slave, 65_536))
        times.append(time.perf_counter() - began)
    ending.set()
    thread.join()
    os.close(master)
    os.close(slave)
    return times


class Bench:
    """Driver and simulated device, threads and a real pty, in a temporary home."""

    def __init__(self, home: Path) -> None:
        self._driver_shell, self._mock_shell = Shell(), Shell()
        link = home / 'run' / 'body.pty'
        self._socket = PtySocket(
            link, lambda data: self._mock_shell.inject(partial(self.mock.on_bytes, data))
        )
        self.mock = MockBody(
            MockBodyConfig(), random.Random(1), self._socket, home / 'run' / 'device.jsonl'
        )
        self._port = SerialPort(
            partial(resolve, 'mock', '', link),
            lambda news: self._driver_shell.inject(partial(self.driver.on_news, news)),
            921_600,
        )
        config = StackChanConfig()
        self.driver = StackChan(config, over_line(config, self._port, random.Random(2)))
        self._mock_shell.live(self.mock)
        self._driver_shell.live(self.driver)
        self._driver_shell.inject(self.driver.configure)
        self._driver_shell.inject(self.driver.activate)
        self._wait_for(lambda: self.driver.port.joined)

    def round_trips(self, samples: int) -> list[float]:
        """Times from asking the driver for a face until it knows that it is shown, s."""
        times = []
        for n in range(samples):
            handle = f'f{n}'
            request = ExpressRequest('happy' if n % 2 else 'sad')
            began = time.perf_counter()
            self._driver_shell.inject(partial(self._express, request, handle))
            while True:
                said = self._driver_shell.said.get(timeout=_LONGEST)
                if isinstance(said, Finish) and said.handle == handle:
                    break
            times.append(time.perf_counter() - began)
        return times

    def stops(self, samples: int) -> list[float]:
        """Times from asking for a halt until the device has heard it, s."""
        times = []
        heard = threading.Event()
        freeze = self.mock.device.freeze

        def freeze_and_tell() -> None:
            freeze()
            heard.set()

        self.mock.device.freeze = freeze_and_tell  # type: ignore[method-assign]
        for _ in range(samples):
            heard.clear()
            began = time.perf_counter()
            self._driver_shell.inject(lambda now: self.driver.serve_halt(TriggerRequest(), now)[1])
            heard.wait(_LONGEST)
            times.append(time.perf_counter() - began)
        return times

    def close(self) -> None:
        """End everything."""
        self._driver_shell.inject(self.driver.stop)
        self._driver_shell.end()
        self._mock_shell.inject(self.mock.stop)
        self._mock_shell.end()
        self._port.shut_down()
        self._socket.close()
        self.mock.close()

    def _express(self, request: ExpressRequest, handle: str, now: float) -> Iterable[Any]:
        return self.driver.perform_express(request, handle, now)

    @staticmethod
    def _wait_for(done: Callable[[], bool]) -> None:
        end = time.monotonic() + _LONGEST
        while not done():
            if time.monotonic() > end:
                raise TimeoutError('the driver did not join')
            time.sleep(0.005)


def codec(samples: int) -> tuple[float, float]:
    """Time to frame a reading, and to decode and check one, s."""
    message = {'t': 'imu', 'q': 1, 'up': 5, 'a': [0.1, 0.2, 9.81], 'g': [0.01, 0.02, 0.03]}
    began = time.perf_counter()
    for _ in range(samples):
        line = encode(message)
    framed = time.perf_counter()
    decoder = Decoder()
    for _ in range(samples):
        parse(decoder.feed(line)[0], DEVICE_FRAMES)
    return (framed - began) / samples, (time.perf_counter() - framed) / samples


def percentile(times: Sequence[float], share: float) -> float:
    """Value below which `share` of the times lie."""
    return sorted(times)[min(len(times) - 1, math.ceil(share * len(times)) - 1)]


def figures(samples: int = 1000) -> list[Figure]:
    """Measure."""
    with tempfile.TemporaryDirectory() as home:
        bench = Bench(Path(home))
        try:
            trips = bench.round_trips(samples)
            stops = bench.stops(max(1, samples // 5))
        finally:
            bench.close()
    bare = echo(samples, 90)
    framed, parsed = codec(samples)
    found = []
    for name, share in (('p50', 0.5), ('p99', 0.99)):
        reference = 1e3 * percentile(bare, share)
        for what, times in (('round trip', trips), ('halt to device', stops)):
            value = 1e3 * percentile(times, share)
            found.append(Figure(f'{what}, {name}', value, 'ms', reference, 'bare pty echo'))
    return [
        *found,
        Figure('frame a reading', 1e6 * framed, 'us'),
        Figure('decode and check a reading', 1e6 * parsed, 'us'),
    ]


if __name__ == '__main__':
    for figure in figures():
        print(figure)
