"""Her organs on one bus, made from the node table and their parameters as the nodes are."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from soul.core.bus import Bus, Seat
from soul.core.clock import Clock, VirtualClock
from soul.core.context import OrganContext
from soul.core.keeper import Keeper
from soul.core.organ import Organ
from soul.core.output import Work
from soul.core.storage import SAVE_PERIOD
from soul.graph import NodeEntry, OrganSpec
from soul.mind.loop import SameLoop
from soul.mind.prompt import Identity
from soul.mind.providers.base import Provider
from soul.mind.providers.models import Models
from soul.mind.tools.base import Tool
from soul.sim import bodies
from soul.store import Home

#: It is made with what the program gives, lives on the program's loop, and ends first.
_MIND = 'mind'


class Graph:
    """The organs of the node table on a bus, and whatever else is given. Make it on the loop.

    Parameters
    ----------
    home
        Where she lives.
    parameters
        Values by organ, for example `{'heart': {'cadence': 'chosen'}}`.
    others
        Further organs by name, for example a body of another kind.
    provider, tools, identity
        As in :func:`soul.mind.compose.compose`.
    backups
        Whether her daily backup is made; it goes by the clock of the host.
    supervised
        As with :class:`soul.core.bus.Bus`.
    body
        As in :func:`soul.sim.bodies.parameters`.

    Raises
    ------
    ValidationError
        Naming a parameter, its value and what is allowed.
    StartRefused, HomeInUse, Unreadable
        As with the nodes.
    """

    def __init__(
        self,
        home: Home,
        clock: Clock,
        rng: random.Random,
        parameters: Mapping[str, Mapping[str, Any]] | None = None,
        others: Mapping[str, Organ] | None = None,
        provider: Provider | Models | None = None,
        tools: Sequence[Tool[Any]] = (),
        identity: Identity | None = None,
        report: Callable[[str, str, str], None] = lambda organ, level, text: None,
        backups: bool = False,
        supervised: bool = False,
        body: str = '',
    ) -> None:
        given = bodies.parameters(body, parameters or {})
        entries = bodies.nodes(body)
        self.home = home.ensure()
        self._clock = clock
        self._rng = rng
        self._parameters = {
            entry.name: entry.load_config().model_validate(given[entry.name]) for entry in entries
        }
        self._closers: list[Callable[[], None]] = []
        self._keepers: list[Keeper] = []
        self._waiting: list[tuple[str, Work]] = []
        self._loop = SameLoop()
        self._bus: Bus | None = None
        try:
            seats = [self._seat(entry) for entry in entries if entry.name != _MIND]
            seats += [Seat(name, organ) for name, organ in (others or {}).items()]
            seats += [
                self._seat(entry, self._loop, provider, tools, identity, backups)
                for entry in entries
                if entry.name == _MIND
            ]
        except BaseException:
            self._let_go()
            raise
        # In virtual time hours pass in a moment, and a new run brings them back: to save each
        # minute of them would be most of the work.
        period = math.inf if isinstance(clock, VirtualClock) else SAVE_PERIOD
        self.bus = self._bus = Bus(seats, clock.now, report, supervised, period)

    def _seat(self, entry: NodeEntry, *more: Any) -> Seat:
        """Make an organ; `more` is what its `make` takes beside the context."""
        spec: OrganSpec[Any] = entry.load()
        name, organ = spec.name, spec.organ
        keeper = Keeper(
            self.home,
            name,
            organ.memory_file,
            organ.journals,
            f'{name} of a program',
            organ.unfit,
            organ.memory_type,
        )
        self._keepers.append(keeper)
        closers: list[Callable[[], None]] = []
        self._closers.append(lambda: _close(closers))

        def born() -> Organ:
            _close(closers)  # what the life before held
            memory = keeper.load()
            birth: OrganContext[Any] = OrganContext(
                config=self._parameters[name],
                home=self.home,
                clock=self._clock.now,
                rng=random.Random(self._rng.getrandbits(64)),
                memory=memory,
                past=keeper.past(organ.recalls),
                inject=lambda change: self._inject(name, change),
                on_close=closers.append,
                sleep=self._clock.sleep,
            )
            return cast(Callable[..., Organ], spec.make)(birth, *more)

        return Seat(name, born(), keeper, born)

    def _inject(self, name: str, change: Work) -> None:
        if self._bus is None:
            self._waiting.append((name, change))  # an organ that is being made has a say already
        else:
            self._bus.inject(name, change)

    def start(self) -> None:
        """Let all organs live from now on."""
        waiting, self._waiting = self._waiting, []
        for name, change in waiting:
            self.bus.inject(name, change)
        self.bus.start()

    async def close(self) -> None:
        """Let her rest: what is in progress is cut and written down."""
        self.bus.end('mind')
        await self._loop.done()
        self.bus.drain()
        self.bus.stop()
        self._let_go()

    def _let_go(self) -> None:
        for close in reversed(self._closers):
            close()
        if self._bus is None:
            for keeper in self._keepers:
                keeper.close()


def _close(closers: list[Callable[[], None]]) -> None:
    while closers:
        closers.pop()()
