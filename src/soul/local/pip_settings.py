"""Where pip fetches packages from: whoever has a mirror has told pip of it, and nobody else."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

PYPI = 'https://pypi.org/simple'
#: pip's own order: what stands later counts more.
_SECTIONS = ('global', 'install', 'download', ':env:')
_LINE = re.compile(r"^([\w:-]+)\.([\w-]+)='?(.*?)'?$")


@dataclass(frozen=True)
class Source:
    """Package indexes and folders, in the order in which they are asked."""

    indexes: tuple[str, ...] = (PYPI,)
    folders: tuple[str, ...] = ()  # --find-links: folders and pages with links
    certificates: str = ''  # file of certificate authorities; empty: as httpx has it
    proxy: str = ''


def read() -> Source:
    """Ask pip; without one, it is PyPI."""
    try:
        told = subprocess.run(
            [sys.executable, '-m', 'pip', 'config', 'list'],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        return Source()
    return source(told.stdout.splitlines() if told.returncode == 0 else ())


def source(lines: Iterable[str]) -> Source:
    """Read what `pip config list` prints."""
    values: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for line in lines:
        found = _LINE.match(line.strip())
        if found and found[1] in values:
            values[found[1]][found[2]] = found[3].replace('\\n', ' ')
    merged: Mapping[str, str] = {
        name: value for section in _SECTIONS for name, value in values[section].items()
    }
    indexes = [merged.get('index-url', PYPI), *shlex.split(merged.get('extra-index-url', ''))]
    if merged.get('no-index', '').lower() in ('1', 'true', 'yes', 'on'):
        indexes = []
    return Source(
        tuple(index.rstrip('/') for index in indexes),
        tuple(shlex.split(merged.get('find-links', ''))),
        merged.get('cert', ''),
        merged.get('proxy', ''),
    )
