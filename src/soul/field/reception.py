"""Takes messages in: journalled first, then before her eyes, then somebody knocks."""

from __future__ import annotations

from collections.abc import Iterable

from soul.core.output import Outputs
from soul.field.door import Door
from soul.field.field_events import field_events
from soul.field.perception import Perception
from soul.field.showing import Showing
from soul.signals import Message, MessageMode


class Reception:
    """Lets messages in, those for after the turn in progress when that is over."""

    def __init__(self, door: Door, perception: Perception, showing: Showing) -> None:
        self._door = door
        self._perception = perception
        self._showing = showing
        self._queued: list[Message] = []  # came in mid-turn and for afterwards

    def take(
        self, message: Message, now: float, durable: bool = True, continues: str = ''
    ) -> tuple[str, Outputs]:
        """Take a message.

        Parameters
        ----------
        durable
            Whether somebody waits to hear that it is on the disk.
        continues
            Id of a message that it goes on with. Not in mid-turn: there she has seen that one.

        Returns
        -------
        tuple
            Its id, or that of the message that it has become a part of, and the outputs; once they
            are carried out it is accepted.

        Raises
        ------
        Refused
            Saying why the door does not take it.
        """
        continues = '' if self._showing.busy else continues
        taken, records = self._door.take(message, now, durable, continues)
        if not records:
            return self._door.known.whole(taken.id), ()
        joins = records[0].entry.get('joins', '')
        return joins or taken.id, self._receive(taken, records, joins, now)

    def _receive(self, message: Message, records: Outputs, joins: str, now: float) -> Outputs:
        yield from records  # if they cannot be written, nothing of what follows has happened
        message = self._door.admit(message, now, joins)
        if self._showing.busy and message.mode == MessageMode.QUEUE:
            self._queued.append(message)  # she sees it when the turn in progress is over
            yield from self._door.knock(now)
        else:
            yield from self._let_in(message, now)
            yield from self._showing.stir(now)

    def _let_in(self, message: Message, now: float) -> Outputs:
        self._perception.receive(message, now)
        happened = self._perception.hear(message, now)
        return field_events(happened, self._perception.world.tick, now, between=True)

    def turn_over(self, now: float) -> Outputs:
        """Let in what was to wait for the end of the turn."""
        queued, self._queued = self._queued, []
        for message in queued:
            yield from self._let_in(message, now)

    def put_back(self, messages: Iterable[Message], now: float) -> None:
        """What she is woken for is before her eyes, even if it had slipped away."""
        for message in messages:
            if self._perception.world.items.by_key(message.id) is None:
                self._perception.receive(message, now)
