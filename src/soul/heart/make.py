"""Makes the heart from what it is born with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from soul.core.context import OrganContext
from soul.core.organ import StartRefused
from soul.heart.config import HeartConfig
from soul.heart.heart import Heart
from soul.heart.tables import TableRefused
from soul.store.text import replace_text


def make(birth: OrganContext[HeartConfig]) -> Heart:
    """Make the heart.

    Raises
    ------
    StartRefused
        If a table of hers cannot be used.
    """
    path = birth.home.soul / 'DRIVES.json'

    def write_page(page: Mapping[str, Any]) -> None:
        replace_text(path, json.dumps(page, ensure_ascii=False, indent=1) + '\n')

    try:
        return Heart(birth.config, birth.rng, birth.memory, write_page)
    except TableRefused as refusal:
        raise StartRefused(f'heart: {refusal}') from None
