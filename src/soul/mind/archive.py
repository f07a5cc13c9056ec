"""Where her conversations lie: `sessions/` under the home."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from soul.mind.session import Session
from soul.store import AtomicFile, Journal
from soul.store.durable import make_folder
from soul.store.journal import MEBIBYTE

#: Her own stream of consciousness, and the ledger of all turns.
LIFE = 'life'
#: The start reads so much of her own stream; more only if what became an account ends before it.
NEWEST_BYTES, LIFE_BYTES = MEBIBYTE, 4 * MEBIBYTE
#: It reads at most so much of any other conversation.
SESSION_BYTES = MEBIBYTE // 4


class Archive:
    """Opens sessions.

    Parameters
    ----------
    folder
        `sessions/` of the home; None: nothing is kept.
    report
        Hears what is wrong with a session that is opened while she lives, in words.
    """

    def __init__(
        self, folder: Path | None, report: Callable[[str], None] = lambda text: None
    ) -> None:
        self._folder = folder
        self._report = report
        self._journals: list[Journal] = []
        self.life: Journal | None = None
        self.past: list[dict[str, Any]] = []  # newest part of her life
        self._anomalies: list[str] = []
        self._accounts: dict[str, tuple[AtomicFile, dict[str, Any] | None]] = {}
        if folder is not None:
            make_folder(folder)
            self.life = self._journal(LIFE)
            self.past = self._newest(self.life)

    def _newest(self, life: Journal) -> list[dict[str, Any]]:
        """Read of her own stream what is carried along, and what the ledger needs."""
        told = (self._account(LIFE)[1] or {}).get('upto', 0)
        past = list(life.entries(NEWEST_BYTES))
        first = next((e.get('sequence') for e in past if e.get('kind') == 'begun'), 0)
        if isinstance(first, int) and isinstance(told, int) and first <= told + 1:
            return past
        life.anomalies.clear()  # they are found again
        return list(life.entries(LIFE_BYTES))

    def _account(self, stem: str) -> tuple[AtomicFile, dict[str, Any] | None]:
        """Return the file of a session's accounts, and what is in it; it is read once."""
        if stem not in self._accounts:
            assert self._folder is not None
            file = AtomicFile(self._folder / f'{stem}.json')
            self._accounts[stem] = file, file.read()
        return self._accounts[stem]

    def _journal(self, stem: str, **options: int) -> Journal:
        assert self._folder is not None
        journal = Journal(self._folder / f'{stem}.jsonl', **options)
        self._journals.append(journal)
        return journal

    def open(self, name: str) -> Session:
        """Open the session of a name and read what is carried along of it."""
        if self._folder is None:
            return Session(name=name)
        if name:
            stem = file_stem(name)
            journal = self._journal(stem, rotate_bytes=MEBIBYTE, keep=2)
            past = list(journal.entries(SESSION_BYTES))
        else:
            assert self.life is not None
            stem, journal, past = LIFE, self.life, self.past
        accounts, kept = self._account(stem)
        del self._accounts[stem]
        session = Session(journal, name, accounts.write)
        session.load(past, kept)
        wrong = [*accounts.anomalies, *session.anomalies]
        self._anomalies += wrong
        if name:  # her own stream is read at the start, which tells of it
            for text in wrong:
                self._report(text)
        return session

    def forget(self) -> None:
        """Let go of what was read of her life at the start, once all that is needed is taken."""
        self.past = []

    @property
    def anomalies(self) -> list[str]:
        """What was wrong with the files, in words."""
        return [*self._anomalies, *(a for journal in self._journals for a in journal.anomalies)]

    def close(self) -> None:
        """Close the journals of all sessions."""
        for journal in self._journals:
            journal.close()


def file_stem(name: str) -> str:
    """Return a file name for a session: readable, and different for different names."""
    readable = re.sub(r'[^\w-]+', '-', name, flags=re.ASCII).strip('-')[:40]
    return f's-{readable or "session"}-{hashlib.sha256(name.encode()).hexdigest()[:10]}'
