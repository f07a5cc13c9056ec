"""Which calls of an answer are made."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from soul.mind.providers.base import Completion
from soul.mind.session import Session
from soul.mind.text_tool_calls import calls_in
from soul.mind.tools.base import Toolbox
from soul.mind.tools.mending import mended

#: So many calls of one answer are made; the others are left out.
MOST_CALLS = 32


async def made_calls(
    completion: Completion,
    toolbox: Toolbox,
    session: Session,
    prefix: str,
    outside: Iterable[str],
) -> tuple[Completion, int]:
    """Return an answer with the calls that are made, and how many of it are not.

    A text that is a call becomes one, arguments that are almost JSON are mended, and each call
    gets an id of its own.

    Parameters
    ----------
    prefix
        Begins the ids of calls that were a text.
    outside
        What came from outside in this conversation: a call that stands there is not hers.
    """
    completion = calls_in(completion, toolbox.names(), prefix, outside)
    left_out = max(0, len(completion.calls) - MOST_CALLS)
    calls = [await mended(call, toolbox.get(call.name)) for call in completion.calls[:MOST_CALLS]]
    completion = dataclasses.replace(completion, calls=tuple(calls))
    return session.own_ids(completion), left_out
