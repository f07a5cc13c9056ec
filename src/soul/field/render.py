"""The view as text: what she sees, in words and bars."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from soul.field.items import Item
from soul.signals import Energy

CLOSE = 4
AROUND = 6
BAR_CELLS = 10


def bar(level: float, cells: int = BAR_CELLS) -> str:
    """Draw a level from 0 to 1."""
    full = round(min(1.0, max(0.0, level)) * cells)
    return '▮' * full + '▱' * (cells - full)


def rings(items: Sequence[Item], focus: Item | None) -> tuple[list[Item], list[Item], list[Item]]:
    """Place the items around the focus: close, around and edge, the most salient closest."""
    others = sorted((i for i in items if i is not focus), key=lambda i: (-i.held, -i.salience))
    return others[:CLOSE], others[CLOSE : CLOSE + AROUND], others[CLOSE + AROUND :]


def daypart(hour: int) -> str:
    """Name the part of the day."""
    if hour < 6:
        return 'night'
    if hour < 12:
        return 'morning'
    return 'afternoon' if hour < 18 else 'evening' if hour < 22 else 'night'


def render(
    tick: int,
    now: float,
    zone: ZoneInfo | None,
    items: Sequence[Item],
    focus: Item | None,
    topic: str,
    energy: Energy | None,
    waiting: int,
    woke: str,
    body: str,
) -> str:
    """Write the view."""
    local = datetime.fromtimestamp(now, zone)
    head = [f'⏱ {daypart(local.hour)}, {local:%H:%M}']
    if energy is not None:
        head.append(f'⚡ {bar(energy.level)}')
    if waiting:
        head.append(f'✉ {waiting} waiting')
    lines = [f'FIELD · tick {tick} · {local:%a %d %b}', ' · '.join(head)]
    if body:
        lines.append(f'✋ {body}')
    if woke:
        lines.append(woke)
    lines.append('')
    if focus is not None:
        lines.append(f'FOCUS ▸ [{focus.id}] {focus.text}')
    elif topic:
        lines.append(f'FOCUS ▸ {topic}')
    close, around, edge = rings(items, focus)
    for name, ring, form in (('CLOSE', close, 'text'), ('AROUND', around, 'gist')):
        if ring:
            lines.append(name)
            for item in ring:
                mark = '◆ ' if item.held else ''
                lines.append(f'  [{item.id}] {mark}{getattr(item, form)}')
    if edge:
        lines.append('EDGE')
        lines.append('  ' + ' · '.join(sorted({f'a {item.kind}' for item in edge})))
    return '\n'.join(lines)
