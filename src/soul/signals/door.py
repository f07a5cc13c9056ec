"""What people say to her, and her replies.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
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

    stamp: Moment = 0.0  # s since 1970; node clock
    # unique among all messages; repeating it with the same text changes nothing. Empty: the door
    # gives one
    id: NeededName = ''
    sender: NeededName = ''  # a person's or robot's name
    channel: NeededName = ''  # where it came in: terminal, http, voice, ...
    session: NeededName = ''  # empty: the one stream of consciousness
    text: NeededLong = ''
    mode: Kind = ''  # one of the constants; empty: interject
    trusted: bool = False  # the sender is one of her people; set by the door, whatever was sent


@dataclass(frozen=True, slots=True)
class Knock:
    """A message has arrived and is safely journalled."""

    stamp: Moment = 0.0  # s since 1970; node clock
    message_id: NeededName = ''  # of the Message that waits
    sender: Name = ''
    weight: Share = 0.0  # 0..1, how urgent


@dataclass(frozen=True, slots=True)
class Reply:
    """Her answer. A repetition carries the same id."""

    stamp: Moment = 0.0  # s since 1970; node clock
    id: Name = ''  # unique
    in_reply_to: Name = ''  # id of the message answered; empty: she speaks up by herself
    session: Name = ''
    text: Long = ''
    is_final: bool = True  # false: more is to come


@dataclass(frozen=True, slots=True)
class Task:
    """Something waiting to be done."""

    id: Name = ''  # unique within the source
    text: Text = ''
    priority: Share = 0.0  # 0..1


@dataclass(frozen=True, slots=True)
class TaskList:
    """All the tasks of one source; what is no longer listed is done. Latched."""

    stamp: Moment = 0.0  # s since 1970; node clock
    source: NeededName = ''
    tasks: Annotated[tuple[Task, ...], Most(256)] = ()
