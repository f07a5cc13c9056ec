"""Makes the body twin from what it is born with."""

from __future__ import annotations

from soul.birth import Birth
from soul.body import host
from soul.body.config import BodyConfig
from soul.body.twin import BodyTwin


def make(birth: Birth[BodyConfig]) -> BodyTwin:
    """Make the body twin."""
    return BodyTwin(birth.config, lambda: host.read(birth.home.path), birth.memory)
