"""What an organ returns: effects for whoever runs it, and signals to be said."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Protocol, TypeAlias

from soul.core.organ import Ask, CancelAsk, Finish, Offer, Progress, Record, Report, Save, SaveSoon


class Signal(Protocol):
    """Any dataclass that a table ``says`` names; most stand in :mod:`soul.signals`."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


#: What is carried out for the organ and by nobody heard as such.
Effect: TypeAlias = Save | SaveSoon | Record | Ask | CancelAsk | Offer | Progress | Finish | Report
Output: TypeAlias = Effect | Signal
#: Something an organ is to do: called with `now`, s of the organ's clock.
Work: TypeAlias = Callable[[float], Iterable[Output]]
