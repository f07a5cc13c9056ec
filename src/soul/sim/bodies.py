"""The body that a life in a program is given, in a word: which nodes that takes, set how."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from soul import graph
from soul.core.organ import StartRefused

#: The StackChan that its driver's parameters describe; without any, the one on USB.
STACKCHAN = 'stackchan'
#: The simulated device.
MOCK = 'mock'
#: A device with the xiaozhi firmware, which dials in.
XIAOZHI = 'xiaozhi'

_ALLOWED = (
    'stackchan, mock, xiaozhi, the path of a serial port, or the http:// address of an adapter'
)

Parameters = Mapping[str, Mapping[str, Any]]


def nodes(body: str) -> list[graph.NodeEntry]:
    """Return the nodes of a life in a program, in order of their start.

    Parameters
    ----------
    body
        As in :func:`parameters`; empty: none.
    """
    if not body:
        return [entry for entry in graph.NODES if entry.in_program]
    return graph.entries(use_mock=body == MOCK)


def parameters(body: str, given: Parameters) -> dict[str, dict[str, Any]]:
    """Return the parameters by node, with what the word for the body means.

    Parameters
    ----------
    body
        `stackchan`: what the parameters of `stackchan` say, without any the one on USB; `mock`:
        the simulated device; a path: the serial port there; an http:// or https:// address: an
        adapter of body protocol v1; `xiaozhi`: a device that dials in. Empty: none.

    Raises
    ------
    StartRefused
        If it is none of these, or a parameter says otherwise.
    """
    known = {entry.name for entry in nodes(body)}
    if unknown := sorted(set(given) - known):
        names = ', '.join(map(repr, unknown))
        raise StartRefused(f'there is no organ {names}; known are {", ".join(sorted(known))}')
    merged = {name: dict(given.get(name, {})) for name in known}
    if body:
        driver = merged['stackchan']
        for name, value in _meaning(body).items():
            if driver.setdefault(name, value) != value:
                raise StartRefused(
                    f'body is {body!r}, but the parameter {name} of stackchan is {driver[name]!r}'
                )
    return merged


def _meaning(body: str) -> dict[str, Any]:
    if body == STACKCHAN:
        return {}
    if body == MOCK:
        return {'port': graph.MOCK_PORT}
    if body == XIAOZHI:
        return {'transport': 'xiaozhi'}
    if body.startswith(('http://', 'https://')):
        return {'transport': 'http', 'http_url': body}
    if '/' in body:
        return {'transport': 'serial', 'port': body}
    raise StartRefused(f'body is {body!r}, allowed is {_ALLOWED}')
