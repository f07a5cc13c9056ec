"""JSON objects from outside: read only where they cannot harm whoever reads them."""

from __future__ import annotations

import json
import re
from typing import Any

#: Brackets within brackets; what anybody means needs a handful.
DEEPEST = 32

# A string counts as a whole, so that brackets in it do not.
_MARKS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def json_object(text: str | bytes, deepest: int = DEEPEST) -> dict[str, Any] | None:
    """Return the JSON object that `text` is; None if it is none, or nested more than `deepest`.

    The nesting is looked at before anything is parsed: parsers recurse.
    """
    try:
        plain = text.decode() if isinstance(text, bytes) else text
        if _too_deep(plain, deepest):
            return None
        found = json.loads(plain)
    except (ValueError, RecursionError):  # UnicodeDecodeError is the former
        return None
    return found if isinstance(found, dict) else None


def _too_deep(text: str, deepest: int) -> bool:
    if text.count('[') + text.count('{') <= deepest:
        return False
    depth = 0
    for mark in _MARKS.finditer(text):
        sign = mark.group()
        if sign in '[{':
            depth += 1
            if depth > deepest:
                return True
        elif sign in ']}':
            depth -= 1
    return False
