"""What the machine must have before anything is downloaded or built."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterable
from pathlib import Path

from soulenv.report import SetupError

TOOLS = ('gcc', 'g++', 'cmake', 'make')
# The environment takes 470 MB, the build 60 MB, pip's downloads up to 200 MB on their way.
ROOM_BYTES = 1_000_000_000


def require_architecture(machine: str | None = None, system: str | None = None) -> None:
    """Raise unless wheels of ROS 2 exist for this machine."""
    machine = machine or platform.machine()
    system = system or platform.system()
    if (system, machine) != ('Linux', 'x86_64'):
        raise SetupError(
            f'ROS 2 wheels exist for Linux on x86-64 only; this is {system} on {machine}.',
            'install ROS 2 Jazzy or Kilted from its packages, source it '
            '(. /opt/ros/jazzy/setup.bash) and run make setup again: it is used then',
        )


def missing_tools(names: Iterable[str] = TOOLS) -> list[str]:
    """Return which of the programs are not on PATH."""
    return [name for name in names if shutil.which(name) is None]


def require_tools() -> None:
    """Raise unless the compilers and build tools are there."""
    missing = missing_tools()
    if missing:
        raise SetupError(
            f'Not found on PATH: {", ".join(missing)}. The messages of soul are compiled.',
            'Debian, Ubuntu: sudo apt install build-essential cmake',
        )


def require_room(root: Path, needed: int = ROOM_BYTES) -> None:
    """Raise unless the file system of the checkout has room for an environment."""
    free = shutil.disk_usage(root).free
    if free < needed:
        raise SetupError(
            f'Only {free // 1_000_000} MB free under {root}, {needed // 1_000_000} MB needed.',
            'free some space, or clone to a larger file system',
        )


def require_writable(root: Path) -> None:
    """Raise unless the checkout can be written to."""
    if not os.access(root, os.W_OK):
        raise SetupError(
            f'{root} is not writable for this user.',
            'clone soul to a directory of your own; setup keeps everything inside the checkout',
        )
