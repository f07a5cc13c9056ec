"""The keys of providers in `<home>/keys.json`, each encrypted.

AES-256-GCM with a nonce of its own for each key, and the provider's id as associated data: a key
that somebody moves to another provider's entry cannot be read there, so it is never sent to the
wrong server.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from soul.keys.master_key import MasterKey
from soul.keys.sealing import KeyFileError, SealedKey, seal, unseal
from soul.store.atomic import AtomicFile, Unreadable

FILE = 'keys.json'
#: Encrypted with each master key, so that a wrong one is known before anything is written.
_CHECK = b'soul keys'
_CHECK_NAME = 'check of the master key'
_PROVIDER = re.compile(r'[A-Za-z0-9][A-Za-z0-9._-]{0,63}')
_NAME = re.compile(r'[A-Za-z0-9][A-Za-z0-9._@-]{0,63}')
#: Longest key that is taken, characters.
_LONGEST = 10_000


@dataclass(frozen=True)
class Key:
    """One key.

    Attributes
    ----------
    provider
        Whose key it is.
    name
        By which people know it; the only part of it that is ever shown.
    added
        When, s since 1970.
    secret
        The key itself; not shown. Empty: it was not decrypted.
    """

    provider: str
    name: str
    added: float
    secret: str = ''

    def __repr__(self) -> str:
        return f'Key(provider={self.provider!r}, name={self.name!r})'


class KeyFile(BaseModel):
    """The whole file; `check` is a known text, by which a wrong master key is recognised."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    schema_: Annotated[int, Field(alias='schema', ge=1, le=1)] = 1
    check: SealedKey
    keys: tuple[SealedKey, ...] = ()


class KeyStore:
    """Reads and changes them.

    Parameters
    ----------
    home
        Folder of the file; it need not be there.
    master
        What encrypts them; None: names can be listed, nothing can be read or added.
    """

    def __init__(
        self,
        home: Path,
        master: MasterKey | None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = home / FILE
        self._master = master
        self._clock = clock

    @property
    def path(self) -> Path:
        """Where the encrypted keys lie; the file need not be there."""
        return self._path

    def names(self) -> tuple[Key, ...]:
        """Return all keys without their secrets, in their order.

        Raises
        ------
        KeyFileError
            If the file cannot be read.
        """
        file = self._read()
        sealed = file.keys if file is not None else ()
        return tuple(Key(one.provider, one.name, one.added) for one in sealed)

    def opened(self) -> tuple[Key, ...]:
        """Return all keys with their secrets, in their order.

        Raises
        ------
        KeyFileError
            If the file cannot be read, or not with this master key.
        """
        file = self._read()
        if file is None:
            return ()
        cipher = self._cipher(file)
        return tuple(
            Key(one.provider, one.name, one.added, unseal(cipher, one).decode())
            for one in file.keys
        )

    def add(self, provider: str, name: str, secret: str) -> None:
        """Add a key; on the disk when this returns.

        Raises
        ------
        KeyFileError
            If the name is taken, something is not what it should be, or the file cannot be read.
        OSError
            If it cannot be written.
        """
        _check_names(provider, name)
        secret = _checked(secret)
        with self._one_writer():
            file, cipher = self._for_change()
            if any((one.provider, one.name) == (provider, name) for one in file.keys):
                raise KeyFileError(
                    f'{provider} has a key {name!r} already: soul keys rotate {provider} {name}'
                )
            new = seal(cipher, provider, name, secret.encode(), self._clock())
            self._write(file.model_copy(update={'keys': (*file.keys, new)}))

    def rotate(self, provider: str, name: str, secret: str) -> None:
        """Put another secret in the place of a key's.

        Raises
        ------
        KeyFileError
            If there is no such key.
        OSError
            If it cannot be written.
        """
        secret = _checked(secret)
        with self._one_writer():
            file, cipher = self._for_change()
            place = _place(file, provider, name)
            new = seal(cipher, provider, name, secret.encode(), self._clock())
            keys = (*file.keys[:place], new, *file.keys[place + 1 :])
            self._write(file.model_copy(update={'keys': keys}))

    def remove(self, provider: str, name: str) -> None:
        """Forget a key; needs no master key.

        Raises
        ------
        KeyFileError
            If there is no such key.
        OSError
            If it cannot be written.
        """
        with self._one_writer():
            file = self._read()
            if file is None:
                raise KeyFileError(f'{provider} has no key {name!r}')
            place = _place(file, provider, name)
            keys = (*file.keys[:place], *file.keys[place + 1 :])
            self._write(file.model_copy(update={'keys': keys}))
            # what is gone must not lie in the generations before
            self._write(file.model_copy(update={'keys': keys}))
            self._write(file.model_copy(update={'keys': keys}))

    # --- the file -------------------------------------------------------------------------

    def _read(self) -> KeyFile | None:
        try:
            data = AtomicFile(self._path).read()
        except Unreadable as error:
            raise KeyFileError(str(error)) from error
        except OSError as error:
            raise KeyFileError(f'{self._path} cannot be read: {error.strerror}') from error
        if data is None:
            return None
        try:
            return KeyFile.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = '.'.join(map(str, first['loc']))
            raise KeyFileError(f'{self._path}: {where}: {first["msg"]}') from None

    def _write(self, file: KeyFile) -> None:
        AtomicFile(self._path).write(file.model_dump(by_alias=True, mode='json'))

    @contextmanager
    def _one_writer(self) -> Iterator[None]:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(f'{self._path}.lock', os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _for_change(self) -> tuple[KeyFile, AESGCM]:
        file = self._read()
        if file is not None:
            return file, self._cipher(file)
        cipher = AESGCM(self._need_master().secret)
        return KeyFile(check=seal(cipher, _CHECK_NAME, '', _CHECK, self._clock())), cipher

    def _need_master(self) -> MasterKey:
        if self._master is None:
            raise KeyFileError(
                f'there is no master key for {self._path}: it lies outside backups (master.key in '
                'her home, $SOUL_MASTER_KEY or a systemd credential); bring it back, or remove '
                'the keys and add them anew'
            )
        return self._master

    def _cipher(self, file: KeyFile) -> AESGCM:
        master = self._need_master()
        cipher = AESGCM(master.secret)
        try:
            unseal(cipher, file.check)
        except KeyFileError:
            raise KeyFileError(
                f'{self._path} was encrypted with another master key than that of '
                f'{master.origin}; nothing is lost: bring the right one back, or remove the keys '
                'and add them anew'
            ) from None
        return cipher


def _place(file: KeyFile, provider: str, name: str) -> int:
    for place, one in enumerate(file.keys):
        if (one.provider, one.name) == (provider, name):
            return place
    known = ', '.join(one.name for one in file.keys if one.provider == provider)
    raise KeyFileError(f'{provider} has no key {name!r}; it has {known or "none"}')


def _check_names(provider: str, name: str) -> None:
    for pattern, text, what in ((_PROVIDER, provider, 'provider'), (_NAME, name, 'name')):
        if not pattern.fullmatch(text):
            raise KeyFileError(
                f'{what} {text!r}: letters, digits, dot, dash and underscore, at most 64'
            )


def _checked(secret: str) -> str:
    secret = secret.strip()
    if not secret:
        raise KeyFileError('the key is empty')
    if len(secret) > _LONGEST or not secret.isprintable() or not secret.isascii():
        raise KeyFileError('that is no key: it has characters that no header can carry')
    return secret
