"""Guesses which of several known names somebody meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known name was perhaps meant; empty if none is near."""
    near = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f'; did you mean {near[0]}?' if near else ''
