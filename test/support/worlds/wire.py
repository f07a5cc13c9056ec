"""Driver and simulated device back to back on a virtual clock: no thread, no waiting."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from soul.core.organ import Finish, Progress, Report
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.signals import SetBoolRequest
from soul.stackchan.config import StackChanConfig
from soul.stackchan.stackchan import StackChan
from soul.stackchan.transports.choose import over_line
from soul.stackchan.transports.link import Lost, Received, Up

#: One way of the wire, s.
DELAY = 0.001


class Cable:
    """The wire: it can be cut after any byte, and counts them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.plugged = False
        self.open = False
        self.opening = False
        self.number = 0  # of the opening
        self.carried = 0  # bytes, both ways
        self.cut_after: int | None = None
        self.to_device: list[bytes] = []
        self.to_host: list[bytes] = []
        self.sent = b''  # all that the host ever sent

    def carry(self, data: bytes) -> bytes:
        """Let bytes pass until the cut."""
        if self.cut_after is None:
            self.carried += len(data)
            return data
        left = max(0, self.cut_after - self.carried)
        self.carried += len(data[:left])
        return data[:left]

    @property
    def is_cut(self) -> bool:
        """Whether the cut has happened."""
        return self.cut_after is not None and self.carried >= self.cut_after


class HostPort:
    """The driver's port."""

    def __init__(self, cable: Cable) -> None:
        self._cable = cable

    def open(self) -> int:
        self._cable.opening = True
        self._cable.number += 1
        return self._cable.number

    def write(self, data: bytes, urgent: bool = False) -> None:
        if self._cable.open:
            self._cable.sent += data
            if urgent:
                self._cable.to_device.insert(0, data)
            else:
                self._cable.to_device.append(data)

    def close(self) -> None:
        self._cable.open = self._cable.opening = False
        self._cable.to_device.clear()
        self._cable.to_host.clear()


class DeviceSocket:
    """The device's socket."""

    def __init__(self, cable: Cable) -> None:
        self._cable = cable

    def write(self, data: bytes) -> None:
        if self._cable.open:
            self._cable.to_host.append(data)

    def clear(self) -> None:
        self._cable.to_host.clear()

    def plug(self) -> None:
        self._cable.plugged = True

    def unplug(self) -> None:
        self._cable.plugged = False


class Conversation:
    """What tests ask of a world: it has a driver, a device, a clock and a way to let it pass."""

    now: float
    said: list[Any]
    driver: StackChan
    mock: MockBody

    def until(self, done: Callable[[], bool], longest: float = 60.0) -> None:
        """Let time pass until something is so."""
        raise NotImplementedError

    def take(self, outputs: Iterable[Any]) -> None:
        """Carry outputs out: keep them."""
        self.said.extend(outputs)

    def up(self) -> Any:
        """Configure, activate and join."""
        self.take(self.driver.configure(self.now))
        self.take(self.driver.activate(self.now))
        self.until(lambda: self.driver.port.joined)
        if 'head' in self.driver.port.about.capabilities:
            self.until(lambda: self.driver.components.neck.head.pose is not None)
        return self

    def ask(self, name: str, request: Any, handle: str) -> str:
        """Ask the driver for something it performs; returns why it is refused."""
        reason = self.driver.refuse(name, request, self.now)
        if not reason:
            perform = getattr(self.driver, 'perform_' + name.rsplit('/', 1)[-1])
            self.take(perform(request, handle, self.now))
        return reason

    def finished(self, handle: str) -> Finish | None:
        """How something ended."""
        found = [s for s in self.said if isinstance(s, Finish) and s.handle == handle]
        assert len(found) <= 1, 'ended twice'
        return found[0] if found else None

    def finish(self, handle: str, longest: float = 60.0) -> Any:
        """Wait for the end of something; returns its result."""
        self.until(lambda: self.finished(handle) is not None, longest)
        finish = self.finished(handle)
        assert finish is not None
        return finish.result

    def heard(self, kind: type) -> list[Any]:
        """All signals of a type that the driver said."""
        return [signal for signal in self.said if type(signal) is kind]

    def reports(self) -> str:
        """All log lines."""
        return '\n'.join(s.text for s in self.said if isinstance(s, Report))

    def progress(self, handle: str) -> list[Any]:
        """Feedback so far."""
        return [s.feedback for s in self.said if isinstance(s, Progress) and s.handle == handle]

    def log(self, *kinds: str) -> list[dict[str, Any]]:
        """Entries of the device's log."""
        return [e for e in self.mock.log.entries() if e['e'] in kinds]


class World(Conversation):
    """Everything on one virtual clock."""

    def __init__(
        self,
        home: Path,
        driver: dict[str, Any] | None = None,
        mock: dict[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        self.now = 1000.0
        self.home = home
        self.cable = Cable(self)
        self.said: list[Any] = []
        self._seed = seed
        self._driver_config = StackChanConfig(**(driver or {}))
        self._mock_config = MockBodyConfig(**({'noise': 0.0} | (mock or {})))
        self.new_mock()
        self.new_driver()

    def new_driver(self) -> None:
        """Start the driver, as after a restart of its process."""
        HostPort(self.cable).close()
        self._seed += 1
        config = self._driver_config
        port = over_line(config, HostPort(self.cable), random.Random(self._seed))
        self.driver = StackChan(config, port)
        self.take(self.driver.start(self.now))

    def new_mock(self) -> None:
        """Start the device, as after a restart of its process."""
        self._seed += 1
        self.mock = MockBody(
            self._mock_config,
            random.Random(self._seed),
            DeviceSocket(self.cable),
            self.home / 'run' / 'device.jsonl',
        )
        self.take(self.mock.start(self.now))

    def until(self, done: Callable[[], bool], longest: float = 60.0) -> None:
        """Let time pass until something is so."""
        end = self.now + longest
        while not done():
            assert self.now < end, f'not within {longest} s'
            self.tick(end)

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self.now + seconds
        while self.now < end:
            self.tick(end)

    def tick(self, end: float) -> None:
        """Go on to whatever happens next."""
        cable = self.cable
        if cable.is_cut and (cable.open or cable.plugged):
            self.take(self.mock.serve_lose_link(SetBoolRequest(True), self.now)[1])
        if cable.open and not cable.plugged:
            self.take(self.driver.on_news(Lost(cable.number, 'unplugged'), self.now))
            return
        if cable.opening:
            cable.opening = False
            if cable.plugged:
                cable.open = True
                self.take(self.driver.on_news(Up(cable.number), self.now))
            else:
                self.take(self.driver.on_news(Lost(cable.number, 'no such port'), self.now))
            return
        if cable.to_device or cable.to_host:
            self.now += DELAY
            self._exchange()
            return
        due = min(self.driver.due(), self.mock.due(), end)
        self.now = max(self.now, due) if due > self.now else self.now + 1e-6
        if self.now >= self.driver.due():
            self.take(self.driver.step(self.now))
        if self.now >= self.mock.due():
            self.take(self.mock.step(self.now))

    def _exchange(self) -> None:
        cable = self.cable
        if cable.to_device:
            data = cable.carry(cable.to_device.pop(0))
            if data and cable.plugged:
                self.take(self.mock.on_bytes(data, self.now))
        if cable.to_host and not cable.is_cut:
            data = cable.carry(cable.to_host.pop(0))
            if data:
                self.arrive(data)

    def arrive(self, data: bytes) -> None:
        """Let the driver hear bytes as if the device had sent them."""
        self.take(self.driver.on_news(Received(self.cable.number, data), self.now))
