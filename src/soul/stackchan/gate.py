"""Whether anything may be asked of the body now: active, and held still by nobody."""

from __future__ import annotations


class Gate:
    """Closed until the body is active, and while the guard or the STOP file holds it."""

    def __init__(self) -> None:
        self.active = False
        self._holds: dict[str, str] = {}  # who holds the body still, and why

    @property
    def held(self) -> bool:
        """Whether somebody holds the body still."""
        return bool(self._holds)

    def hold(self, who: str, why: str) -> bool:
        """Hold it still; returns whether that is new."""
        new = who not in self._holds
        self._holds.setdefault(who, why)
        return new

    def release(self, who: str) -> None:
        """Hold it no more."""
        self._holds.pop(who, None)

    def refusal(self) -> str:
        """Why nothing is taken now; empty if it is."""
        if not self.active:
            return 'the body is not active'
        if self._holds:
            return f'stopped: {next(iter(self._holds.values()))}'
        return ''
