"""Repair the CMake files of the ROS 2 wheels.

The wheels were built in a container, and their CMake exports still name two directories of it:
the headers of Python and those of numpy. CMake refuses to generate with a path that does not
exist, so both are replaced by this environment's own.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

_BUILD_PREFIX = r'/opt/python/cp3\d+-cp3\d+'
_PYTHON_INCLUDE = re.compile(_BUILD_PREFIX + r'/include/python3\.\d+')
# numpy 2 has `_core`, numpy 1 had `core`
_NUMPY_INCLUDE = re.compile(
    _BUILD_PREFIX + r'/lib/python3\.\d+/site-packages/numpy/_?core/include'
)


@dataclass(frozen=True)
class Includes:
    """The header directories of the environment that is being repaired."""

    python: str
    numpy: str


def repaired(text: str, includes: Includes) -> str:
    """Return the CMake text with both directories replaced."""
    # a function as replacement: a path may hold what re would take for a group reference
    text = _PYTHON_INCLUDE.sub(lambda _match: includes.python, text)
    return _NUMPY_INCLUDE.sub(lambda _match: includes.numpy, text)


def repair_tree(prefix: Path, includes: Includes) -> list[Path]:
    """Repair every CMake file under ``prefix/share/*/cmake``; return those that changed."""
    changed = []
    for path in sorted(prefix.glob('share/*/cmake/**/*.cmake')):
        before = path.read_bytes().decode('utf-8', errors='surrogateescape')
        after = repaired(before, includes)
        if after == before:
            continue
        # pip may have linked the file from a cache: write a new one, never through the link
        new = path.with_name(path.name + '.new')
        new.write_bytes(after.encode('utf-8', errors='surrogateescape'))
        os.replace(new, path)
        changed.append(path)
    return changed
