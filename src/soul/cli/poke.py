"""Pokes the simulated body: lift it, darken its room, pull its cables, let its parts fail."""

from __future__ import annotations

from soul.cli.control import NotDone
from soul.core.errors import StartRefused
from soul.mock_body.mock_body import MockBody
from soul.signals import SetBoolRequest, TriggerRequest
from soul.terminal.link import Link, LinkLost, NobodyThere
from soul.text.nearest import nearest

_NODE = 'mock_body'


def pokes() -> dict[str, type]:
    """Return what can be done to the simulated body, by name, faults by their own name."""
    return {
        name.removeprefix('~/').removeprefix('fault/'): kind
        for name, kind in MockBody.serves.items()
    }


def poke(link: Link, name: str, on: bool) -> str:
    """Do something to the simulated body, or undo it; say how it is now.

    Raises
    ------
    StartRefused
        If there is nothing of that name, or it cannot be undone.
    NobodyThere
        If there is no simulated body.
    NotDone
        If it does not do it.
    """
    known = pokes()
    if name not in known:
        raise StartRefused(
            f'{name!r} is nothing that can be done to it{nearest(name, known)} Known are '
            f'{", ".join(known)}'
        )
    momentary = known[name] is TriggerRequest
    if momentary and not on:
        raise StartRefused(f'{name} is over at once: there is nothing to undo')
    service = next(s for s in MockBody.serves if s.rpartition('/')[2] == name)
    request = TriggerRequest() if momentary else SetBoolRequest(on)
    try:
        answer = link.call(service.replace('~', _NODE), request)
    except LinkLost:
        raise
    except NobodyThere:
        raise NobodyThere(
            f'there is no simulated body at {link.namespace}: `soul up` starts one'
        ) from None
    if not answer.success:
        raise NotDone(answer.message)
    return str(answer.message)
