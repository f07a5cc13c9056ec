"""What people say to her, and her replies.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass


class MessageMode:
    """What a :class:`Message` does to a turn in progress."""

    INTERJECT = 'interject'
    QUEUE = 'queue'
    INTERRUPT = 'interrupt'


@dataclass(frozen=True, slots=True)
class Message:
    """Something somebody says to her."""

    stamp: float = 0.0
    id: str = ''
    sender: str = ''
    channel: str = ''
    session: str = ''
    text: str = ''
    mode: str = ''
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Knock:
    """A message has arrived and is safely journalled."""

    stamp: float = 0.0
    message_id: str = ''
    sender: str = ''
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """Her answer. A repetition carries the same id."""

    stamp: float = 0.0
    id: str = ''
    in_reply_to: str = ''
    session: str = ''
    text: str = ''
    final: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """Something waiting to be done."""

    id: str = ''
    text: str = ''
    priority: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskList:
    """All the tasks of one source; what is no longer listed is done. Latched."""

    stamp: float = 0.0
    source: str = ''
    tasks: tuple[Task, ...] = ()
