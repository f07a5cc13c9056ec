"""The keys as who asks a model has them: of the store and of the environment, by provider."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from soul.keys.key_store import FILE, Key, KeyStore
from soul.keys.master_key import MasterKey, MasterKeyError
from soul.keys.sealing import KeyFileError

#: What stands where a key was.
REDACTED = '(key)'


class KeyRing:
    """Knows the keys of each provider; what is added, rotated or removed is noticed.

    Parameters
    ----------
    home
        Whose keys.
    environment
        Variables that may hold keys, too.
    tell
        Hears what is wrong with the keys, once for each trouble.
    """

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str] = os.environ,
        tell: Callable[[str], None] = lambda trouble: None,
    ) -> None:
        self._home = home
        self._environment = environment
        self._tell = tell
        self._seen: tuple[int, int, int] | None = None  # of the file that was read last
        self._keys: tuple[Key, ...] = ()
        self._ever: set[str] = set()  # all secrets that were ever read
        #: Why the keys of the store cannot be used; empty: they can.
        self.trouble = ''

    def of(self, provider: str, variable: str = '') -> tuple[Key, ...]:
        """Return the keys of a provider, in their order.

        Parameters
        ----------
        variable
            Name of an environment variable that holds one, too; it comes last and is called
            `$variable`.
        """
        self._refresh()
        found = [key for key in self._keys if key.provider == provider]
        if variable and (secret := self._environment.get(variable, '').strip()):
            self._ever.add(secret)
            found.append(Key(provider, f'${variable}', 0.0, secret))
        return tuple(found)

    def redact(self, text: str) -> str:
        """Return a text without any key that was ever read."""
        for secret in self._ever:
            text = text.replace(secret, REDACTED)
        return text

    def _refresh(self) -> None:
        try:
            status = os.stat(self._home / FILE)
            now = (status.st_mtime_ns, status.st_ino, status.st_size)
        except FileNotFoundError:
            now = None
        if now == self._seen:
            return
        try:
            master = MasterKey.find(self._home, self._environment)
            self._keys = KeyStore(self._home, master).opened()
            self.trouble = ''
        except (KeyFileError, MasterKeyError, OSError) as error:
            self._keys = ()
            if str(error) != self.trouble:
                self.trouble = str(error)
                self._tell(self.trouble)
        self._seen = now
        self._ever.update(key.secret for key in self._keys)
