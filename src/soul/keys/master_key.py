"""The key that encrypts all others, and where it comes from.

Whoever has a copy of a home, a backup say, has none of the keys in it without this one: it is
never in a backup, and may lie outside the home altogether.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from soul.store.durable import make_folder, sync_directory

#: AES-256 has keys of so many bytes.
BYTES = 32
#: Name of the systemd credential (LoadCredential=, SetCredentialEncrypted=).
CREDENTIAL = 'soul-master-key'
VARIABLE = 'SOUL_MASTER_KEY'
FILE = 'master.key'


class MasterKeyError(Exception):
    """There is no master key that can be used; says where it was looked for and what to do."""


@dataclass(frozen=True)
class MasterKey:
    """Such a key.

    Attributes
    ----------
    secret
        32 bytes; not shown.
    origin
        Where it was found, in words.
    """

    secret: bytes
    origin: str

    def __repr__(self) -> str:
        return f'MasterKey(origin={self.origin!r})'

    @classmethod
    def find(
        cls, home: Path, environment: Mapping[str, str], create: bool = False
    ) -> MasterKey | None:
        """Find it: a systemd credential, an environment variable, or a file in the home.

        Parameters
        ----------
        create
            Whether a file is made where there is none of all three.

        Returns
        -------
        MasterKey or None
            None: there is none, and none was to be made.

        Raises
        ------
        MasterKeyError
            If what is there is no key, or others may read its file.
        OSError
            If its file cannot be read or made.
        """
        folder = environment.get('CREDENTIALS_DIRECTORY', '')
        credential = Path(folder) / CREDENTIAL if folder else None
        if credential is not None and credential.is_file():
            origin = f'the systemd credential {CREDENTIAL}'
            return cls(_decoded(credential.read_bytes(), origin), origin)
        if given := environment.get(VARIABLE, ''):
            return cls(_decoded(given.encode(), f'${VARIABLE}'), f'${VARIABLE}')
        path = home / FILE
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            if not create:
                return None
            _make(path)
            mode = path.stat().st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise MasterKeyError(f'others may read {path}: chmod 600 {path}')
        return cls(_decoded(path.read_bytes(), str(path)), str(path))


def _make(path: Path) -> None:
    """Make a new key; of two who do so at once the second takes that of the first."""
    make_folder(path.parent)
    new = path.with_name(f'{path.name}.{secrets.token_hex(4)}')
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, base64.b64encode(secrets.token_bytes(BYTES)) + b'\n')
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(new, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(new)
    sync_directory(path.parent)


def _decoded(given: bytes, origin: str) -> bytes:
    """Read a key: 32 bytes as they are, in base64 or in hexadecimal digits."""
    if len(given) == BYTES:
        return given
    text = given.strip()
    for decode in (bytes.fromhex, base64.b64decode):
        try:
            secret = decode(text.decode('ascii'))
        except (ValueError, UnicodeDecodeError, binascii.Error):
            continue
        if len(secret) == BYTES:
            return secret
    raise MasterKeyError(
        f'what stands in {origin} is no master key: {BYTES} bytes, in base64 or hexadecimal '
        f'digits (a new one: head -c {BYTES} /dev/urandom | base64)'
    )
