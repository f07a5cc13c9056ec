"""What happens on the line of a device that dials; handed from its thread to the organ's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialled:
    """Connection number `call` is there."""

    call: int


@dataclass(frozen=True)
class Said:
    """The host has said something."""

    call: int
    text: str


@dataclass(frozen=True)
class HungUp:
    """The connection has ended."""

    call: int


@dataclass(frozen=True)
class Posted:
    """A photo has been posted for question `id`; `answer` is what the host says of it."""

    call: int
    id: int
    answer: str
    ok: bool


DialEvent = Dialled | Said | HungUp | Posted
