"""What can keep the local model away."""

from soul.core.organ import StartRefused


class LocalModelError(StartRefused):
    """The local model cannot be had; the text says why and what is to be done."""


class NotReached(LocalModelError):
    """A package index or its file cannot be reached."""


class Damaged(LocalModelError):
    """What was downloaded is not what it should be."""
