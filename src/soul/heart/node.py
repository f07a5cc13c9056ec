"""The heart as a ROS node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.heart.tables import TableRefused
from soul.ros.organ import Birth, OrganSpec
from soul.ros.params import ParameterRefused
from soul.ros.runner import run
from soul.store.text import replace_text


def _build(birth: Birth[HeartConfig]) -> Heart:
    path = birth.home.soul / 'DRIVES.json'

    def write_page(page: Mapping[str, Any]) -> None:
        replace_text(path, json.dumps(page, ensure_ascii=False, indent=1) + '\n')

    try:
        return Heart(birth.config, birth.rng, birth.memory, write_page)
    except TableRefused as refusal:
        raise ParameterRefused(f'heart: {refusal}') from None


SPEC = OrganSpec(name='heart', organ=Heart, config=HeartConfig, build=_build)


def main() -> int:
    """Run the heart alone in this process."""
    return run([SPEC])
