"""What everything of hers may raise, without importing anything."""

from __future__ import annotations


class StartRefused(Exception):
    """A start that makes no sense as things are; the text says in a line what is to be done."""
