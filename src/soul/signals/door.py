"""What people say to her, and her replies.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from soul.signals.limits import Kind, Long, Moment, Most, Name, NeededLong, NeededName, Share, Text


class MessageMode:
    """What a :class:`Message` does to a turn in progress."""

    INTERJECT = 'interject'
    QUEUE = 'queue'
    INTERRUPT = 'interrupt'


@dataclass(frozen=True, slots=True)
class Message:
    """Something somebody says to her."""

    stamp: Moment = 0.0
    id: NeededName = ''
    sender: NeededName = ''
    channel: NeededName = ''
    session: NeededName = ''
    text: NeededLong = ''
    mode: Kind = ''
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class Knock:
    """A message has arrived and is safely journalled."""

    stamp: Moment = 0.0
    message_id: NeededName = ''
    sender: Name = ''
    weight: Share = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """Her answer. A repetition carries the same id."""

    stamp: Moment = 0.0
    id: Name = ''
    in_reply_to: Name = ''
    session: Name = ''
    text: Long = ''
    is_final: bool = True


@dataclass(frozen=True, slots=True)
class Task:
    """Something waiting to be done."""

    id: Name = ''
    text: Text = ''
    priority: Share = 0.0


@dataclass(frozen=True, slots=True)
class TaskList:
    """All the tasks of one source; what is no longer listed is done. Latched."""

    stamp: Moment = 0.0
    source: NeededName = ''
    tasks: Annotated[tuple[Task, ...], Most(256)] = ()
