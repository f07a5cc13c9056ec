"""The field: takes messages and percepts in, ticks when she wakes, renders what she sees."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from soul.core.fitting import shown
from soul.core.organ import Health, Organ, Report, SaveSoon
from soul.core.output import Outputs
from soul.field import attention_log, door_journal, tick_log
from soul.field.attend import FLEETING
from soul.field.attention_log import ATTENTION, AttentionLog
from soul.field.config import FieldConfig
from soul.field.door import Door
from soul.field.door_admission import Refused
from soul.field.door_journal import JOURNAL
from soul.field.embed import Embedder
from soul.field.field_events import entry, field_events
from soul.field.memory import DoorMemory, FieldMemory
from soul.field.perception import Perception
from soul.field.percepts import BadPercept
from soul.field.reception import Reception
from soul.field.showing import Showing
from soul.field.tick_log import TICKS
from soul.signals import (
    AttendAnswer,
    AttendRequest,
    BodyState,
    Energy,
    FieldEvent,
    HeartState,
    Knock,
    Message,
    MindState,
    Percept,
    PostAnswer,
    PostRequest,
    Reply,
    SenseEvent,
    SessionState,
    TaskList,
    Turn,
    View,
    Wake,
    WakeCause,
    WakeId,
)

#: So many turns are remembered, so that one told twice is felt once.
TURNS = 32
#: What says why an entry of a journal is none of its own.
UNFIT = {JOURNAL: door_journal.unfit, TICKS: tick_log.unfit, ATTENTION: attention_log.unfit}


class Field(Organ):
    """Pure logic of the field; see :mod:`soul.core.organ` for the form.

    Parameters
    ----------
    embedder
        What places things, asked at once; None: hashed groups of characters.
    trusts
        Whether a message comes from one of her people; what it says of itself is not believed.

    Raises
    ------
    ShapeRefused
        If a channel of another package cannot use what it is said to remember.
    """

    hears = {
        'door/message': Message,
        'door/reply': Reply,
        'door/tasks': TaskList,
        'heart/wake': Wake,
        'heart/state': HeartState,
        'mind/turn': Turn,
        'mind/state': MindState,
        'body/event': SenseEvent,
        'body/state': BodyState,
        'field/percept': Percept,
        'guard/energy': Energy,
    }
    says = {'door/knock': Knock, 'field/view': View, 'field/event': FieldEvent}
    serves = {'door/post': PostRequest, 'field/attend': AttendRequest}
    memory_file = 'field.json'
    memory_type = FieldMemory
    journals = ('door', 'events', TICKS, ATTENTION)
    recalls = ('door', TICKS, ATTENTION)

    def __init__(
        self,
        config: FieldConfig,
        memory: FieldMemory | None = None,
        past: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
        embedder: Embedder | None = None,
        trusts: Callable[[PostRequest], bool] = lambda request: False,
    ) -> None:
        memory, past = memory or FieldMemory(DoorMemory()), past or {}
        self._trusts = trusts
        self.door = Door(
            config.message_limit, config.knock_seconds, memory.door, past.get('door', ())
        )
        self.perception = Perception(config, embedder, dismiss=self.door.dismiss)
        self.world = self.perception.world
        if memory.world is not None:
            self.perception.go_on(memory.world, memory.channels)
        tick, wake = tick_log.newest(past.get(TICKS, ()), memory.tick, memory.wake)
        self.world.tick = max(self.world.tick, tick)
        self.showing = Showing(self.perception, self.door, WakeId(*wake))
        self._reception = Reception(self.door, self.perception, self.showing)
        self._turns: deque[tuple[int, int]] = deque([memory.turn], maxlen=TURNS)
        self._log = AttentionLog(memory.attended, past.get(ATTENTION, ()))
        self._ended = WakeId(*memory.ended)  # wake of the newest turn that ended
        self._sessions: tuple[SessionState, ...] = ()  # what the mind is at
        self._bad_percepts = 0

    @staticmethod
    def unfit(journal: str, entry: Mapping[str, Any]) -> str:
        """Say why an entry is none of the door's or of the ticks'; empty: it is one."""
        return UNFIT[journal](entry) if journal in UNFIT else ''

    def memory(self) -> FieldMemory:
        """Return what must survive."""
        return FieldMemory(
            door=self.door.memory(),
            world=self.world.memory(),
            channels=self.perception.channel_memories(),
            tick=self.world.tick,
            wake=(self.showing.wake.epoch, self.showing.wake.sequence),
            turn=self._turns[-1],
            ended=(self._ended.epoch, self._ended.sequence),
            attended=self._log.done,
        )

    def start(self, now: float) -> Outputs:
        """Put unanswered messages back into the field and let the door knock."""
        if self.world.lived_until > now:
            self.world.clock_was_set(now)
        for deed in self._log.owed():
            self.perception.attend_again(deed)
        door = self.door
        self.perception.messages.wait_for(door.messages, door.waiting, door.foremost, now)
        self.world.attend()
        # the heart learns that a field is there and what it ticked last
        yield self.showing.view(now)
        yield from self.door.knock(now)

    def due(self) -> float:
        """When somebody knocks next, or an expectation breaks."""
        return min(self.showing.due(), self.world.prediction.expectations.due())

    def step(self, now: float) -> Outputs:
        """Knock; let expectations break whose time is over; show what has arrived."""
        yield from self.showing.step(now)
        broken = self.world.prediction.check_deadlines(now)
        if broken:
            yield from self.showing.between(broken, now)
            yield SaveSoon()

    # --- sensing --------------------------------------------------------------------------

    def notice(self, signal: Any, now: float) -> Outputs:
        """Let the channels hear a signal, also what comes by no topic: a changed file."""
        return self.showing.between(self.perception.hear(signal, now), now)

    def serve_post(self, request: PostRequest, now: float) -> tuple[PostAnswer, Outputs]:
        """Take a message and acknowledge it once it is on the disk."""
        message = dataclasses.replace(request.message, trusted=self._trusts(request))
        try:
            message_id, outputs = self._reception.take(message, now, continues=request.continues)
        except Refused as refusal:
            return PostAnswer(False, request.message.id, str(refusal)), ()
        return PostAnswer(True, message_id), outputs

    def on_message(self, message: Message, now: float) -> Outputs:
        """Take a message that nobody waits to see acknowledged; nobody can prove who says it."""
        try:
            unproven = dataclasses.replace(message, trusted=False)
            return self._reception.take(unproven, now, durable=False)[1]
        except Refused as refusal:
            sender = shown(message.sender)
            return [Report('warning', f'a message from {sender} refused: {refusal}')]

    def on_percept(self, percept: Percept, now: float) -> Outputs:
        """Perceive what any node offers."""
        try:
            return self.showing.between(self.perception.percept(percept, now), now)
        except BadPercept as wrong:
            self._bad_percepts += 1
            return [Report('warning', f'a percept refused: {wrong}')]

    on_task_list = on_sense_event = on_body_state = on_energy = notice

    # --- waking ---------------------------------------------------------------------------

    def on_wake(self, wake: Wake, now: float) -> Outputs:
        """Tick, or show the view of this wake again if it is a repetition."""
        if set(wake.causes) == {WakeCause.DREAM}:
            return
        if wake.id == self._ended:
            # Sent again by a heart that has not heard of the turn's end. If it silenced the door,
            # a message of a failed turn would never knock again.
            return
        self.door.woken(wake)
        showing = self.showing
        if wake.id.epoch == showing.wake.epoch and wake.id.sequence < showing.wake.sequence:
            return
        wanted = set(wake.message_ids)
        listed = [message for message in self.door.messages if message.id in wanted]
        senders = [message.sender for message in listed]
        known, showing.wake, showing.causes = showing.wake, wake.id, wake.causes
        if wake.id == known:
            self.perception.woken(wake, senders)  # somebody else may have called her meanwhile
            yield self.showing.view(now)
            return
        showing.render = -1
        self._reception.put_back(listed, now)
        self.perception.messages.put_before_her(self.door.foremost)
        happened = self.perception.tick(now, wake, senders)
        seen = self.showing.view(now)
        yield tick_log.entry(seen, now)
        yield seen
        yield entry('wake', seen.tick, now, causes=list(wake.causes))
        yield from field_events(happened, seen.tick, now, between=False)
        yield SaveSoon()

    def on_heart_state(self, state: HeartState, now: float) -> Outputs:
        """A heart is there: one that has just come may have missed a knock."""
        self.door.hurry(now)
        return self.door.knock(now)

    def on_turn(self, turn: Turn, now: float) -> Outputs:
        """A waking has ended: what she has not seen knocks again."""
        if (turn.epoch, turn.sequence) in self._turns:
            return
        self._turns.append((turn.epoch, turn.sequence))
        self._ended = turn.wake
        elsewhere = [m for s in self._sessions if s.session != turn.session for m in s.message_ids]
        yield from self.door.turn_over(turn.messages_seen, now, elsewhere)
        yield from self._reception.turn_over(now)
        for message_id in self.door.missed(turn.messages_answered):
            yield from self.on_reply(Reply(in_reply_to=message_id), now)
        yield from self.notice(turn, now)
        yield from self.door.knock(now)
        yield SaveSoon()

    def on_mind_state(self, state: MindState, now: float) -> Outputs:
        """Catch up with a turn whose end was missed."""
        self._sessions = state.sessions
        if state.last_turn.sequence:
            yield from self.on_turn(state.last_turn, now)
        self.showing.phase = state.phase
        yield from self.notice(state, now)

    def on_reply(self, reply: Reply, now: float) -> Outputs:
        """She has answered: the tension lifts."""
        yield from self.door.answered(reply)
        if reply.is_final:
            self.perception.answered(reply.in_reply_to)
        yield from self.showing.show(now)[1]

    def serve_attend(self, request: AttendRequest, now: float) -> tuple[AttendAnswer, Outputs]:
        """Do what she asks of her attention and show the field anew."""
        reason = self.perception.attend(request, now)
        deed = self.perception.deed(request, now)
        seen, outputs = self.showing.show(now)
        # what she does is on the disk before it is acknowledged; where she looks need not be
        answer = AttendAnswer(not reason, reason or self.perception.said, seen)
        if reason or request.action in FLEETING:
            return answer, outputs
        return answer, [self._log.entry(deed), SaveSoon(), *outputs]

    def relate(self, change: Callable[[], None], now: float) -> Outputs:
        """Change what places things; in mid-turn she sees it."""
        change()
        return self.showing.show(now)[1] if self.showing.busy else ()

    def health(self, now: float) -> Health:
        """How the field is."""
        values = {
            'items': str(len(self.world.items)),
            'fullness': f'{self.world.fullness():.2f}',
            'messages waiting': str(len(self.door.waiting)),
            'messages refused': str(self.door.refused),
            'percepts refused': str(self._bad_percepts),
            'percepts cut': str(self.perception.percepts.cut),
            'tick': str(self.world.tick),
            'placed by': self.world.placement.relatedness.embedder.name,
        }
        if self.perception.trouble:
            return Health('warn', f'no model: {self.perception.trouble}', values)
        return Health(values=values)
