"""The devices that may dial, each with a token of its own, and the address they find us at."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from soul.store.atomic import AtomicFile

_DEVICE = re.compile(r'[0-9A-Za-z:._-]{1,64}')


def device_id(told: str) -> str:
    """Return a device's name in the one way it is written here; empty: it is none."""
    name = told.strip().lower()
    return name if _DEVICE.fullmatch(name) else ''


class Register:
    """Remembers them in a file that only her user can read.

    All methods may be called on any thread.

    Parameters
    ----------
    path
        The file; it need not be there.

    Raises
    ------
    soul.store.atomic.Unreadable
        If it is there and cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._file = AtomicFile(path)
        self._mutex = threading.Lock()
        found = self._file.read() or {}
        devices = found.get('devices')
        self._tokens: dict[str, str] = {
            str(name): str(token)
            for name, token in (devices if isinstance(devices, dict) else {}).items()
        }
        self._address = str(found.get('address', ''))

    @property
    def address(self) -> str:
        """Where paired devices reach us beside the address that is listened at anyway."""
        return self._address

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of the devices that may dial."""
        with self._mutex:
            return tuple(self._tokens)

    def token_of(self, device: str) -> str:
        """Return the token of a device; empty: it is not paired."""
        with self._mutex:
            return self._tokens.get(device, '')

    def add(self, device: str, token: str, address: str) -> None:
        """Remember a device; when this returns it is on the disk.

        Parameters
        ----------
        address
            Where it found us; empty: where everybody does.

        Raises
        ------
        OSError
            If that cannot be written; then nothing has changed.
        """
        with self._mutex:
            self._write(self._tokens | {device: token}, address or self._address)

    def forget(self, device: str) -> bool:
        """Forget a device; returns whether it was known.

        Raises
        ------
        OSError
            If that cannot be written; then nothing has changed.
        """
        with self._mutex:
            if device not in self._tokens:
                return False
            left = {name: token for name, token in self._tokens.items() if name != device}
            self._write(left, self._address if left else '')
            return True

    def _write(self, tokens: Mapping[str, str], address: str) -> None:
        data: dict[str, Any] = {'devices': dict(tokens), 'address': address}
        self._file.write(data)
        self._tokens, self._address = dict(tokens), address
