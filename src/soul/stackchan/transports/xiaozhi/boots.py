"""When a device has booted, as far as that can be seen from outside.

Nothing that it says when it dials tells whether it has booted since the last time. So each dial
counts as a boot, unless it is known to ask where to dial whenever it boots, and has not asked.
"""

from __future__ import annotations

from soul.core.bounded import BoundedDict

#: So many devices are remembered.
_MOST = 64


class Boots:
    """Counts them by device, within this life."""

    def __init__(self) -> None:
        self._boots: BoundedDict[str, int] = BoundedDict(_MOST)
        self._asks: BoundedDict[str, bool] = BoundedDict(_MOST)  # whether it has since it dialled

    def asked(self, device: str) -> None:
        """It has asked where to dial: it has just booted."""
        self._asks[device] = True

    def dialled(self, device: str) -> None:
        """It has dialled."""
        if self._asks.get(device, True):
            self._boots[device] = self._boots.get(device, 0) + 1
        if device in self._asks:
            self._asks[device] = False

    def boot_of(self, device: str) -> str:
        """Return what changes each time it has booted."""
        return f'{device} {self._boots.get(device, 0)}'
