"""Answers that say no, with the reason, in the words of their own type."""

from __future__ import annotations

import dataclasses
from typing import Any

import soul.signals
from soul.signals import SayState


def is_goal(request_type: type) -> bool:
    """Tell whether a request type is the goal of an action, which can be cancelled."""
    return request_type.__name__.endswith('Goal')


def answer_type(request_type: type) -> type:
    """Return the answer type of a request type, or the result type of a goal type.

    Raises
    ------
    AttributeError
        If `soul.signals` has none of that name.
    """
    name = request_type.__name__
    if is_goal(request_type):
        answer = getattr(soul.signals, name.removesuffix('Goal') + 'Result')
    else:
        answer = getattr(soul.signals, name.removesuffix('Request') + 'Answer')
    assert isinstance(answer, type)
    return answer


def refused(kind: type, reason: str, outcome: str = SayState.ABORTED) -> Any:
    """Make an answer of type `kind` that says no: all of them have a reason or a message.

    Parameters
    ----------
    outcome
        For those that tell one: a state of :class:`soul.signals.SayState`.
    """
    names = {field.name for field in dataclasses.fields(kind)}
    values = {'reason' if 'reason' in names else 'message': reason}
    if 'outcome' in names:
        values['outcome'] = outcome
    return kind(**values)
