"""Messages that go on with one that still waits: the two become one."""

from __future__ import annotations

import dataclasses
import unicodedata

from soul.field.waiting import Waiting
from soul.signals import Message


def goes_on(first: Waiting, more: Message, limit: int) -> bool:
    """Whether `more` can become a part of what waits.

    It must be of the same sender, by the same way and as much trusted, and no wake may have taken
    the first: what she has seen must not change behind her back.

    Parameters
    ----------
    limit
        Longest text, characters.
    """
    there = first.message
    return (
        not first.taken
        and there.id != more.id
        and (there.sender, there.channel, there.session, there.mode, there.trusted)
        == (more.sender, more.channel, more.session, more.mode, more.trusted)
        and len(joined(there.text, more.text)) <= limit
    )


def both(first: Message, more: Message) -> Message:
    """Return the first message with what was said afterwards."""
    return dataclasses.replace(first, text=joined(first.text, more.text))


def joined(first: str, more: str) -> str:
    """Return two texts as one, with a space between them where their script has any."""
    first, more = first.rstrip(), more.lstrip()
    return first + ('' if _unspaced(first[-1:]) and _unspaced(more[:1]) else ' ') + more


def _unspaced(char: str) -> bool:
    """Whether nothing parts the words beside a character: Chinese and Japanese, not Korean."""
    wide = bool(char) and unicodedata.east_asian_width(char) in 'WF'
    return wide and not unicodedata.name(char, '').startswith('HANGUL')
