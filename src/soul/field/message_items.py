"""Messages that wait, as things in her field."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np

from soul.field.channels.door import DoorChannel
from soul.field.clean import Cleaner
from soul.field.field_model import FieldModel
from soul.signals import Message

#: So many cleaned messages are remembered.
MOST_CLEANED = 256


class MessageItems:
    """Puts messages before her eyes, as the door says which.

    Parameters
    ----------
    channel
        Says how a message looks.
    """

    def __init__(self, world: FieldModel, channel: DoorChannel, cleaner: Cleaner) -> None:
        self._world = world
        self._channel = channel
        self._cleaner = cleaner
        self._cleaned: dict[Message, Message] = {}

    def receive(self, message: Message, now: float, new: bool = True) -> None:
        """Let a message stand before her."""
        self._world.put(self._channel.update(message, new), now)

    def wait_for(
        self,
        messages: Sequence[Message],
        waiting: Collection[str],
        foremost: Collection[str],
        now: float,
    ) -> None:
        """Let exactly these messages wait: after a start, the door knows better.

        Parameters
        ----------
        messages
            Those before her.
        waiting
            Ids of all that wait.
        foremost
            Ids of those that nothing may hide.
        """
        waiting = set(waiting)
        for item in self._world.items:
            if item.kind == 'message' and item.key not in waiting:
                item.resolve()  # its answer was written down later than the memory
        for message in messages:
            self.receive(message, now, message.id in foremost)
        self.put_before_her(foremost)

    def put_before_her(self, foremost: Collection[str]) -> None:
        """Let these messages be close whatever she looks at, and no others."""
        rows = self._world.items.rows
        for row in np.flatnonzero(rows['new']).tolist():
            rows['new'][row] = self._world.items[row].key in foremost
        for key in foremost:
            item = self._world.items.by_key(key)
            if item is not None and not item.resolved:
                item.new = True

    def clean(self, message: Message) -> Message:
        """Return a message as she may read it."""
        cleaned = self._cleaned.get(message)
        if cleaned is None:
            if len(self._cleaned) >= MOST_CLEANED:
                self._cleaned.clear()
            cleaned = self._cleaned[message] = dataclasses.replace(
                message,
                text=self._cleaner.clean(message.text).text,
                sender=self._cleaner.name(message.sender).text,
            )
        return cleaned
