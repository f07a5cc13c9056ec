"""The body twin on a virtual clock, with somebody who keeps what it says."""

from __future__ import annotations

import math
from typing import Any

from soul.body.config import BodyConfig
from soul.body.host import HostReading
from soul.body.memory import BodyMemory
from soul.body.twin import BodyTwin
from soul.core.organ import Save
from soul.signals import (
    YES,
    Battery,
    BodyState,
    Connection,
    Illuminance,
    Imu,
    SenseEvent,
    Temperature,
)
from support.memories import reread

G = 9.80665


class BodyWorld:
    """A twin, its clock and its home."""

    def __init__(self, host: bool = True, **config: Any) -> None:
        self.now = 1000.0
        self.host = HostReading(cpu=0.1, memory=0.2, disk=0.3, online=YES)
        self.looks: list[float] = []
        self.config = BodyConfig(**config)
        self._with_host = host
        self.memory: BodyMemory | None = None
        self.said: list[Any] = []
        self.start()

    def _look(self) -> HostReading:
        self.looks.append(self.now)
        return self.host

    def start(self) -> None:
        self.twin = BodyTwin(self.config, self._look if self._with_host else None, self.memory)
        self.take(self.twin.start(self.now))

    def restart(self, seconds: float = 5.0, killed: bool = False) -> None:
        """End it, or kill it: then only what had been saved survives."""
        if not killed:
            self.save()
        self.now += seconds
        self.start()

    def save(self) -> None:
        self.memory = reread(self.twin.memory())

    def take(self, outputs: Any) -> None:
        for output in outputs:
            if isinstance(output, Save):
                self.save()
            else:
                self.said.append(output)

    def hear(self, *signals: Any) -> None:
        for signal in signals:
            name = {
                Battery: 'on_battery',
                Temperature: 'on_temperature',
                Illuminance: 'on_illuminance',
                Imu: 'on_imu',
                Connection: 'on_connection',
            }.get(type(signal)) or f'on_{type(signal).__name__.lower()}'
            self.take(getattr(self.twin, name)(signal, self.now))

    def run(self, seconds: float, *signals: Any, every: float = 1.0) -> None:
        """Let time pass; signals come again and again meanwhile."""
        end = self.now + seconds
        heard = self.now
        while self.now < end:
            due = min(self.twin.due(), end, heard + every if signals else math.inf)
            self.now = max(due, self.now)
            if signals and self.now >= heard + every:
                heard = self.now
                self.hear(*signals)
            if self.now >= self.twin.due():
                self.take(self.twin.step(self.now))

    def kinds(self) -> list[str]:
        return [s.kind for s in self.said if isinstance(s, SenseEvent)]

    def events(self, kind: str) -> list[SenseEvent]:
        return [s for s in self.said if isinstance(s, SenseEvent) and s.kind == kind]

    def states(self) -> list[BodyState]:
        return [s for s in self.said if isinstance(s, BodyState)]

    @property
    def state(self) -> BodyState:
        return self.states()[-1]


def imu(excess: float = 0.0, turn: float = 0.0) -> Imu:
    return Imu(0.0, (0.0, 0.0, G + excess), (0.0, 0.0, turn))


#: An ordinary day.
USUAL = (
    Battery(percentage=0.8, charging=False),
    Temperature(celsius=25.0),
    Illuminance(lux=300.0),
    imu(),
)
