"""What she may do: a level for each category; what nobody has decided has to be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from soul.guard.config import GuardConfig

SPEECH, GAZE, REST = 'speech', 'gaze', 'rest'
#: Each has a parameter of its own.
OWN = (SPEECH, GAZE, REST)
#: What else there is to permit; below each stand narrower ones, as mcp.notes below mcp. Tools of
#: other packages have theirs below `tool`.
FURTHER = ('expression', 'web', 'machine', 'python', 'mcp', 'tool')
#: Longest name of a category, characters.
LONGEST = 100


def problem(category: str) -> str:
    """Say why a category cannot stand in a list of permissions; empty if it can."""
    first = category.split('.')[0]
    if first in OWN:
        return f'{first} has a parameter of its own: write {first}: deny (or ask, or allow)'
    fits = all(part and part == part.strip() for part in category.split('.'))
    if first in FURTHER and fits and len(category) <= LONGEST:
        return ''
    known = ', '.join(FURTHER)
    shown = category if len(category) <= LONGEST else f'{category[:LONGEST]}...'
    return f'{shown!r} is no category; known are {known}, and names below them such as mcp.notes'


def level(config: GuardConfig, category: str) -> str:
    """Return allow, ask or deny for a category."""
    own = {SPEECH: config.speech, GAZE: config.gaze, REST: config.rest}
    if category in own:
        return own[category]
    # mcp.notes is decided by its own word first, then by that for all of mcp.
    while category:
        if category in config.deny:
            return 'deny'
        if category in config.allow:
            return 'allow'
        category = category.rpartition('.')[0]
    return 'ask'


def refusal(config: GuardConfig, category: str) -> str:
    """Say why acts of a category are not allowed; empty if they are."""
    found = level(config, category)
    if found == 'allow':
        return ''
    if found == 'ask':
        return (
            f'{category} needs somebody to allow it, and nobody can be asked yet: '
            f'set the permission of {category} to allow'
        )
    return f'{category} is denied'
