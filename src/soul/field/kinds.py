"""The kinds of things in her field and what time does to each.

Half-lives and growth are those of SoulScript Loop: from 15 minutes for a surprise to twelve
hours for a task; a kind that is not listed is like :data:`OTHER`.
"""

from __future__ import annotations

from dataclasses import dataclass

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Kind:
    """What all items of a kind have in common."""

    half_life: float  # s until salience has halved
    prefix: str  # first letter of the ids
    growth: float = 0.0  # tension gained per hour while unanswered
    gauge: bool = False  # a standing sense: stands in the head of the view, is not placed
    alert: bool = False  # flashes, is not placed and never takes her focus
    waits: bool = False  # somebody or something waits for her behind it

    @property
    def placed(self) -> bool:
        """Whether it has a place around her focus."""
        return not (self.gauge or self.alert)


KINDS = {
    'message': Kind(6 * HOUR, 'd', growth=0.25, waits=True),
    'task': Kind(12 * HOUR, 't', growth=0.08, waits=True),
    'time': Kind(600.0, 'g', gauge=True),
    'energy': Kind(HOUR, 'g', gauge=True),
    'body': Kind(HOUR / 2, 'g', gauge=True),
    'intention': Kind(6 * HOUR, 's'),
    'expectation': Kind(12 * HOUR, 'e'),
    'note': Kind(2 * HOUR, 'n'),
    'work': Kind(3 * HOUR, 'b'),
    'plan': Kind(6 * HOUR, 'p'),
    'seen': Kind(HOUR, 'm'),
    'sense': Kind(HOUR / 2, 'f'),
    'met': Kind(900.0, 'e'),
    'surprise': Kind(900.0, 'a', alert=True),
    'alert': Kind(HOUR / 2, 'a', alert=True),
}
OTHER = Kind(HOUR, 'x')

#: First letters of all ids.
PREFIXES = ''.join(sorted({kind.prefix for kind in (*KINDS.values(), OTHER)}))

#: Kinds that any node may offer as a percept. The gauges are hers, messages come by the door.
FOREIGN = frozenset(KINDS) - {'time', 'energy', 'body', 'message', 'expectation', 'met'}


def kind_of(name: str) -> Kind:
    """Return what is known of a kind."""
    return KINDS.get(name, OTHER)
