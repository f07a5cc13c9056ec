"""Who is one of her people: whoever proves it, unless the persona says that they are not."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from soul.core.persona import Person
from soul.signals import PostRequest
from soul.store.door_key import DoorKey


class Trust:
    """Judges messages.

    Parameters
    ----------
    key
        The key of her door; None: there is none, and nobody is trusted.
    people
        Whom she knows. A name is not enough, anybody can say it: who is trusted proves to have
        the key; who is listed as not trusted is not, even with the key.
    """

    def __init__(self, key: DoorKey | None, people: Iterable[Person] = ()) -> None:
        self._key = key
        self._strangers = {_plain(person.name) for person in people if not person.trusted}

    def __call__(self, request: PostRequest) -> bool:
        """Whether a message comes from one of her people."""
        if self._key is None or not self._key.proves(request.message, request.proof):
            return False
        return _plain(request.message.sender) not in self._strangers


def _plain(name: str) -> str:
    return ' '.join(unicodedata.normalize('NFKC', name).casefold().split())
