"""Which messages the door takes."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from soul.signals import Message, MessageMode

#: So many messages, and so many characters of them, wait at most; twice as much from her people.
MOST_WAITING, MOST_WAITING_CHARACTERS = 5000, 2_000_000
#: Longest id or name, characters.
LONGEST_NAME = 200
MODES = (MessageMode.INTERJECT, MessageMode.QUEUE, MessageMode.INTERRUPT)


class Refused(Exception):
    """A message the door does not take, and why."""


def check(message: Message, limit: int) -> None:
    """See whether a message could be taken at all.

    Parameters
    ----------
    limit
        Longest text, characters.

    Raises
    ------
    Refused
        If it is empty, too long, or has an unknown mode.
    """
    if not message.text.strip():
        raise Refused('the message is empty')
    if len(message.text) > limit:
        raise Refused(f'the message has {len(message.text)} characters, allowed are {limit}')
    if message.mode and message.mode not in MODES:
        raise Refused(f'mode is {message.mode!r}, allowed is one of {", ".join(MODES)}')
    for name in ('id', 'sender', 'channel', 'session'):
        if len(getattr(message, name)) > LONGEST_NAME:
            raise Refused(f'{name} is longer than {LONGEST_NAME} characters')


def check_same(message: Message, sender: str, known: int) -> None:
    """See whether a message is the one that is known by its id.

    Parameters
    ----------
    sender, known
        Of the message that is known: who sent it, and the fingerprint of its text; -1: the text
        is not known any more.

    Raises
    ------
    Refused
        If it is another one.
    """
    if sender != (message.sender or 'somebody'):
        raise Refused(f'the id {message.id} belongs to a message from somebody else')
    if known not in (-1, fingerprint(message.text)):
        raise Refused(
            f'the id {message.id} belongs to a message with another text; each message needs '
            'an id of its own, or none'
        )


def check_room(message: Message, waiting: Sequence[Message]) -> None:
    """See whether there is room for one more beside those that wait.

    Raises
    ------
    Refused
        If there is not.
    """
    times = 2 if message.trusted else 1
    characters = len(message.text) + sum(len(m.text) for m in waiting)
    if len(waiting) >= times * MOST_WAITING or characters > times * MOST_WAITING_CHARACTERS:
        raise Refused(f'{len(waiting)} messages wait already; say it again later')


def fingerprint(text: str) -> int:
    """Tells a repeated message from another one under the same id."""
    return zlib.crc32(text.encode('utf-8', 'replace'))
