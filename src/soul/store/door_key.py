"""The key of her door: who can read it is one of her people, and can prove it.

It lies in her home, readable by its owner only, and never travels. What travels is a proof: the
HMAC-SHA256 of a message with that key. A message without an id of its own cannot be proven, since
whoever overheard it could say it again.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets

from soul.signals import Message
from soul.store.home import Home
from soul.store.private_file import PrivateFileUnusable, make_private, read_private

#: Length of the key, bytes.
SIZE = 32
#: What is proven; another form of proof would have another name.
_FORM = 'soul door 1'


class KeyUnusable(Exception):
    """A key that cannot be used, and why."""


class DoorKey:
    """The key of one home.

    Parameters
    ----------
    key
        Its bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    @classmethod
    def read(cls, home: Home) -> DoorKey:
        """Read the key of a home.

        Raises
        ------
        KeyUnusable
            If there is none, it is somebody else's, or others could read it.
        """
        path = home.door_key
        try:
            text = read_private(path, 4 * SIZE)
        except PrivateFileUnusable as error:
            raise KeyUnusable(str(error)) from None
        except OSError as error:
            raise KeyUnusable(f'{path}: {error.strerror}') from None
        with contextlib.suppress(ValueError):
            key = bytes.fromhex(text.decode('ascii').strip())
            if len(key) == SIZE:
                return cls(key)
        raise KeyUnusable(f'{path} is no key; remove it, and a new one is made at the next start')

    @classmethod
    def make(cls, home: Home) -> DoorKey:
        """Read the key of a home; make it if there is none.

        Raises
        ------
        KeyUnusable
            As :meth:`read`, or if it cannot be written.
        """
        path = home.door_key
        try:
            if not os.path.lexists(path):
                make_private(path, f'{secrets.token_hex(SIZE)}\n'.encode('ascii'))
        except OSError as error:
            raise KeyUnusable(f'{path}: {error.strerror}') from None
        return cls.read(home)

    def proof(self, message: Message) -> str:
        """Return what proves that the sender has the key: 64 hexadecimal digits."""
        said = [_FORM, message.sender, message.id, message.session, message.text]
        plain = json.dumps(said, ensure_ascii=True).encode('ascii')
        return hmac.new(self._key, plain, hashlib.sha256).hexdigest()

    def proves(self, message: Message, proof: str) -> bool:
        """Whether a proof is that of a message."""
        given = proof.encode('utf-8', 'replace')
        return bool(message.id) and hmac.compare_digest(self.proof(message).encode(), given)
