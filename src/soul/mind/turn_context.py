"""What tools may use of the world during one turn."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from soul.mind.acts import ActsWatch
from soul.mind.ports import NoAnswer, Ports
from soul.mind.provenance import Provenance
from soul.mind.turn_ledger import TurnLedger
from soul.mind.turn_record import TurnRecord
from soul.signals import (
    Act,
    AttendAction,
    AttendRequest,
    BodyState,
    Message,
    MessageMode,
    Reply,
    View,
)


class TurnContext:
    """What the tools of one turn may use; see :class:`soul.mind.tools.base.ToolContext`.

    Parameters
    ----------
    body
        Returns what is known of her body; None: nothing.
    """

    def __init__(
        self,
        record: TurnRecord,
        ports: Ports,
        ledger: TurnLedger,
        acts: ActsWatch,
        body: Callable[[], BodyState | None],
    ) -> None:
        self._record = record
        self._ports = ports
        self._ledger = ledger
        self._acts = acts
        self._body = body
        self._view = record.view
        self._news = asyncio.Event()
        self.outside = Provenance()
        self.waiting = False
        self.said = ''  # how what her attention was granted differs from what she asked

    # --- what she sees --------------------------------------------------------------------

    def see(self, view: View) -> None:
        """Take a newer render of her field."""
        if view.wake == self._view.wake and view.render <= self._view.render:
            return
        self._view = view
        if self.new:
            self._news.set()

    def interrupted(self, view: View) -> bool:
        """Whether a view brings a message that cuts this turn."""
        return any(
            m.mode == MessageMode.INTERRUPT and m.id not in self._record.seen
            for m in view.messages
        )

    @property
    def raw(self) -> View:
        """The newest render, with everything in it."""
        return self._view

    @property
    def view(self) -> View:
        """What she sees now, with the messages that are before her eyes."""
        shown = tuple(m for m in self._view.messages if m.id in self._record.seen)
        ids = tuple(message.id for message in shown)
        return dataclasses.replace(self._view, messages=shown, message_ids=ids)

    @property
    def waiting_messages(self) -> list[Message]:
        """Messages before her eyes that she has not answered in this turn, oldest first."""
        return [m for m in self.view.messages if m.id not in self._record.replied]

    @property
    def new(self) -> list[Message]:
        """Messages that came in mid-turn and are for now."""
        return [
            m
            for m in self._view.messages
            if m.id not in self._record.seen and m.mode != MessageMode.QUEUE
        ]

    @property
    def session(self) -> str:
        """The session of this turn; empty is the one stream of consciousness."""
        return self._record.session

    @property
    def body(self) -> BodyState | None:
        """What is known of her body."""
        return self._body()

    def origin_of(self, text: str) -> str:
        """Say which outside a longer run of words in a text came from; empty: it is her own."""
        return self.outside.origin_of(text)

    # --- the world ------------------------------------------------------------------------

    def now(self) -> float:
        """Seconds of the node's clock."""
        return self._ports.now()

    async def ask(self, to: str, request: Any, seconds: float = 5.0) -> Any:
        """Ask another organ and return its answer; raises NoAnswer after so many seconds."""
        return await self._ports.ask(to, request, seconds)

    async def attend(self, request: AttendRequest) -> str:
        """Do something with her attention; returns why not, empty if it was done."""
        self.said = ''
        answer = await self.ask('field/attend', request)
        self.said = answer.reason if answer.ok else ''
        self.see(answer.view)
        return '' if answer.ok else answer.reason or 'it was refused'

    async def show(self, text: str, source: str) -> None:
        """Let what a tool showed her enter the field as seen."""
        with contextlib.suppress(NoAnswer):  # she goes on with what she sees
            await self.attend(AttendRequest(action=AttendAction.SEEN, text=text, source=source))

    async def act_ended(self, act_id: str, seconds: float) -> Act | None:
        """Wait for an outward act to end."""
        return await self._acts.ended(act_id, seconds)

    async def wait(self, seconds: float) -> bool:
        """Let time pass until somebody speaks to her; True if somebody did."""
        if self.new:
            return True
        self._news.clear()
        self.waiting = True
        try:
            return await first(self._news.wait(), self._ports.sleep(seconds))
        finally:
            self.waiting = False

    def reply(self, message: Message | None, text: str) -> Reply:
        """Answer somebody: written down, then said."""
        record = self._record
        reply = Reply(
            stamp=self._ports.now(),
            id=uuid.uuid4().hex,
            in_reply_to=message.id if message else '',
            session=message.session if message else self.session,
            text=text,
        )
        self._ledger.reply(record.sequence, reply)
        if message is not None:
            record.replied[message.id] = None
        record.said = text
        self._ports.emit(reply)
        return reply


async def first(wanted: Awaitable[Any], other: Awaitable[Any]) -> bool:
    """Wait for either; True if the wanted one came first. The other one is given up."""
    tasks = [asyncio.ensure_future(wanted), asyncio.ensure_future(other)]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return tasks[0] in done
    finally:
        for task in tasks:
            task.cancel()
