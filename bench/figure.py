"""The form of a measured figure: each one stands beside a reference from the same run."""

from __future__ import annotations

from typing import NamedTuple


class Figure(NamedTuple):
    """One figure."""

    name: str
    value: float
    unit: str
    reference: float | None = None  # in the same unit; None: there is none
    against: str = ''  # what the reference is

    def __str__(self) -> str:
        """Show it in one line."""
        line = f'{self.name:44} {self.value:12.4g} {self.unit:6}'
        if self.reference is not None:
            line += f'   {self.reference:12.4g} {self.against}'
        return line.rstrip()
