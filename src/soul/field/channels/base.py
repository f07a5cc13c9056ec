"""What a channel is, and how the configured ones are found."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from soul.field.clean import Cleaner
from soul.field.readings import ChannelReading, Moment
from soul.field.words import FieldWords

if TYPE_CHECKING:
    from soul.field.config import FieldConfig


@dataclass(frozen=True, slots=True)
class Setting:
    """What a channel may use."""

    config: FieldConfig
    words: FieldWords
    cleaner: Cleaner


class Channel:
    """Base of all channels. It measures; nothing here is written by a model.

    A signal whose type is in `hears` reaches :meth:`hear` as it comes; what that returns enters
    the field at once. At every tick :meth:`sense` says what there is to sense at that moment.
    """

    name: ClassVar[str]
    #: Types of signals it wants, of those the field hears.
    hears: ClassVar[tuple[type, ...]] = ()

    def hear(self, signal: Any, now: float) -> ChannelReading | None:
        """Take a signal of a topic that the field hears."""
        return None

    def sense(self, moment: Moment) -> ChannelReading:
        """Sense this moment; once a tick."""
        return ChannelReading(self.name)

    def memory(self) -> Any:
        """Return what must survive, as plain JSON values.

        The channels of this package return what :class:`~soul.field.memory.ChannelMemories`
        says under their name. It is a copy: nothing in it changes later.
        """
        return {}

    def restore(self, memory: Any) -> None:
        """Go on from what :meth:`memory` returned in an earlier life."""


class UnknownChannel(ValueError):
    """A channel that cannot be had."""


def load(names: Iterable[str], setting: Setting) -> list[Channel]:
    """Make the channels of these names.

    Parameters
    ----------
    names
        Modules of this package, or modules elsewhere by their full name (with a dot).

    Raises
    ------
    UnknownChannel
        Naming the one that cannot be had, and why.
    """
    made = []
    for name in names:
        module = name if '.' in name else f'soul.field.channels.{name}'
        try:
            made.append(importlib.import_module(module).make(setting))
        except (ImportError, AttributeError) as error:
            raise UnknownChannel(f'channel {name!r} cannot be had: {error}') from None
    return made
