"""Encrypts one key: AES-256-GCM (NIST SP 800-38D) with its provider as associated data."""

from __future__ import annotations

import base64
import binascii
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import BaseModel, ConfigDict

_NONCE_BYTES = 12


class KeyFileError(Exception):
    """The keys cannot be read or changed; says why, and that nothing is lost."""


class SealedKey(BaseModel):
    """A key as it lies on the disk; `secret` and `nonce` in base64, `added` in s since 1970."""

    model_config = ConfigDict(extra='forbid', frozen=True)

    provider: str
    name: str
    added: float
    nonce: str
    secret: str


def seal(cipher: AESGCM, provider: str, name: str, secret: bytes, added: float) -> SealedKey:
    """Encrypt a key for its provider."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = cipher.encrypt(nonce, secret, provider.encode())
    return SealedKey(
        provider=provider,
        name=name,
        added=added,
        nonce=base64.b64encode(nonce).decode(),
        secret=base64.b64encode(sealed).decode(),
    )


def unseal(cipher: AESGCM, sealed: SealedKey) -> bytes:
    """Decrypt a key.

    Raises
    ------
    KeyFileError
        If it was changed, belongs to another provider, or was encrypted otherwise.
    """
    try:
        nonce = base64.b64decode(sealed.nonce, validate=True)
        secret = base64.b64decode(sealed.secret, validate=True)
        return cipher.decrypt(nonce, secret, sealed.provider.encode())
    except (InvalidTag, ValueError, binascii.Error):
        raise KeyFileError(
            f'the key {sealed.name!r} of {sealed.provider} cannot be decrypted: it was changed, '
            'or moved here from another provider'
        ) from None
