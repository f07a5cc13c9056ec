"""All her tools, in the order in which a model reads of them."""

from __future__ import annotations

from pathlib import Path

from soul.mind.tools import pages
from soul.mind.tools.base import Toolbox
from soul.mind.tools.body import LOOK, SPEAK
from soul.mind.tools.door import REPLY
from soul.mind.tools.rest import SLEEP


def toolbox(soul_directory: Path) -> Toolbox:
    """Return all her tools; her pages lie in the soul directory."""
    return Toolbox(
        [SLEEP, SPEAK, LOOK, REPLY, pages.diary(soul_directory), pages.mood(soul_directory)]
    )
