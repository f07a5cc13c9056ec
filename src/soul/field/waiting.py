"""A message that waits at the door, and which of all that wait are before her."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from soul.signals import Message

#: So many messages, and so many characters of them, are before her at a time; of what she has
#: seen and not answered only the newest.
MOST_SHOWN, MOST_CHARACTERS = 50, 40_000
#: The newest message of each of so many people is before her, whoever else waits.
FOREMOST = 4


@dataclass
class Waiting:
    """A message she has not answered; times are seconds of the node's clock."""

    message: Message
    knock_at: float  # when it knocks next; inf: she has woken for it
    pause: float
    knocked: float = -math.inf  # when it knocked last
    seen: bool = False  # in a turn that ended; it may still be unanswered

    @property
    def taken(self) -> bool:
        """Whether she has woken for it, or seen it."""
        return self.seen or self.knock_at == math.inf


def before_her(waiting: Mapping[str, Waiting]) -> tuple[list[Waiting], list[str]]:
    """Find what she sees of all that waits.

    First the newest of each of the people who wrote last, then her own people, then who came
    first, then what she has seen and not answered; as far as there is room.

    Parameters
    ----------
    waiting
        All that wait, by id, oldest first.

    Returns
    -------
    tuple
        What is before her, oldest first, and the ids of those that nothing may hide.
    """
    unseen = [w for w in waiting.values() if not w.seen]
    newest: dict[str, Waiting] = {}
    for one in reversed(unseen):
        newest.setdefault(one.message.sender, one)
        if len(newest) >= FOREMOST:
            break
    order = [*newest.values(), *(w for w in unseen if w.message.trusted), *unseen]
    order += reversed([w for w in waiting.values() if w.seen])
    shown: dict[str, Waiting] = {}
    room = MOST_CHARACTERS
    for one in order:
        message = one.message
        if message.id in shown:
            continue
        room -= len(message.text)
        if len(shown) >= MOST_SHOWN or (room < 0 and len(shown) >= FOREMOST):
            break
        shown[message.id] = one
    there = [w for message_id, w in waiting.items() if message_id in shown]
    return there, [w.message.id for w in newest.values()]
