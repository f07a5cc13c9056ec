"""Her organs on one bus, made from their parameters as the ROS nodes make them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from soul.core.bus import Bus, Seat
from soul.core.clock import Clock, VirtualClock
from soul.core.context import OrganContext
from soul.core.keeper import Keeper
from soul.core.organ import Organ, OrganConfig, StartRefused
from soul.core.output import Work
from soul.core.storage import SAVE_PERIOD
from soul.field.config import FieldConfig
from soul.field.field import Field
from soul.field.make import make as make_field
from soul.guard.config import GuardConfig
from soul.guard.guard import Guard
from soul.guard.make import make as make_guard
from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.heart.make import make as make_heart
from soul.mind.config import MindConfig
from soul.mind.loop import SameLoop
from soul.mind.make import make as make_mind
from soul.mind.organ import MindOrgan
from soul.mind.prompt import Identity
from soul.mind.providers.base import Provider
from soul.mind.tools.base import Tool
from soul.store import Home

CONFIGS: Mapping[str, type[OrganConfig]] = {
    'guard': GuardConfig,
    'field': FieldConfig,
    'heart': HeartConfig,
    'mind': MindConfig,
}


class Graph:
    """Guard, field, heart and mind on a bus, and whatever else is given. Make it on the loop.

    Parameters
    ----------
    home
        Where she lives.
    parameters
        Values by organ, for example `{'heart': {'cadence': 'chosen'}}`.
    others
        Further organs by name, for example a body.
    provider, tools, identity
        As in :func:`soul.mind.compose.compose`.
    backups
        Whether her daily backup is made; it goes by the clock of the host.
    supervised
        As with :class:`soul.core.bus.Bus`.

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
        provider: Provider | None = None,
        tools: Sequence[Tool[Any]] = (),
        identity: Identity | None = None,
        report: Callable[[str, str, str], None] = lambda organ, level, text: None,
        backups: bool = False,
        supervised: bool = False,
    ) -> None:
        unknown = set(parameters or {}) - set(CONFIGS)
        if unknown:
            names = ', '.join(repr(name) for name in sorted(unknown))
            raise StartRefused(f'there is no organ {names}; known are {", ".join(CONFIGS)}')
        self.home = home.ensure()
        self._clock = clock
        self._rng = rng
        self._parameters = {
            name: config.model_validate((parameters or {}).get(name, {}))
            for name, config in CONFIGS.items()
        }
        self._closers: list[Callable[[], None]] = []
        self._keepers: list[Keeper] = []
        self._waiting: list[tuple[str, Work]] = []
        self._loop = SameLoop()
        self._bus: Bus | None = None
        try:
            seats = [
                self._seat('guard', Guard, make_guard),
                self._seat('field', Field, make_field),
                self._seat('heart', Heart, make_heart),
                *(Seat(name, organ) for name, organ in (others or {}).items()),
                self._seat(
                    'mind',
                    MindOrgan,
                    lambda birth: make_mind(birth, self._loop, provider, tools, identity, backups),
                ),
            ]
        except BaseException:
            self._let_go()
            raise
        # In virtual time hours pass in a moment, and a new run brings them back: to save each
        # minute of them would be most of the work.
        period = math.inf if isinstance(clock, VirtualClock) else SAVE_PERIOD
        self.bus = self._bus = Bus(seats, clock.now, report, supervised, period)

    def _seat(self, name: str, organ: type[Organ], make: Callable[[Any], Organ]) -> Seat:
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
                past=keeper.past(),
                inject=lambda change: self._inject(name, change),
                on_close=closers.append,
                sleep=self._clock.sleep,
            )
            return make(birth)

        return Seat(name, born(), keeper, born)

    def _inject(self, name: str, change: Work) -> None:
        if self._bus is None:
            self._waiting.append((name, change))  # an organ that is being made has a say already
        else:
            self._bus.inject(name, change)

    def start(self) -> None:
        """Let her live."""
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
