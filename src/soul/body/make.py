"""Makes the body twin from what it is born with."""

from __future__ import annotations

from soul.body import host
from soul.body.config import BodyConfig
from soul.body.twin import BodyTwin
from soul.core.context import OrganContext


def make(birth: OrganContext[BodyConfig]) -> BodyTwin:
    """Make the body twin."""
    return BodyTwin(birth.config, lambda: host.read(birth.home.path), birth.memory)
