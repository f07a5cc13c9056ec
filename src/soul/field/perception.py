"""The whole of her seeing, without ROS and without a wake: for the organ and for other programs.

It puts together the field, the channels that fill it, what keeps the outside from forging it, and
the words she sees it in. Time comes in as an argument; nothing here reads a clock, a file or a
socket once it is built.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from soul.core.state_file import Shape, ShapeRefused
from soul.field import channels, features, words
from soul.field.attend import Attend
from soul.field.attention_log import Deed
from soul.field.channels.body import acted
from soul.field.channels.door import DoorChannel
from soul.field.config import FieldConfig
from soul.field.embed import Embedder, Relatedness
from soul.field.embed.hashed import HashedEmbedder
from soul.field.embed.port import Vectors
from soul.field.embedder_change import EmbedderChange
from soul.field.field_model import FieldModel
from soul.field.memory import ChannelMemories, PerceptionMemory, WorldMemory
from soul.field.mending import SPACE, mend
from soul.field.message_items import MessageItems
from soul.field.percepts import Percepts
from soul.field.readings import ChannelReading, Moment, Occurrence, within
from soul.field.render import ViewFrame
from soul.field.view_message import view_message
from soul.field.wake_text import wake_text
from soul.signals import AttendRequest, Energy, Message, Percept, Turn, View, Wake, WakeId

NO_WAKE = WakeId()


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
        self.world = FieldModel(
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
        #: Messages that wait, as things in her field, whatever channels there are.
        self.messages = MessageItems(self.world, DoorChannel(setting), self.cleaner)
        self._attend = Attend(self.world, self.cleaner, dismiss)
        self._energy: Energy | None = None
        self._woke = ''
        self._readings: dict[str, float] = {}  # of the newest tick
        self._embedder_change = EmbedderChange(self.world.items, self.world.placement)
        self.trouble = ''  # why no model places things, if one should

    # --- between ticks --------------------------------------------------------------------

    def hear(self, signal: Any, now: float) -> list[Occurrence]:
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
            reading
            for channel in self.channels
            if type(signal) in channel.hears and (reading := channel.hear(signal, now)) is not None
        ]
        return self.world.perceive(heard, now) if heard else []

    def receive(self, message: Message, now: float, new: bool = True) -> None:
        """Let a message stand before her; that somebody came is heard by :meth:`hear`."""
        self.messages.receive(message, now, new)

    def percept(self, percept: Percept, now: float) -> list[Occurrence]:
        """Perceive what somebody offers.

        Raises
        ------
        BadPercept
            If it cannot be taken.
        """
        reading = self.percepts.reading(percept, self.world.items)
        return self.world.perceive([reading], now)

    def impress(self, reading: ChannelReading, now: float) -> list[Occurrence]:
        """Perceive what a program of your own senses; it is trusted and not cleaned."""
        return self.world.perceive([reading], now)

    def answered(self, key: str) -> None:
        """Something has been dealt with."""
        item = self.world.items.by_key(key)
        if item is not None:
            item.resolve()

    def attend(self, request: AttendRequest, now: float) -> str:
        """Do what she asks of her attention; the answer says why it cannot be done."""
        return self._attend.do(request, now)

    def deed(self, request: AttendRequest, now: float) -> Deed:
        """Return what :meth:`attend` has just done."""
        return self._attend.deed(request, now)

    def attend_again(self, deed: Deed) -> None:
        """Do what was acknowledged in an earlier life and is not in its memory."""
        self._attend.again(deed)

    @property
    def said(self) -> str:
        """How what she was last granted differs from what she asked; empty: not at all."""
        return self._attend.said

    # --- a tick ---------------------------------------------------------------------------

    def tick(
        self, now: float, wake: Wake | None = None, senders: Sequence[str] = ()
    ) -> list[Occurrence]:
        """Live one full tick: sense, update, predict, attend, feel."""
        self.world.attention.dwelt()
        moment = self._moment(now)
        sensed = [channel.sense(moment) for channel in self.channels]
        self._readings = {k: v for sense in sensed for k, v in sense.features.items()}
        happened = self.world.live(sensed, now, self._frame().energy)
        self._woke = ''
        if wake is not None:
            self.woken(wake, senders)
        return happened

    def woken(self, wake: Wake, senders: Sequence[str]) -> None:
        """Let her see what woke her: these people, and whatever else the wake says by now."""
        names = [self.cleaner.name(sender).text for sender in senders]
        self._woke = wake_text(wake, names, self.words, self.cleaner)

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
        return view_message(self.world, frame, now, wake, count, messages, causes, self._readings)

    def _frame(self, more: int = 0) -> ViewFrame:
        energy, waiting = self._energy, self.world.waiting()
        if energy is None:
            return ViewFrame(self._woke, waiting=waiting, more=more)
        left = max(0, energy.tokens_limit - energy.tokens_used) if energy.tokens_limit else -1
        return ViewFrame(self._woke, energy.level, left, waiting, more)

    # --- relatedness ----------------------------------------------------------------------

    def model_ready(self, embedder: Embedder, order: Callable[[Sequence[str]], None]) -> None:
        """A model has been loaded: order vectors of all that is there, then change with them.

        Parameters
        ----------
        order
            Hands texts to where the model computes; the vectors come back by
            :meth:`vectors_arrived`.
        """
        self._embedder_change.begin(embedder, order)

    def vectors_arrived(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Take vectors that were ordered, and place things by them."""
        self._embedder_change.arrived(texts, vectors)

    def model_trouble(self, reason: str, texts: Sequence[str] = ()) -> None:
        """A model cannot be had, or failed with some texts: they stay without vectors."""
        self.trouble = reason
        self._embedder_change.give_up(texts)

    # --- what survives --------------------------------------------------------------------

    def channel_memories(self) -> ChannelMemories:
        """Return what must survive of the channels; the rest is the world's."""
        return ChannelMemories(**{channel.name: channel.memory() for channel in self.channels})

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
        mend(self.world, self.cleaner, self._config.percept_limit + SPACE)
        known = dict(channels)
        for channel in self.channels:
            if known.get(channel.name) is not None:
                try:
                    channel.restore(known[channel.name])
                except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                    raise ShapeRefused(f'channels.{channel.name}: {error!r}') from error
