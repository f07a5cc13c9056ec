"""Makes the model's stream into thoughts of a readable size."""

from __future__ import annotations

from collections.abc import Callable

from soul.mind.providers.cleaning import clean_text
from soul.signals import Thought

#: A piece is sent when it has grown to this many characters or ends a line.
PIECE = 80


class Thoughts:
    """Collects pieces of one kind until they are worth a message."""

    def __init__(self, emit: Callable[[Thought], None], session: str) -> None:
        self._emit = emit
        self._session = session
        self._kind = ''
        self._piece = ''

    def heard(self, kind: str, text: str) -> None:
        """Take what has arrived."""
        if kind != self._kind:
            self.flush()
            self._kind = kind
        self._piece += text
        if len(self._piece) >= PIECE or self._piece.endswith('\n'):
            self.flush()

    def flush(self) -> None:
        """Send what is left."""
        if self._piece:
            text = clean_text(self._piece)  # half a character can be sent nowhere
            self._emit(Thought(session=self._session, kind=self._kind, text=text))
        self._piece = ''
