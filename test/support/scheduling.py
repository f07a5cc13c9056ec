"""How pytest-xdist shares out the tests: one by one, the longest first.

What shares a fixture of its module stays together, so that the fixture is made once. pytest-xdist
has `--dist loadgroup` for that, which forgets the groups under pytest 9.
"""

import functools
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

SHARED = "scope='module'"


class OneByOne(LoadScopeScheduling):
    """Gives each worker the next test as soon as it has done one."""

    def _split_scope(self, nodeid):
        module = nodeid.partition('::')[0]
        return module if _shares(self.config.rootpath / module) else nodeid


@functools.cache
def _shares(path: Path) -> bool:
    return SHARED in path.read_text(encoding='utf-8')


def longest_first(items):
    """Order tests so that no long one begins when the others are about to end."""
    items.sort(key=lambda item: item.get_closest_marker('long') is None)
