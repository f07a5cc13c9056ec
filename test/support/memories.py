"""What an organ remembers, as it would come back from the disk."""

import json

from soul.core.state_file import Shape


def plain(memory):
    """Return a memory as the plain JSON values that stand in its file."""
    return json.loads(json.dumps(Shape(type(memory)).plain(memory)))


def reread(memory):
    """Return a memory as it is read again."""
    return Shape(type(memory)).read(plain(memory))
