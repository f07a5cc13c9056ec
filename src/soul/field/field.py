"""The field: takes messages and percepts in, ticks when she wakes, renders what she sees."""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from soul.border import shown
from soul.field.attend import FLEETING
from soul.field.config import FieldConfig
from soul.field.door import JOURNAL, Door, Refused, unfit
from soul.field.embed import Embedder
from soul.field.memory import DoorMemory, FieldMemory
from soul.field.perception import Perception
from soul.field.percepts import BadPercept
from soul.field.sight import Happening
from soul.field.tell import entry, told
from soul.organ import Health, Organ, Record, Report, Save
from soul.signals import (
    AttendAnswer,
    AttendRequest,
    BodyState,
    Energy,
    FieldEvent,
    HeartState,
    Knock,
    Message,
    MessageMode,
    MindState,
    Percept,
    Phase,
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

#: So much may happen in this time (s) before she is shown it, and the heart told, only now and
#: then: what arrives by the thousand is taken in one by one and seen together.
STIR_SECONDS, STIRS = 0.2, 4
#: So many turns are remembered, so that one told twice is felt once.
TURNS = 32


class Field(Organ):
    """Pure logic of the field; see :mod:`soul.organ` for the form.

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
    journals = ('door', 'events', 'ticks')

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
        self._door = Door(
            config.message_limit, config.knock_seconds, memory.door, past.get('door', ())
        )
        self.perception = Perception(config, embedder, dismiss=self._door.dismiss)
        self.world = self.perception.world
        if memory.world is not None:
            self.perception.go_on(memory.world, memory.channels)
        tick, wake = memory.tick, memory.wake
        if ticks := past.get('ticks', ()):
            tick, wake = ticks[-1].get('tick', 0), ticks[-1].get('wake', (0, 0))
        self.world.tick = max(self.world.tick, tick)
        self._wake = WakeId(*wake)
        self._turns: deque[tuple[int, int]] = deque([memory.turn], maxlen=TURNS)
        self._ended = WakeId(*memory.ended)  # wake of the newest turn that ended
        self._render = 0
        self._causes: tuple[str, ...] = ()
        self._phase = ''
        self._queued: list[Message] = []  # came in mid-turn and for afterwards
        self._sessions: tuple[SessionState, ...] = ()  # what the mind is at
        self._bad_percepts = 0
        self._stirs = 0  # in the time that began then
        self._stirs_since = -math.inf
        self._stir_at = math.inf  # when she is shown what has arrived

    @staticmethod
    def unfit(journal: str, entry: Mapping[str, Any]) -> str:
        """Say why an entry is none of the door's or of the ticks'; empty: it is one."""
        if journal == JOURNAL:
            return unfit(entry)
        if journal == 'ticks':
            wake, tick = entry.get('wake', (0, 0)), entry.get('tick', 0)
            numbers = [tick, *wake] if isinstance(wake, list | tuple) else []
            if len(numbers) != 3 or not all(type(number) is int for number in numbers):
                return 'it names no tick'
        return ''

    def memory(self) -> FieldMemory:
        """Return what must survive."""
        return FieldMemory(
            door=self._door.memory(),
            world=self.world.memory(),
            channels=self.perception.channel_memories(),
            tick=self.world.tick,
            wake=(self._wake.epoch, self._wake.sequence),
            turn=self._turns[-1],
            ended=(self._ended.epoch, self._ended.sequence),
        )

    def start(self, now: float) -> Iterable[Any]:
        """Put unanswered messages back into the field and let the door knock."""
        if self.world.lived_until > now:
            self.world.clock_was_set(now)
        self.perception.wait_for(self._door.messages, self._door.waiting, self._door.foremost, now)
        self.world.attend()
        yield self._view(now)  # the heart learns that a field is there and what it ticked last
        yield from self._door.knock(now)

    def due(self) -> float:
        """When somebody knocks next, or an expectation breaks."""
        knocks = self._door.due() if self._stir_at == math.inf else self._stir_at
        return min(knocks, self.world.prediction.expectations.due())

    def step(self, now: float) -> Iterable[Any]:
        """Knock; let expectations break whose time is over; show what has arrived."""
        if self._stir_at == math.inf:
            yield from self._door.knock(now)
        elif now >= self._stir_at:
            yield from self._stirred(now)
        broken = self.world.prediction.check_deadlines(now)
        if broken:
            yield from self._between(broken, now)
            yield Save()

    # --- sensing --------------------------------------------------------------------------

    @property
    def _busy(self) -> bool:
        return self._phase == Phase.WAKING

    def _between(self, happened: Sequence[Happening], now: float) -> Iterable[Any]:
        """Tell what happened between two ticks; in mid-turn she sees what is worth it."""
        yield from told(happened, self.world.tick, now, between=True)
        if self._busy and self.world.would_capture():
            yield from self._stir(now)

    def _stir(self, now: float) -> Iterable[Any]:
        """Something has arrived: knock and show it, at once or with what else arrives now."""
        if not 0.0 <= now - self._stirs_since < STIR_SECONDS:
            self._stirs, self._stirs_since = 0, now
        self._stirs += 1
        if self._stirs <= STIRS:
            return self._stirred(now)
        self._stir_at = self._stirs_since + STIR_SECONDS
        return ()

    def _stirred(self, now: float) -> Iterable[Any]:
        self._stir_at = math.inf
        yield from self._door.knock(now)
        if self._busy:
            yield from self._show(now)

    def notice(self, signal: Any, now: float) -> Iterable[Any]:
        """Let the channels hear a signal, also what comes by no topic: a changed file."""
        return self._between(self.perception.hear(signal, now), now)

    def _take(self, message: Message, now: float) -> tuple[str, Iterable[Any]]:
        taken, records = self._door.take(message, now)
        return taken.id, self._receive(taken, records, now) if records else ()

    def _receive(self, message: Message, records: Iterable[Any], now: float) -> Iterable[Any]:
        yield from records  # if they cannot be written, nothing of what follows has happened
        self._door.admit(message, now)
        queued = self._busy and message.mode == MessageMode.QUEUE
        if queued:
            self._queued.append(message)  # she sees it when the turn in progress is over
            yield from self._door.knock(now)
        else:
            yield from self._let_in(message, now)
            yield from self._stir(now)

    def _let_in(self, message: Message, now: float) -> Iterable[Any]:
        self.perception.receive(message, now)
        happened = self.perception.hear(message, now)
        return told(happened, self.world.tick, now, between=True)

    def serve_post(self, request: PostRequest, now: float) -> tuple[PostAnswer, Iterable[Any]]:
        """Take a message and acknowledge it once it is on the disk."""
        message = dataclasses.replace(request.message, trusted=self._trusts(request))
        try:
            message_id, outputs = self._take(message, now)
        except Refused as refusal:
            return PostAnswer(False, request.message.id, str(refusal)), ()
        return PostAnswer(True, message_id), outputs

    def on_message(self, message: Message, now: float) -> Iterable[Any]:
        """Take a message that nobody waits to see acknowledged; nobody can prove who says it."""
        try:
            return self._take(dataclasses.replace(message, trusted=False), now)[1]
        except Refused as refusal:
            sender = shown(message.sender)
            return [Report('warning', f'a message from {sender} refused: {refusal}')]

    def on_percept(self, percept: Percept, now: float) -> Iterable[Any]:
        """Perceive what any node offers."""
        try:
            return self._between(self.perception.percept(percept, now), now)
        except BadPercept as wrong:
            self._bad_percepts += 1
            return [Report('warning', f'a percept refused: {wrong}')]

    on_task_list = on_sense_event = on_body_state = on_energy = notice

    # --- waking ---------------------------------------------------------------------------

    def on_wake(self, wake: Wake, now: float) -> Iterable[Any]:
        """Tick, or show the view of this wake again if it is a repetition."""
        if set(wake.causes) == {WakeCause.DREAM}:
            return
        if wake.id == self._ended:
            # Sent again by a heart that has not heard of the turn's end. If it silenced the door,
            # a message of a failed turn would never knock again.
            return
        self._door.woken(wake)
        if wake.id.epoch == self._wake.epoch and wake.id.sequence < self._wake.sequence:
            return
        if wake.id == self._wake:
            self._causes = self._causes or wake.causes
            yield self._view(now)
            return
        self._render = -1
        self._wake, self._causes = wake.id, wake.causes
        wanted = set(wake.message_ids)
        listed = [message for message in self._door.messages if message.id in wanted]
        self._put_back(listed, now)
        self.perception.put_before_her(self._door.foremost)
        happened = self.perception.tick(now, wake, [message.sender for message in listed])
        seen = self._view(now)
        tick = {
            'tick': seen.tick,
            'wake': [wake.id.epoch, wake.id.sequence],
            'at': now,
            'causes': list(wake.causes),
            'mood': seen.mood,
            'text': seen.text,
        }
        yield Record('ticks', tick, durable=False)
        yield seen
        yield entry('wake', seen.tick, now, causes=list(wake.causes))
        yield from told(happened, seen.tick, now, between=False)
        yield Save()

    def _put_back(self, messages: Iterable[Message], now: float) -> None:
        """What she is woken for is before her eyes, even if it had slipped away."""
        for message in messages:
            if self.world.items.by_key(message.id) is None:
                self.perception.receive(message, now)

    def on_heart_state(self, state: HeartState, now: float) -> Iterable[Any]:
        """A heart is there: one that has just come may have missed a knock."""
        self._door.hurry(now)
        return self._door.knock(now)

    def on_turn(self, turn: Turn, now: float) -> Iterable[Any]:
        """A waking has ended: what she has not seen knocks again."""
        if (turn.epoch, turn.sequence) in self._turns:
            return
        self._turns.append((turn.epoch, turn.sequence))
        self._ended = turn.wake
        elsewhere = [m for s in self._sessions if s.session != turn.session for m in s.message_ids]
        yield from self._door.turn_over(turn.messages_seen, now, elsewhere)
        queued, self._queued = self._queued, []
        for message in queued:
            yield from self._let_in(message, now)
        for message_id in self._door.missed(turn.messages_answered):
            yield from self.on_reply(Reply(in_reply_to=message_id), now)
        yield from self.notice(turn, now)
        yield from self._door.knock(now)
        yield Save()

    def on_mind_state(self, state: MindState, now: float) -> Iterable[Any]:
        """Catch up with a turn whose end was missed."""
        self._sessions = state.sessions
        if state.last_turn.sequence:
            yield from self.on_turn(state.last_turn, now)
        self._phase = state.phase
        yield from self.notice(state, now)

    def on_reply(self, reply: Reply, now: float) -> Iterable[Any]:
        """She has answered: the tension lifts."""
        yield from self._door.answered(reply)
        if reply.final:
            self.perception.answered(reply.in_reply_to)
        yield from self._show(now)

    def serve_attend(
        self, request: AttendRequest, now: float
    ) -> tuple[AttendAnswer, Iterable[Any]]:
        """Do what she asks of her attention and show the field anew."""
        reason = self.perception.attend(request, now)
        seen = self._show(now)
        # what she does is on the disk before it is acknowledged; where she looks need not be
        saved = [] if reason or request.action in FLEETING else [Save()]
        return AttendAnswer(not reason, reason or self.perception.said, seen[0]), [*saved, *seen]

    def relate(self, change: Callable[[], None], now: float) -> Iterable[Any]:
        """Change what places things; in mid-turn she sees it."""
        change()
        return self._show(now) if self._busy else ()

    # --- rendering ------------------------------------------------------------------------

    def _show(self, now: float) -> list[Any]:
        """Render anew between ticks: attend, lay out, no decay and no prediction."""
        self.perception.put_before_her(self._door.foremost)
        happened = self.world.attend()
        return [self._view(now), *told(happened, self.world.tick, now, between=False)]

    def _view(self, now: float) -> View:
        self._render += 1
        messages = [self.perception.clean(message) for message in self._door.messages]
        more = self._door.more
        return self.perception.view(now, self._wake, self._render, messages, self._causes, more)

    def health(self, now: float) -> Health:
        """How the field is."""
        values = {
            'items': str(len(self.world.items)),
            'fullness': f'{self.world.fullness():.2f}',
            'messages waiting': str(len(self._door.waiting)),
            'messages refused': str(self._door.refused),
            'percepts refused': str(self._bad_percepts),
            'percepts cut': str(self.perception.percepts.cut),
            'tick': str(self.world.tick),
            'placed by': self.world.relatedness.embedder.name,
        }
        if self.perception.trouble:
            return Health('warn', f'no model: {self.perception.trouble}', values)
        return Health(values=values)
