"""All her conversations: her own stream, and one for each session a message names."""

from __future__ import annotations

import asyncio
import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from soul.mind.moment import Other
from soul.mind.session import Session
from soul.mind.stream import Means, Stream
from soul.mind.waking import Cut
from soul.signals import SessionState, Turn, View

#: So many conversations stay in memory; the others are read again when somebody speaks there.
AT_HAND = 32
#: So many messages are remembered as dealt with.
REMEMBERED = 500
#: Conversations that were silent for longer are not shown in the others, s.
RECENT = 86400.0
#: So many are shown.
SHOWN = 6


class Streams:
    """The conversations by name; the empty name is her own stream of consciousness.

    Parameters
    ----------
    sessions
        Opens the session of a name.
    dealt
        What :meth:`memory` returned in an earlier life.
    """

    def __init__(
        self,
        sessions: Callable[[str], Session],
        means: Means,
        dealt: Iterable[tuple[str, bool]] = (),
    ) -> None:
        self._sessions = sessions
        self._means = means
        self.main = Stream(sessions(''), means)
        self._streams: OrderedDict[str, Stream] = OrderedDict({'': self.main})
        #: Messages dealt with, and whether they were answered.
        self._dealt: OrderedDict[str, bool] = OrderedDict((i, bool(a)) for i, a in dealt)

    def memory(self) -> list[tuple[str, bool]]:
        """What must survive: messages dealt with, and whether they were answered."""
        return list(self._dealt.items())

    def get(self, name: str) -> Stream:
        """Find or open a conversation."""
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = Stream(self._sessions(name), self._means)
            idle = [n for n, s in self._streams.items() if n and n != name and not s.busy]
            for forgotten in idle[: max(0, len(self._streams) - AT_HAND)]:
                del self._streams[forgotten]
        self._streams.move_to_end(name)
        return stream

    # --- whose message it is --------------------------------------------------------------

    def fresh(self, view: View) -> set[str]:
        """Return the conversations for which a view has messages nobody has dealt with."""
        return {m.session for m in view.messages if m.id not in self._dealt}

    def at_work(self, name: str) -> bool:
        """Whether a turn of a conversation is in progress."""
        stream = self._streams.get(name)
        return stream is not None and stream.busy

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
        while len(self._dealt) > REMEMBERED:
            self._dealt.popitem(last=False)

    # --- all at once ----------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether any turn is in progress."""
        return any(stream.busy for stream in self._streams.values())

    def see(self, view: View) -> None:
        """Let all turns in progress see a newer render."""
        for name, stream in list(self._streams.items()):
            if stream.busy:
                stream.see(self.share(view, name))

    def cut(self, cut: Cut) -> None:
        """End all turns in progress at once."""
        for stream in self._streams.values():
            stream.cut(cut)

    async def close(self, seconds: float) -> None:
        """Wait for the turns that were cut."""
        await asyncio.gather(*(stream.close(seconds) for stream in self._streams.values()))

    def states(self) -> tuple[SessionState, ...]:
        """What they are doing."""
        states = (stream.state() for stream in self._streams.values())
        return tuple(state for state in states if state is not None)

    def others(self, mine: Stream, now: float) -> Sequence[Other]:
        """How the other conversations look from one of them, the newest first."""
        others = [stream.other() for stream in self._streams.values() if stream is not mine]
        recent = [o for o in others if o.stage or (o.last and now - o.at < RECENT)]
        return sorted(recent, key=lambda other: -other.at)[:SHOWN]
