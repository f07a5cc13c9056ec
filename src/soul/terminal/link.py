"""What a command of a terminal needs of her, whatever carries it."""

from __future__ import annotations

import contextlib
import dataclasses
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from soul.signals import Message, PostAnswer, PostRequest
from soul.store.door_key import DoorKey, KeyUnusable
from soul.store.home import Home
from soul.text.printable import clean_text

S = TypeVar('S')

#: Longest wait for a service of hers, s; discovery on one host takes well under a second.
CALL_SECONDS = 5.0


class NobodyThere(Exception):
    """She does not run here, or not under this namespace."""


class LinkLost(NobodyThere):
    """She was there and has gone while a command waited for her."""


def nobody(namespace: str) -> NobodyThere:
    """Say that nobody lives in a namespace, and what to do."""
    return NobodyThere(
        f'nobody lives at {namespace}: start her with `soul up` (or `make up`), or '
        'say where she is with --namespace or --home'
    )


class Link(ABC):
    """A terminal's connection: hears her topics, calls her services.

    What is heard is given to the functions on a thread of the link's own, from :meth:`start` on.
    """

    #: Where she lives, for example /soul.
    namespace: str
    #: How long it is worth to look for her, s.
    look_seconds = CALL_SECONDS
    #: Why nothing comes any more; empty: all is well.
    lost: str = ''

    def __init__(self) -> None:
        #: Called once on the link's thread when it is lost; whoever waits looks at `lost` then.
        self.on_lost: Callable[[], None] = lambda: None

    @abstractmethod
    def listen(self, topic: str, kind: type[S], hear: Callable[[S], None]) -> None:
        """Hear a topic; of a state first how it is now."""

    @abstractmethod
    def listen_health(self, hear: Callable[[str, str, str], None]) -> None:
        """Hear how her organs are: `hear(organ, level, message)`, level is ok, warn or error."""

    @abstractmethod
    def start(self) -> Link:
        """Begin to hear; returns itself."""

    @abstractmethod
    def call(self, name: str, request: Any, seconds: float = CALL_SECONDS) -> Any:
        """Call a service of hers and return its answer.

        Raises
        ------
        NobodyThere
            If nobody answers within `seconds`.
        """

    @abstractmethod
    def is_said(self, topic: str, by: str) -> bool:
        """Tell whether somebody publishes `topic`, or a node of hers named `by` runs at all."""

    @abstractmethod
    def topics(self, everything: bool) -> list[tuple[str, str, str]]:
        """Return the topics that somebody publishes: full name, manner, type of message.

        Parameters
        ----------
        everything
            Also what is not hers.

        Raises
        ------
        NobodyThere
            If there is none.
        """

    @abstractmethod
    def echo(self, topic: str, field: str, seconds: float) -> Iterator[Any]:
        """Hear the messages of any topic, or a field of each, as plain values, for ever.

        Parameters
        ----------
        topic
            A name without a slash at its beginning is hers.
        field
            Path of the field, names joined by dots; empty: the whole message.
        seconds
            How long to look for somebody who publishes it.

        Raises
        ------
        NobodyThere
            If nobody publishes it in time.
        StartRefused
            If there is no such field, or the type of message is not known where it is read.
        """

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def post(
        self, message: Message, seconds: float = CALL_SECONDS, home: Home | None = None
    ) -> PostAnswer:
        """Put a message at her door.

        Parameters
        ----------
        home
            Her home; who can read the key there is one of her people. None: nothing is proven.

        Raises
        ------
        NobodyThere
            If nobody takes it in time.
        """
        text = clean_text(message.text)  # as it travels
        message = dataclasses.replace(message, id=message.id or uuid.uuid4().hex, text=text)
        proof = ''
        if home is not None:
            with contextlib.suppress(KeyUnusable):
                proof = DoorKey.read(home).proof(message)
        answer = self.call('door/post', PostRequest(message, proof), seconds)
        assert isinstance(answer, PostAnswer)
        return answer
