"""Finds the files that come with the package, from the source tree and installed alike.

They lie in `config/` of the source tree and are installed to `share/soul/config` of a prefix:
colcon's, a virtual environment's or the system's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = 'config'


def resource(name: str) -> Path:
    """Return the path of a file or folder below `config/`.

    Raises
    ------
    FileNotFoundError
        Naming every place that was looked at.
    """
    looked = []
    for folder in _folders():
        path = folder / name
        if path.exists():
            return path
        looked.append(str(path))
    raise FileNotFoundError(
        f'{name} belongs to the package and is not there; looked at {", ".join(looked)}'
    )


def _folders() -> Iterator[Path]:
    here = Path(__file__).resolve()
    # <root>/src/soul/store/resources.py; a colcon symlink install resolves to the same
    yield here.parents[3] / FOLDER
    # <prefix>/lib/pythonX.Y/site-packages/soul/store/resources.py, and Debian's dist-packages
    prefixes = [here.parents[n] for n in (5, 6) if n < len(here.parents)]
    prefixes += [Path(p) for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    prefixes.append(Path(sys.prefix))
    for prefix in dict.fromkeys(prefixes):
        yield prefix / 'share' / 'soul' / FOLDER
