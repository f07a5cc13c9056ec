"""The field: takes messages and percepts in, ticks when she wakes, renders what she sees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from soul.field.config import FieldConfig
from soul.field.door import Door, Refused
from soul.field.items import Item, Items
from soul.field.render import render, rings
from soul.organ import Health, Organ, Record, Report, Save
from soul.signals import (
    AttendAction,
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
    Phase,
    PostAnswer,
    PostRequest,
    Reply,
    SenseEvent,
    TaskList,
    Turn,
    View,
    ViewItem,
    Wake,
    WakeCause,
    WakeId,
)


class Field(Organ):
    """Pure logic of the field; see :mod:`soul.organ` for the form."""

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
    journals = ('door', 'events', 'ticks')

    def __init__(
        self,
        config: FieldConfig,
        memory: Mapping[str, Any] | None = None,
        past: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    ) -> None:
        memory, past = memory or {}, past or {}
        self._config = config
        self._zone = ZoneInfo(config.timezone) if config.timezone else None
        self._door = Door(
            config.message_limit, config.knock_seconds, memory.get('door'), past.get('door', ())
        )
        self._items = Items(memory.get('items'))
        self._focus: str = memory.get('focus', '')
        self._topic: str = memory.get('topic', '')
        self._lived_until: float = memory.get('lived_until', math.nan)
        ticks = past.get('ticks', ())
        last = ticks[-1] if ticks else memory
        self._tick: int = last.get('tick', 0)
        self._wake = WakeId(*last.get('wake', (0, 0)))
        self._turn: tuple[int, int] = tuple(memory.get('turn', (0, 0)))  # type: ignore[assignment]
        self._ended = WakeId(*memory.get('ended', (0, 0)))  # wake of the newest turn that ended
        self._render = 0
        self._causes: tuple[str, ...] = ()
        self._woke = ''
        self._body: BodyState | None = None
        self._energy: Energy | None = None
        self._mind: MindState | None = None

    def memory(self) -> Mapping[str, Any]:
        """What must survive."""
        return {
            'door': self._door.memory(),
            'items': self._items.memory(),
            'focus': self._focus,
            'topic': self._topic,
            'lived_until': None if math.isnan(self._lived_until) else self._lived_until,
            'tick': self._tick,
            'wake': [self._wake.epoch, self._wake.sequence],
            'turn': list(self._turn),
            'ended': [self._ended.epoch, self._ended.sequence],
        }

    def start(self, now: float) -> Iterable[Any]:
        """Put unanswered messages back into the field and let the door knock."""
        if not self._lived_until or math.isnan(self._lived_until) or self._lived_until > now:
            self._lived_until = now
        for message in self._door.messages:
            self._see_message(message)
        yield self._view(now)  # the heart learns that a field is there and what it ticked last
        yield from self._door.knock(now)

    def due(self) -> float:
        """When somebody knocks next."""
        return self._door.due()

    def step(self, now: float) -> Iterable[Any]:
        """Knock."""
        return self._door.knock(now)

    # --- sensing --------------------------------------------------------------------------

    def _see_message(self, message: Message) -> Item:
        text = f'{message.sender}: {message.text}'
        return self._items.put(message.id, 'message', 'door', text, salience=0.8, valence=-0.1)

    def _take(self, message: Message, now: float) -> tuple[str, list[Any]]:
        taken, outputs = self._door.take(message, now)
        if outputs:
            item = self._see_message(taken)
            self._focus, self._topic = item.id, ''
            outputs += self._door.knock(now)
            if self._busy:
                outputs.append(self._view(now))
        return taken.id, outputs

    @property
    def _busy(self) -> bool:
        return self._mind is not None and self._mind.phase == Phase.WAKING

    def serve_post(self, request: PostRequest, now: float) -> tuple[PostAnswer, Iterable[Any]]:
        """Take a message and acknowledge it once it is on the disk."""
        try:
            message_id, outputs = self._take(request.message, now)
        except Refused as refusal:
            return PostAnswer(False, request.message.id, str(refusal)), ()
        return PostAnswer(True, message_id), outputs

    def on_message(self, message: Message, now: float) -> Iterable[Any]:
        """Take a message that nobody waits to see acknowledged."""
        try:
            return self._take(message, now)[1]
        except Refused as refusal:
            return [Report('warning', f'a message from {message.sender!r} refused: {refusal}')]

    def on_task_list(self, tasks: TaskList, now: float) -> Iterable[Any]:
        """Tasks of one source: what is no longer listed is done."""
        listed = {f'{tasks.source}/{task.id}' for task in tasks.tasks}
        for item in self._items:
            if item.kind == 'task' and item.source == tasks.source and item.key not in listed:
                item.resolved = True
        for task in tasks.tasks:
            salience = 0.3 + 0.4 * min(1.0, max(0.0, task.priority))
            key = f'{tasks.source}/{task.id}'
            self._items.put(key, 'task', tasks.source, f'task: {task.text}', salience=salience)
        return ()

    def on_percept(self, percept: Percept, now: float) -> Iterable[Any]:
        """Perceive what any node offers."""
        for key in (*percept.resolve, *percept.clear):
            item = self._items.by_key(key)
            if item is not None and key in percept.resolve:
                item.resolved = True
            elif item is not None:
                self._items.remove(item)
        if percept.text:
            self._items.put(
                percept.key,
                percept.kind or 'note',
                percept.source,
                percept.text,
                percept.gist,
                min(1.0, max(0.0, percept.salience)),
                min(1.0, max(-1.0, percept.valence)),
            )
        return ()

    def on_sense_event(self, event: SenseEvent, now: float) -> Iterable[Any]:
        """Feel what the body noticed."""
        salience = 0.3 + 0.4 * min(1.0, max(0.0, event.magnitude))
        text = event.detail or event.kind.replace('_', ' ')
        self._items.put(f'body/{event.kind}', 'body', 'body', text, salience=salience)
        return ()

    def on_body_state(self, state: BodyState, now: float) -> Iterable[Any]:
        """Feel the body."""
        self._body = state
        return ()

    def on_energy(self, energy: Energy, now: float) -> Iterable[Any]:
        """Feel how much is left."""
        self._energy = energy
        return ()

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
        self._items.fade(now - self._lived_until)
        self._lived_until = now
        self._tick += 1
        self._render = -1
        self._wake = wake.id
        self._causes = wake.causes
        self._woke = '. '.join(reason[:1].upper() + reason[1:] for reason in wake.reasons)
        view = self._view(now)
        entry = {
            'tick': self._tick,
            'wake': [wake.id.epoch, wake.id.sequence],
            'at': now,
            'causes': list(wake.causes),
            'text': view.text,
        }
        yield Record('ticks', entry, durable=False)
        yield view
        yield Save()

    def on_heart_state(self, state: HeartState, now: float) -> Iterable[Any]:
        """A heart is there: one that has just come may have missed a knock."""
        self._door.hurry(now)
        return self._door.knock(now)

    def on_turn(self, turn: Turn, now: float) -> Iterable[Any]:
        """A waking has ended: what she has not seen knocks again."""
        if (turn.epoch, turn.sequence) == self._turn:
            return
        self._turn = (turn.epoch, turn.sequence)
        self._ended = turn.wake
        yield from self._door.turn_over(turn.messages_seen, now)
        yield from self._door.knock(now)
        yield Save()

    def on_mind_state(self, state: MindState, now: float) -> Iterable[Any]:
        """Catch up with a turn whose end was missed."""
        self._mind = state
        if state.last_turn.sequence:
            yield from self.on_turn(state.last_turn, now)

    def on_reply(self, reply: Reply, now: float) -> Iterable[Any]:
        """She has answered: the tension lifts."""
        yield from self._door.answered(reply)
        item = self._items.by_key(reply.in_reply_to)
        if item is not None and reply.final:
            item.resolved = True
            item.valence = max(item.valence, 0.2)
        yield self._view(now)

    # --- attending ------------------------------------------------------------------------

    def serve_attend(
        self, request: AttendRequest, now: float
    ) -> tuple[AttendAnswer, Iterable[Any]]:
        """Do what she asks of her attention and show the field anew."""
        reason = self._attend(request)
        view = self._view(now)
        return AttendAnswer(not reason, reason, view), [view]

    def _attend(self, request: AttendRequest) -> str:
        item = self._items.get(request.item)
        action = request.action
        if request.item and item is None:
            return f'there is no item {request.item} in the field'
        if action in (AttendAction.HOLD, AttendAction.RELEASE, AttendAction.RESOLVE):
            if item is None:
                return f'{action} needs an item'
            if action == AttendAction.RESOLVE:
                item.resolved = True
                self._door.dismiss(item.key)
            else:
                item.held = action == AttendAction.HOLD
        elif action == AttendAction.FOCUS:
            self._focus, self._topic = request.item, request.text
        elif action == AttendAction.UNFOCUS:
            self._focus = self._topic = ''
        elif action in (AttendAction.SEEN, AttendAction.NOTE, AttendAction.INTEND):
            kind = 'intention' if action == AttendAction.INTEND else action
            source = request.source or 'self'
            text = f'{source} → {request.text}' if action == AttendAction.SEEN else request.text
            seen = self._items.put('', kind, source, text, salience=0.5)
            self._focus = seen.id if action == AttendAction.SEEN else self._focus
        elif action != AttendAction.LOOK:
            return f'unknown action {action!r}'
        return ''

    # --- rendering ------------------------------------------------------------------------

    def _view(self, now: float) -> View:
        self._render += 1
        items = list(self._items)
        focus = self._items.get(self._focus)
        close, around, edge = rings(items, focus)
        messages = tuple(self._door.messages)
        text = render(
            self._tick,
            now,
            self._zone,
            items,
            focus,
            self._topic,
            self._energy,
            len(messages),
            self._woke,
            ', '.join(self._body.feelings) if self._body else '',
        )
        return View(
            stamp=now,
            wake=self._wake,
            tick=self._tick,
            render=self._render,
            text=text,
            focus_id=focus.id if focus else '',
            focus=focus.text if focus else self._topic,
            close=tuple(_shown(item, item.text) for item in close),
            around=tuple(_shown(item, item.gist) for item in around),
            edge=tuple(_shown(item, f'a {item.kind}', known=False) for item in edge),
            mood='quiet',
            message_ids=tuple(message.id for message in messages),
            messages=messages,
            causes=self._causes,
            fullness=len(text) / self._config.capacity,
        )

    def health(self, now: float) -> Health:
        """How the field is."""
        return Health(
            values={
                'items': str(len(list(self._items))),
                'messages waiting': str(len(self._door.messages)),
                'messages refused': str(self._door.refused),
                'tick': str(self._tick),
            }
        )


def _shown(item: Item, text: str, known: bool = True) -> ViewItem:
    return ViewItem(
        id=item.id if known else '',
        key=item.key if known else '',
        kind=item.kind,
        source=item.source,
        text=text,
        salience=item.salience,
        valence=item.valence,
        held=item.held,
        resolved=item.resolved,
    )
