"""Requests that may be sent again: with an id of their own, nothing is done twice.

The middleware may drop a request or its answer. Whoever serves a request with an id answers it as
before when it comes again (:mod:`soul.core.requests`), and the door knows a message by its id.
"""

from __future__ import annotations

import dataclasses
import uuid
from typing import Any

from soul.signals import PostRequest

#: A request that may be sent again is, after this without an answer, s.
REPEAT_SECONDS = 1.0


def with_id(request: Any) -> Any:
    """Return the request with an id, if its type has one and it has none yet."""
    if getattr(request, 'request_id', None) == '':
        return dataclasses.replace(request, request_id=uuid.uuid4().hex)
    return request


def may_repeat(request: Any) -> bool:
    """Tell whether a request has an id by which it is known again."""
    if isinstance(request, PostRequest):
        return bool(request.message.id)
    return bool(getattr(request, 'request_id', ''))
