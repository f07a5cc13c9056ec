"""What she may do: a level for each category; what nobody has decided has to be asked for."""

from __future__ import annotations

from soul.guard.config import GuardConfig

SPEECH, GAZE, REST = 'speech', 'gaze', 'rest'


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
