"""One thing that she herself expects."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Expectation:
    """Something that she expects to happen by a deadline."""

    id: str
    text: str
    channel: str  # met by an event of this name, or below it: `door` also by `door/ann`
    created: float  # s of the node's clock
    deadline: float

    def met_by(self, event: str) -> bool:
        """Whether an event makes it come true."""
        return event == self.channel or event.startswith(f'{self.channel}/')
