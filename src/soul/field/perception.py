"""The whole of her seeing, without ROS and without a wake: for the organ and for other programs.

It puts together the field, the channels that fill it, what keeps the outside from forging it, and
the words she sees it in. Time comes in as an argument; nothing here reads a clock, a file or a
socket once it is built.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from soul.field import channels, features, words
from soul.field.attend import OWN_LENGTH, Attend
from soul.field.channels.body import acted
from soul.field.channels.door import DoorChannel
from soul.field.config import FieldConfig
from soul.field.embed import Embedder, Relatedness
from soul.field.embed.hashed import HashedEmbedder
from soul.field.embed.port import Vectors
from soul.field.items import clip
from soul.field.memory import ChannelMemories, PerceptionMemory, WorldMemory
from soul.field.percepts import Percepts
from soul.field.render import Frame
from soul.field.shown import view
from soul.field.sight import Happening, Impression, Moment, within
from soul.field.woke import woke
from soul.field.world import World
from soul.signals import AttendRequest, Energy, Message, Percept, Turn, View, Wake, WakeId
from soul.store.state_file import Shape, ShapeRefused

NO_WAKE = WakeId()
#: What an item's own words take beside what it quotes, characters.
SPACE = 500
#: So many cleaned messages are remembered.
MOST_CLEANED = 256


class Perception:
    """What she sees.

    Parameters
    ----------
    embedder
        What places things, asked at once; None: hashed groups of characters.
    more
        Channels beside the configured ones.
    dismiss
        Told the key of what she lets go of without an answer.
    """

    def __init__(
        self,
        config: FieldConfig | None = None,
        embedder: Embedder | None = None,
        more: Iterable[Callable[[channels.Setting], channels.Channel]] = (),
        dismiss: Callable[[str], None] = lambda key: None,
    ) -> None:
        config = config or FieldConfig.model_validate({})
        self._config = config
        self.words = words.load(config.language, config.figures, config.zone())
        self.cleaner = self.words.cleaner()
        self.world = World(
            self.words,
            Relatedness(embedder or HashedEmbedder()),
            features.load(config.features),
            config.capacity_chars,
            config.capture_threshold,
        )
        setting = channels.Setting(config, self.words, self.cleaner)
        self.channels = channels.load(config.channels, setting)
        self.channels += [make(setting) for make in more]
        self.percepts = Percepts(self.cleaner, config.percept_limit)
        self._messages = DoorChannel(setting)  # how messages look, whatever channels there are
        self._attend = Attend(self.world, self.cleaner, dismiss)
        self._cleaned: dict[Message, Message] = {}
        self._energy: Energy | None = None
        self._woke = ''
        self._readings: dict[str, float] = {}  # of the newest tick
        self._coming: Relatedness | None = None  # by a model whose first vectors are awaited
        self.trouble = ''  # why no model places things, if one should

    # --- between ticks --------------------------------------------------------------------

    def hear(self, signal: Any, now: float) -> list[Happening]:
        """Let the channels hear a signal: a body's state, a list of tasks, the end of a turn."""
        if isinstance(signal, Energy):
            level = signal.level if math.isnan(signal.level) else within(signal.level, 0.0, 1.0)
            self._energy = dataclasses.replace(signal, level=level)
        elif isinstance(signal, Turn):
            if acted(signal):
                self.world.attention.acted()
            for key in signal.messages_seen:
                item = self.world.items.by_key(key)
                if item is not None:
                    item.new = False
        heard = [
            impression
            for channel in self.channels
            if type(signal) in channel.hears
            and (impression := channel.hear(signal, now)) is not None
        ]
        return self.world.perceive(heard, now) if heard else []

    def receive(self, message: Message, now: float, new: bool = True) -> None:
        """Let a message stand before her; that somebody came is heard by :meth:`hear`."""
        self.world.put(self._messages.sight(message, new), now)

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
        for item in self.world.items:
            if item.kind == 'message' and item.key not in waiting:
                item.resolve()  # its answer was written down later than the memory
        for message in messages:
            self.receive(message, now, message.id in foremost)
        self.put_before_her(foremost)

    def put_before_her(self, foremost: Collection[str]) -> None:
        """Let these messages be close whatever she looks at, and no others."""
        rows = self.world.items.rows
        for row in np.flatnonzero(rows['new']).tolist():
            rows['new'][row] = self.world.items[row].key in foremost
        for key in foremost:
            item = self.world.items.by_key(key)
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
                text=self.cleaner.clean(message.text).text,
                sender=self.cleaner.name(message.sender).text,
            )
        return cleaned

    def percept(self, percept: Percept, now: float) -> list[Happening]:
        """Perceive what somebody offers.

        Raises
        ------
        BadPercept
            If it cannot be taken.
        """
        impression = self.percepts.impression(percept, self.world.items)
        return self.world.perceive([impression], now)

    def impress(self, impression: Impression, now: float) -> list[Happening]:
        """Perceive what a program of your own senses; it is trusted and not cleaned."""
        return self.world.perceive([impression], now)

    def answered(self, key: str) -> None:
        """Something has been dealt with."""
        item = self.world.items.by_key(key)
        if item is not None:
            item.resolve()

    def attend(self, request: AttendRequest, now: float) -> str:
        """Do what she asks of her attention; the answer says why it cannot be done."""
        return self._attend.do(request, now)

    @property
    def said(self) -> str:
        """How what she was last granted differs from what she asked; empty: not at all."""
        return self._attend.said

    # --- a tick ---------------------------------------------------------------------------

    def tick(
        self, now: float, wake: Wake | None = None, senders: Sequence[str] = ()
    ) -> list[Happening]:
        """Live one full tick: sense, update, predict, attend, feel."""
        self.world.attention.dwelt()
        moment = self._moment(now)
        sensed = [channel.sense(moment) for channel in self.channels]
        self._readings = {k: v for sense in sensed for k, v in sense.features.items()}
        happened = self.world.live(sensed, now, self._frame().energy)
        names = [self.cleaner.name(sender).text for sender in senders]
        self._woke = woke(wake, names, self.words, self.cleaner) if wake is not None else ''
        return happened

    def _moment(self, now: float) -> Moment:
        world = self.world
        lived = world.tick > 0 and not math.isnan(world.lived_until)
        return Moment(
            now,
            max(0.0, now - world.lived_until) if lived else None,
            world.tick,
            world.attention.dwell,
            world.attention.words(world.items),
            world.waiting(),
        )

    def view(
        self,
        now: float,
        wake: WakeId = NO_WAKE,
        count: int = 0,
        messages: Sequence[Message] = (),
        causes: Sequence[str] = (),
        more: int = 0,
    ) -> View:
        """Show what she sees; changes nothing.

        Parameters
        ----------
        more
            How many messages wait beside `messages`.
        """
        frame = self._frame(more)
        return view(self.world, frame, now, wake, count, messages, causes, self._readings)

    def _frame(self, more: int = 0) -> Frame:
        energy, waiting = self._energy, self.world.waiting()
        if energy is None:
            return Frame(self._woke, waiting=waiting, more=more)
        left = max(0, energy.tokens_limit - energy.tokens_used) if energy.tokens_limit else -1
        return Frame(self._woke, energy.level, left, waiting, more)

    # --- relatedness ----------------------------------------------------------------------

    def model_ready(self, embedder: Embedder, order: Callable[[Sequence[str]], None]) -> None:
        """A model has been loaded: order vectors of all that is there, then change with them.

        Parameters
        ----------
        order
            Hands texts to where the model computes; the vectors come back by
            :meth:`vectors_arrived`.
        """
        self._coming = Relatedness(embedder, order)
        if not self._coming.wants([item.text for item in self.world.items if item.placed]):
            self._change()

    def vectors_arrived(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Take vectors that were ordered, and place things by them."""
        if self._coming is not None:
            self._coming.arrived(texts, vectors)
            self._change()
        else:
            self.world.relatedness.arrived(texts, vectors)
        self.world.place()

    def _change(self) -> None:
        if self._coming is not None:
            self.world.relate_by(self._coming)
            self._coming = None

    def model_trouble(self, reason: str, texts: Sequence[str] = ()) -> None:
        """A model cannot be had, or failed with some texts: they stay without vectors."""
        self.trouble = reason
        self._coming = None
        self.world.relatedness.failed(texts)

    # --- what survives --------------------------------------------------------------------

    def channel_memories(self) -> ChannelMemories:
        """Return what must survive of the channels; the rest is the world's."""
        return ChannelMemories(**{channel.name: channel.memory() for channel in self.channels})

    def _mend(self) -> None:
        """What an earlier life let in unlimited or raw is as it would be let in now."""
        limit = self._config.percept_limit + SPACE
        for item in self.world.items:
            if item.own or item.kind == 'message':  # those come anew from the door
                continue
            text, gist = self.cleaner.clean(item.text, limit), self.cleaner.clean(item.gist)
            if len(item.text) > limit or text.text != item.text or gist.text != item.gist:
                item.say(text.text, gist.text, clip(self.cleaner.clean(item.trace).text, SPACE))
                item.marked = item.marked or text.marked
        gaze = self.world.attention.gaze
        if len(gaze.topic) > OWN_LENGTH:
            topic = clip(self.cleaner.clean(gaze.topic, OWN_LENGTH).text, OWN_LENGTH)
            self.world.attention.gaze = dataclasses.replace(gaze, topic=topic)

    def memory(self) -> dict[str, Any]:
        """Return what must survive, as plain JSON values."""
        memory = PerceptionMemory(self.world.memory(), self.channel_memories())
        return Shape(PerceptionMemory).plain(memory)

    def restore(self, memory: Mapping[str, Any]) -> None:
        """Be what :meth:`memory` returned; this field has to be empty.

        Raises
        ------
        ShapeRefused
            If it is something else, naming where and what; a ValueError.
        """
        kept = Shape(PerceptionMemory).read(memory)
        self.go_on(kept.world, kept.channels)

    def go_on(self, world: WorldMemory, channels: ChannelMemories) -> None:
        """Go on from an earlier life; this field has to be empty.

        Raises
        ------
        ShapeRefused
            If a channel of another package cannot use what it is said to remember.
        """
        self.world.restore(world)
        self._mend()
        known = dict(channels)
        for channel in self.channels:
            if known.get(channel.name) is not None:
                try:
                    channel.restore(known[channel.name])
                except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                    raise ShapeRefused(f'channels.{channel.name}: {error!r}') from error
