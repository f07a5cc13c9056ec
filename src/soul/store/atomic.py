"""A small state file that is always whole: three generations, each with a checksum.

`<name>` is the newest, `<name>.1` and `<name>.2` are the ones before. A kill at any instant
leaves the old or the new state. A generation that does not read is set aside under another
name, the newest valid one is used, and the caller is told: state is never silently empty.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from soul.store.durable import make_folder, set_aside, sync_directory, write_new

GENERATIONS = 3
SCHEMA = 1
#: What is set aside is called `<name>.corrupt`.
ASIDE = 'corrupt'


class Unreadable(Exception):
    """No generation of a state file can be read, though at least one exists."""

    def __init__(self, path: Path, reasons: list[str]) -> None:
        super().__init__(
            f'{path} cannot be read ({"; ".join(reasons)}). She does not begin without it: bring '
            'a backup back (soul restore), or let this part of her begin anew '
            f'(soul life begin-anew {path.name}).'
        )
        self.path = path


def _canonical(data: Any) -> bytes:
    # Without indentation: only then does Python use its quick encoder, and a state is written
    # several times in each waking.
    text = json.dumps(data, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    return text.encode('utf-8', 'surrogatepass')


def _checksum(canonical: bytes) -> str:
    return hashlib.sha256(canonical).hexdigest()


class AtomicFile:
    """One state file of one owner.

    `anomalies` lists what was wrong when it was read, in words.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.anomalies: list[str] = []
        self._generation = 0

    def _generations(self) -> list[Path]:
        older = [self.path.with_name(f'{self.path.name}.{n}') for n in range(1, GENERATIONS)]
        return [self.path, *older]

    def read(self) -> dict[str, Any] | None:
        """Read the newest valid generation.

        Returns
        -------
        dict or None
            The data, or None if the file never existed.

        Raises
        ------
        Unreadable
            If generations exist and none is valid, or only such as were set aside before. All
            stay where they are: it is refused until somebody decides what is to become of them.
        """
        best: tuple[int, dict[str, Any]] | None = None
        bad: list[tuple[Path, str]] = []
        for path in self._generations():
            try:
                generation, data = self._parse(path.read_bytes())
            except FileNotFoundError:
                continue
            except ValueError as error:
                bad.append((path, str(error)))
                continue
            if best is None or generation > best[0]:
                best = (generation, data)
        if best is None:
            reasons = [f'{path.name} {reason}' for path, reason in bad]
            reasons += [f'{path.name} was set aside' for path in self._aside()]
            if reasons:
                raise Unreadable(self.path, reasons)
            return None
        reasons = []
        for path, reason in bad:
            aside = set_aside(path, ASIDE)
            reasons.append(f'{path.name} {reason}, kept as {aside.name}')
        self.anomalies += reasons
        self._generation, data = best
        return data

    def _aside(self) -> list[Path]:
        generations = self._generations()
        return [
            path
            for path in sorted(self.path.parent.glob(f'{glob.escape(self.path.name)}*.{ASIDE}*'))
            if any(path.name.startswith(f'{one.name}.{ASIDE}') for one in generations)
        ]

    @staticmethod
    def _parse(raw: bytes) -> tuple[int, dict[str, Any]]:
        try:
            document = json.loads(raw)
        except RecursionError as error:
            raise ValueError('is nested too deeply to be hers') from error
        except ValueError as error:  # also a number without end
            raise ValueError(f'is not JSON ({error})') from error
        if not isinstance(document, dict) or not isinstance(document.get('data'), dict):
            raise ValueError('has not the form of a state file')
        if document.get('schema') != SCHEMA:
            raise ValueError(f'has schema {document.get("schema")!r}, expected {SCHEMA}')
        if document.get('checksum') != _checksum(_canonical(document['data'])):
            raise ValueError('does not match its checksum')
        generation = document.get('generation')
        if not isinstance(generation, int):
            raise ValueError('has no generation number')
        return generation, document['data']

    def write(self, data: Mapping[str, Any]) -> None:
        """Replace the state; when this returns it is on the disk.

        Raises
        ------
        OSError
            For example if the disk is full; the state before is still there then.
        """
        canonical = _canonical(data)
        head = (
            f'{{"schema":{SCHEMA},"generation":{self._generation + 1},'
            f'"checksum":"{_checksum(canonical)}",\n"data":'
        )
        temporary = self.path.with_name(f'.{self.path.name}.new')
        content = head.encode() + canonical + b'}\n'
        try:
            write_new(temporary, content)
        except FileNotFoundError:  # somebody has removed the directory under her feet
            make_folder(self.path.parent)
            write_new(temporary, content)
            self.anomalies.append(f'{self.path.parent} had vanished and was made anew')
        self._generation += 1
        self._age()
        os.replace(temporary, self.path)
        sync_directory(self.path.parent)

    def _age(self) -> None:
        """Shift the generations without a moment in which the newest is missing."""
        newest, *older = self._generations()
        for younger, elder in zip(reversed(older[:-1]), reversed(older[1:]), strict=True):
            if younger.exists():
                os.replace(younger, elder)
        if newest.exists():
            link = newest.with_name(f'.{newest.name}.old')
            link.unlink(missing_ok=True)
            os.link(newest, link)
            os.replace(link, older[0])
