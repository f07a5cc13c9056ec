"""The key that encrypts all others, and where it comes from.

Whoever has a copy of a home, a backup say, has none of the keys in it without this one: it is
never in a backup, and may lie outside the home altogether.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from soul.store.private_file import PrivateFileUnusable, make_private, read_private

#: AES-256 has keys of so many bytes.
BYTES = 32
#: Name of the systemd credential (LoadCredential=, SetCredentialEncrypted=).
CREDENTIAL = 'soul-master-key'
VARIABLE = 'SOUL_MASTER_KEY'
FILE = 'master.key'
#: No file of a key is longer, bytes.
_MOST = 1000


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
            if create and not os.path.lexists(path):
                make_private(path, base64.b64encode(secrets.token_bytes(BYTES)) + b'\n')
            return cls(_decoded(read_private(path, _MOST), str(path)), str(path))
        except FileNotFoundError:
            return None
        except PrivateFileUnusable as error:
            raise MasterKeyError(str(error)) from None


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
