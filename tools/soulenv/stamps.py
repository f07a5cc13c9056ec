"""Remember what a step was done with, so that it is not done twice.

A stamp is a small JSON file beside the result. It is written after the step has succeeded, and
removed before it begins: a step that was killed half way counts as not done.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path


def digest(paths: Iterable[Path], root: Path, extra: Iterable[str] = ()) -> str:
    """Hash the names and contents of files, and further words that matter."""
    total = hashlib.sha256()
    for word in extra:
        total.update(word.encode() + b'\0')
    for path in sorted(paths):
        total.update(path.relative_to(root).as_posix().encode() + b'\0')
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def names_digest(paths: Iterable[Path], root: Path) -> str:
    """Hash names only: for files that the workspace links to instead of copying."""
    names = sorted(path.relative_to(root).as_posix() for path in paths)
    return hashlib.sha256('\0'.join(names).encode()).hexdigest()


def read(path: Path) -> dict[str, object]:
    """Return the stamp, or an empty one if there is none or it cannot be read."""
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write(path: Path, stamp: Mapping[str, object]) -> None:
    """Write the stamp whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + '.new')
    new.write_text(json.dumps(stamp, indent=1, sort_keys=True) + '\n')
    os.replace(new, path)


def remove(path: Path) -> None:
    """Forget that the step was done."""
    path.unlink(missing_ok=True)
