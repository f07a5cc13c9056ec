"""Fields for the tests, without ROS."""

import json
from pathlib import Path

from soul.core.organ import Record, Save
from soul.field.config import FieldConfig
from soul.field.field import Field
from soul.field.perception import Perception
from soul.field.readings import ChannelReading, ItemUpdate
from soul.signals import (
    AttendRequest,
    Call,
    FieldEvent,
    Knock,
    Message,
    MindState,
    Outcome,
    Phase,
    PostRequest,
    Turn,
    View,
    Wake,
    WakeCause,
    WakeId,
)
from support.memories import reread

DATA = Path(__file__).parents[2] / 'unit' / 'data'
#: Mon 5 Oct 2026, 02:51 UTC.
NOW = 1791168660.0


def cases(name):
    """Cases taken from the running code of the seed."""
    return json.loads((DATA / f'{name}.json').read_text())['cases']


def config(**given):
    return FieldConfig(**{'timezone': 'UTC', 'embedder': 'hash', **given})


def perception(**given):
    return Perception(config(**given))


def sight(key='k', kind='note', source='src', text='', **given):
    return ItemUpdate(key, kind, source, text or f'the text of {key}', **given)


def enter(seen, *sights, now=NOW):
    """Let things enter; returns their items."""
    seen.impress(ChannelReading('test', updates=list(sights)), now)
    return [seen.world.items.by_key(s.key) for s in sights]


class Life:
    """A whole field with a heart and a mind played by the test."""

    def __init__(self, now=NOW, memory=None, past=None, **given):
        self.config = config(**given)
        # who is one of her people is another test's affair: here everybody says it truly
        self.field = Field(
            self.config, memory, past, trusts=lambda request: request.message.trusted
        )
        self.now = now
        self.sequence = self.field.showing.wake.sequence
        self.turns = 0
        self.out = []
        self.view = None
        self.take(self.field.start(now))

    def take(self, outputs):
        outputs = list(outputs)
        self.out += outputs
        self.view = next((o for o in reversed(outputs) if isinstance(o, View)), self.view)
        return outputs

    def of(self, kind):
        return [o for o in self.out if isinstance(o, kind)]

    @property
    def text(self):
        return self.view.text

    @property
    def world(self):
        return self.field.world

    def item(self, key):
        return self.world.items.by_key(key)

    def later(self, seconds):
        """Let time pass and what is due happen."""
        until = self.now + seconds
        while self.field.due() <= until:
            self.now = max(self.now, self.field.due())
            self.take(self.field.step(self.now))
        self.now = until
        return self

    def post(self, text='hello', sender='ann', **given):
        answer, outputs = self.field.serve_post(
            PostRequest(Message(sender=sender, text=text, **given)), self.now
        )
        self.take(outputs)
        return answer

    def hear(self, signal):
        return self.take(self.field.notice(signal, self.now))

    def wake(self, *causes, ids=None, reasons=()):
        """Wake her; for all messages that have knocked unless told otherwise."""
        if ids is None:
            ids = [m.id for m in self.field.door.unseen]
        causes = causes or ((WakeCause.MESSAGE,) if ids else (WakeCause.SPONTANEOUS,))
        self.sequence += 1
        wake = Wake(
            id=WakeId(1, self.sequence), causes=causes, reasons=tuple(reasons),
            message_ids=tuple(ids),
        )  # fmt: skip
        self.take(self.field.on_wake(wake, self.now))
        return self.view

    def begin(self):
        """The mind begins a turn."""
        self.take(self.field.on_mind_state(MindState(phase=Phase.WAKING), self.now))

    def end(self, *calls, seen=None, **given):
        """A turn ends."""
        self.turns += 1
        if seen is None:
            seen = self.view.message_ids
        turn = Turn(
            epoch=1,
            sequence=self.turns,
            wake=self.view.wake,
            calls=tuple(Call(name=c, ok=True) if isinstance(c, str) else c for c in calls),
            messages_seen=tuple(seen),
            **{
                'outcome': Outcome.SLEPT,
                'tokens_in': 1000,
                'duration': 2.0,
                'reply_digest': str(self.turns),
                **given,
            },
        )
        self.take(self.field.on_turn(turn, self.now))
        self.take(self.field.on_mind_state(MindState(phase=Phase.IDLE, last_turn=turn), self.now))
        return turn

    def attend(self, action, **given):
        answer, outputs = self.field.serve_attend(AttendRequest(action=action, **given), self.now)
        self.take(outputs)
        return answer

    def events(self, kind=None):
        return [e for e in self.of(FieldEvent) if kind in (None, e.kind)]

    def records(self, journal, kind=None):
        entries = [dict(o.entry) for o in self.of(Record) if o.journal == journal]
        return [e for e in entries if kind in (None, e.get('kind'))]

    def knocks(self):
        return [k.message_id for k in self.of(Knock)]

    def saves(self):
        return len(self.of(Save))

    def again(self, past=None):
        """A new life with the memory of this one, as it is read again."""
        return Life(
            self.now,
            reread(self.field.memory()),
            past,
            **self.config.model_dump(exclude_defaults=True),
        )
