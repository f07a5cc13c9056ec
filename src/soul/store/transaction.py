"""Changes several files as if they were one: after a kill at any instant, all of them or none.

What is to be done is first written down whole (the intent file; its rename is the one commit
point), then done, then the intent file goes. Whoever opens the folder next does what is left of
it. People may edit the files meanwhile: theirs then stays, hers is kept beside it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from soul.store.durable import make_folder, set_aside, sync_directory, write_new
from soul.store.pages import (
    ChangedMeanwhile,
    beside,
    page_digest,
    read_page,
    replace_page,
)

INTENT = '.intent'


@dataclass(frozen=True)
class Change:
    """One file's part in a change."""

    path: Path
    expected: str | None  # what the change was made from; None: no such file
    text: str | None  # what it becomes; None: it goes


class Transaction:
    """Changes files below one folder.

    Attributes
    ----------
    conflicts
        Copies that had to be put beside a file of somebody else's: (file, copy).
    anomalies
        What was wrong with an intent file, in words.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.conflicts: list[tuple[Path, Path]] = []
        self.anomalies: list[str] = []
        self._intent = folder / INTENT

    def apply(self, changes: Sequence[Change]) -> None:
        """Do all changes; they are on the disk when this returns.

        Raises
        ------
        ChangedMeanwhile
            If a file is not what its change was made from; nothing is changed then.
        """
        changes = [change for change in changes if change.text != change.expected]
        if len(changes) == 1:
            replace_page(changes[0].path, changes[0].expected, changes[0].text)
            return
        if not changes:
            return
        for change in changes:
            if read_page(change.path) != change.expected:
                raise ChangedMeanwhile(change.path)
        steps = [
            {
                'path': change.path.relative_to(self.folder).as_posix(),
                'before': page_digest(change.expected),
                'text': change.text,
            }
            for change in changes
        ]
        body = json.dumps(steps)
        document = json.dumps({'checksum': _checksum(body), 'steps': body})
        make_folder(self.folder)
        temporary = self._intent.with_name(f'{INTENT}.new')
        write_new(temporary, document.encode('ascii'))
        os.replace(temporary, self._intent)
        sync_directory(self.folder)
        self._do(steps)

    def recover(self) -> bool:
        """Do what a process that died had begun.

        Returns
        -------
        bool
            Whether there was anything.
        """
        try:
            raw = self._intent.read_bytes()
        except FileNotFoundError:
            return False
        steps = _parse(raw)
        if steps is None:
            aside = set_aside(self._intent, 'corrupt')
            self.anomalies.append(f'{INTENT} cannot be read, kept as {aside.name}')
            return False
        self._do(steps)
        return True

    def _do(self, steps: Sequence[dict[str, Any]]) -> None:
        for step in steps:
            path = self.folder / step['path']
            text = step['text']
            there = read_page(path)
            if there == text:
                continue
            if page_digest(there) != step['before']:
                if text is not None:
                    self._keep_beside(path, text)
                continue
            try:
                replace_page(path, there, text)
            except ChangedMeanwhile:
                if text is not None:
                    self._keep_beside(path, text)
        self._intent.unlink(missing_ok=True)
        sync_directory(self.folder)

    def _keep_beside(self, path: Path, text: str) -> None:
        begun = f'{path.stem}.conflict'
        there = [p for p in path.parent.iterdir() if p.name.startswith(begun)]
        # done again after a kill, it is kept only once
        copy = next((p for p in there if read_page(p) == text), None)
        if copy is None:
            copy = beside(path, 'conflict')
            replace_page(copy, None, text)
        self.conflicts.append((path, copy))


def _checksum(body: str) -> str:
    return hashlib.sha256(body.encode('ascii')).hexdigest()


def _parse(raw: bytes) -> list[dict[str, Any]] | None:
    try:
        document = json.loads(raw)
        if document['checksum'] != _checksum(document['steps']):
            return None
        steps = json.loads(document['steps'])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return steps if isinstance(steps, list) else None
