"""The node table: every node of the graph, in order of start. A new organ is one entry here.

Whatever needs to know which nodes there are reads it: the executables, the launch file, the
composition, the file of parameters, and a life without ROS. The table itself imports nothing:
where things are stands in it as text; :meth:`NodeEntry.load` imports them when they are wanted.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from soul.core.context import OrganContext
    from soul.core.organ import Organ, OrganConfig

Config = TypeVar('Config', bound='OrganConfig')


def _never(config: Any) -> bool:
    return False


@dataclass(frozen=True)
class OrganSpec(Generic[Config]):
    """A node with everything of it loaded.

    Attributes
    ----------
    make
        Makes the organ from what it is born with.
    steady
        Whether the organ's `now` is monotonic real time, as wires need it: the node's clock may be
        set back, paused, or run at another speed. Its life still begins with the node's clock.

    The others are as in :class:`NodeEntry`.
    """

    name: str
    organ: type[Organ]
    config: type[Config]
    make: Callable[[OrganContext[Config]], Organ]
    managed: bool = False
    hardware_id: str = 'soul'
    steady: Callable[[Config], bool] = _never
    transforms: bool = False


@dataclass(frozen=True)
class NodeEntry:
    """One node of the graph.

    `organ`, `config`, `make` and `steady` are `module:name` within `package`.

    Attributes
    ----------
    name
        Of the node and of its executable.
    role
        An organ is in every graph; the driver only where there is a body of ours, the mock only
        where that body is the simulated one.
    in_program
        Whether a life without ROS always has it; False: only one that is given a body of ours.
    managed
        Whether it is a lifecycle node.
    hardware_id
        What /diagnostics names as its hardware.
    steady
        See :class:`OrganSpec`; empty: never.
    transforms
        Whether it is given points in other frames.
    """

    name: str
    package: str
    organ: str
    config: str
    make: str = 'make:make'
    role: Literal['organ', 'driver', 'mock'] = 'organ'
    in_program: bool = True
    managed: bool = False
    hardware_id: str = 'soul'
    steady: str = ''
    transforms: bool = False

    @property
    def module(self) -> str:
        """The module whose `main` runs the node alone."""
        return f'{self.package}.node'

    def load(self) -> OrganSpec[Any]:
        """Import what the entry names."""
        return OrganSpec(
            self.name,
            self._find(self.organ),
            self._find(self.config),
            self._find(self.make),
            self.managed,
            self.hardware_id,
            self._find(self.steady) if self.steady else _never,
            self.transforms,
        )

    def load_config(self) -> type[OrganConfig]:
        """Import the class of its parameters alone."""
        return self._find(self.config)

    def _find(self, where: str) -> Any:
        module, name = where.split(':')
        return getattr(importlib.import_module(f'{self.package}.{module}'), name)


#: In order of their start; they stop the other way round, hardware first.
NODES: tuple[NodeEntry, ...] = (
    NodeEntry('guard', 'soul.guard', 'guard:Guard', 'config:GuardConfig'),
    NodeEntry('field', 'soul.field', 'field:Field', 'config:FieldConfig'),
    NodeEntry('heart', 'soul.heart', 'heart:Heart', 'config:HeartConfig'),
    NodeEntry('body_twin', 'soul.body', 'twin:BodyTwin', 'config:BodyConfig', in_program=False),
    NodeEntry('mind', 'soul.mind', 'organ:MindOrgan', 'config:MindConfig', managed=True),
    NodeEntry(
        'mock_body',
        'soul.mock_body',
        'mock_body:MockBody',
        'config:MockBodyConfig',
        role='mock',
        in_program=False,
        hardware_id='stackchan-simulated',
    ),
    NodeEntry(
        'stackchan',
        'soul.stackchan',
        'stackchan:StackChan',
        'config:StackChanConfig',
        role='driver',
        in_program=False,
        managed=True,
        hardware_id='stackchan',
        steady='make:is_steady',
        transforms=True,
    ),
)
#: The driver's port parameter for the simulated body.
MOCK_PORT = 'mock'
#: What may be asked for instead of the name of a driver: a life without any body of ours.
NO_DRIVER = 'none'


def node(name: str) -> NodeEntry:
    """Return the entry of a node.

    Raises
    ------
    KeyError
        If there is none of that name.
    """
    return {entry.name: entry for entry in NODES}[name]


def entries(use_mock: bool = True, driver: str = 'stackchan') -> list[NodeEntry]:
    """Return the nodes of a graph, in order of their start.

    Parameters
    ----------
    use_mock
        With the simulated body, if there is a driver to talk to it.
    driver
        The name of a driver, or none for a life without any body of ours.

    Raises
    ------
    ValueError
        If there is no such driver.
    """
    drivers = [entry.name for entry in NODES if entry.role == 'driver']
    if driver not in (*drivers, NO_DRIVER):
        raise ValueError(f'driver is {driver!r}, allowed is {" or ".join((*drivers, NO_DRIVER))}')
    return [
        entry
        for entry in NODES
        if entry.role == 'organ'
        or (entry.role == 'driver' and entry.name == driver)
        or (entry.role == 'mock' and use_mock and driver != NO_DRIVER)
    ]


def parameters(entry: NodeEntry, use_mock: bool) -> Mapping[str, Any]:
    """Return the parameters that the graph itself decides for a node."""
    return {'port': MOCK_PORT} if use_mock and entry.role == 'driver' else {}


def specs(chosen: Sequence[NodeEntry]) -> list[OrganSpec[Any]]:
    """Load the organs of a graph."""
    return [entry.load() for entry in chosen]
