"""What the model reads: who she is first, then her life so far, then this moment.

The first part never changes between wakings, and what follows it only grows, so that a
provider's cache can serve it.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Sequence

from soul.mind.messages import ShownPicture, SystemMessage, ToolResult
from soul.mind.moment import said_at_door
from soul.mind.words import Words
from soul.signals import Message, View

#: Says who she is for what she sees now; see :meth:`Prompt.system`.
Identity = Callable[[View], str]


class Prompt:
    """Words around her field, in one language.

    Parameters
    ----------
    personality
        Who she is, in a few sentences; stands behind the core.
    identity
        Instead of the personality: called with what she sees, for each call of the model. A
        text that changes from view to view costs the provider's cache.
    compact
        For models that can read only a few thousand tokens.
    """

    def __init__(
        self,
        words: Words,
        personality: str,
        identity: Identity | None = None,
        compact: bool = False,
    ) -> None:
        self._words = words
        self._personality = personality.strip()
        self._identity = identity
        self._compact = compact
        self._core = words.say('core_compact' if compact else 'core').strip()

    def system(self, view: View) -> SystemMessage:
        """Return the part that never changes."""
        who = self._identity(view).strip() if self._identity else self._personality
        return SystemMessage(f'{self._core}\n\n{who}'.strip())

    def line(self, view: View) -> str:
        """Return the one line that stays of a moment."""
        people = ', '.join(dict.fromkeys(message.sender for message in view.messages))
        line = self._words.say(
            'line',
            tick=view.tick,
            causes=self._words.causes(view.causes) or '-',
            door=self._words.say('line_door', people=people) if people else '',
        )
        # A small model does not put together an answer here and what it answers there.
        said = said_at_door(view.messages, self._words) if self._compact else ()
        return '\n'.join((line, *said))

    def interjection(self, view: View, new: Sequence[Message]) -> tuple[str, str]:
        """Return what she sees when somebody speaks in mid-turn, and the line that stays."""
        people = ', '.join(dict.fromkeys(message.sender for message in new))
        return (
            self._words.say('interjection', view=view.text),
            self._words.say('line_interjection', people=people),
        )

    def still_awake(self, waiting: Sequence[Message]) -> str:
        """Return what a model is told that has written something but neither acted nor slept."""
        people = ', '.join(dict.fromkeys(message.sender for message in waiting))
        if people:
            return self._words.say('still_awake_door', people=people)
        return self._words.say('still_awake')

    def too_long(self, characters: int) -> str:
        """Say that something was cut."""
        return self._words.say('too_long', characters=characters)

    def left_out(self, calls: int) -> str:
        """Say that further calls of an answer were not made."""
        return self._words.say('left_out_calls', calls=calls)

    def shown(
        self, result: ToolResult, pictures: Sequence[tuple[str, bytes]]
    ) -> tuple[ToolResult, str]:
        """Return a result with the pictures that came with it, and the line that stays of it.

        Without any it stays whole: the line is empty.
        """
        if not pictures:
            return result, ''
        seen = tuple(
            ShownPicture(kind.lower().replace('jpg', 'jpeg'), base64.b64encode(data).decode())
            for kind, data in pictures
        )
        with_them = dataclasses.replace(result, pictures=seen, caption=self._words.say('picture'))
        return with_them, f'{result.text} {self._words.say("line_picture")}'
