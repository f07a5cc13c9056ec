"""All her conversations: her own stream, and one for each session a message names."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from soul.core.bounded import BoundedDict
from soul.mind.briefing import Briefing
from soul.mind.config import MindConfig
from soul.mind.conversation import Conversation
from soul.mind.cut import Cut
from soul.mind.inference import Inference
from soul.mind.moment import Other
from soul.mind.ports import Ports
from soul.mind.session import Session
from soul.mind.turn_book import TurnBook
from soul.signals import SessionState, Turn, View

#: So many conversations stay in memory; the others are read again when somebody speaks there.
AT_HAND = 32
#: So many messages are remembered as dealt with.
REMEMBERED = 500
#: Conversations that were silent for longer are not shown in the others, s.
RECENT = 86400.0
#: So many are shown.
SHOWN = 6


class Conversations:
    """The conversations by name; the empty name is her own stream of consciousness.

    Parameters
    ----------
    sessions
        Opens the session of a name; the other parameters are as with a conversation.
    dealt
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(
        self,
        sessions: Callable[[str], Session],
        config: MindConfig,
        ports: Ports,
        inference: Inference,
        briefing: Briefing,
        book: TurnBook,
        changed: Callable[[], None],
        dealt: Iterable[tuple[str, bool]] = (),
    ) -> None:
        self._now = ports.now

        def opened(name: str) -> Conversation:
            return Conversation(
                sessions(name), config, ports, inference, briefing, book, self.others, changed
            )

        self._opened = opened
        self.main = opened('')
        self._all: OrderedDict[str, Conversation] = OrderedDict({'': self.main})
        #: Messages dealt with, and whether they were answered.
        self._dealt: BoundedDict[str, bool] = BoundedDict(REMEMBERED, dealt)

    def memory(self) -> list[tuple[str, bool]]:
        """What must survive: messages dealt with, and whether they were answered."""
        return list(self._dealt.items())

    def get(self, name: str) -> Conversation:
        """Find or open a conversation."""
        conversation = self._all.get(name)
        if conversation is None:
            conversation = self._all[name] = self._opened(name)
            idle = [n for n, c in self._all.items() if n and n != name and not c.busy]
            for forgotten in idle[: max(0, len(self._all) - AT_HAND)]:
                del self._all[forgotten]
        self._all.move_to_end(name)
        return conversation

    # --- whose message it is --------------------------------------------------------------

    def fresh(self, view: View) -> set[str]:
        """Return the conversations for which a view has messages nobody has dealt with."""
        return {m.session for m in view.messages if m.id not in self._dealt}

    def at_work(self, name: str) -> bool:
        """Whether a turn of a conversation is in progress."""
        conversation = self._all.get(name)
        return conversation is not None and conversation.busy

    def has_dealt(self, message_id: str) -> bool:
        """Whether a message was dealt with."""
        return message_id in self._dealt

    def known(self, view: View) -> dict[str, bool]:
        """Return the messages of a view that were dealt with, and whether they were answered."""
        return {m.id: self._dealt[m.id] for m in view.messages if m.id in self._dealt}

    def share(self, view: View, name: str) -> View:
        """Return a view with the messages of one conversation that she has not answered.

        A field that was not there when she answered still shows what she has answered.
        """
        messages = tuple(
            m for m in view.messages if m.session == name and not self._dealt.get(m.id)
        )
        if len(messages) == len(view.messages):
            return view
        return dataclasses.replace(
            view, messages=messages, message_ids=tuple(m.id for m in messages)
        )

    def dealt(self, turn: Turn) -> None:
        """Remember what a turn has dealt with."""
        for message_id in turn.messages_seen:
            answered = message_id in turn.messages_answered or self._dealt.get(message_id, False)
            self._dealt[message_id] = answered

    # --- all at once ----------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether any turn is in progress."""
        return any(conversation.busy for conversation in self._all.values())

    def see(self, view: View) -> None:
        """Let all turns in progress see a newer render."""
        for name, conversation in list(self._all.items()):
            if conversation.busy:
                conversation.see(self.share(view, name))

    def cut(self, cut: Cut) -> None:
        """End all turns in progress at once."""
        for conversation in self._all.values():
            conversation.cut(cut)

    def close(self) -> None:
        """Let go of what nobody waits for."""
        for conversation in self._all.values():
            conversation.close()

    def states(self) -> tuple[SessionState, ...]:
        """What they are doing."""
        states = (conversation.state() for conversation in self._all.values())
        return tuple(state for state in states if state is not None)

    def others(self, mine: Conversation) -> Sequence[Other]:
        """How the other conversations look from one of them, the newest first."""
        now = self._now()
        others = [c.other() for c in self._all.values() if c is not mine]
        recent = [o for o in others if o.stage or (o.last and now - o.at < RECENT)]
        return sorted(recent, key=lambda other: -other.at)[:SHOWN]
