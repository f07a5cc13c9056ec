"""What happens on the line of a device that dials; handed from its thread to the organ's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """It has asked where to dial; `why` is empty if it knows now."""

    why: str


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
class SoundSaid:
    """The host has sent a message with sound."""

    call: int
    message: bytes


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


DialEvent = Asked | Dialled | Said | SoundSaid | HungUp | Posted
