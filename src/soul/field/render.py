"""The view as text: what she sees, in words and bars. A function of the field's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soul.field.field_model import FieldModel
from soul.field.item import AROUND, CLOSE, EDGE, GIST, TRACE, Item
from soul.field.words import FieldWords, bar

#: Shown at most of the edge, of the alerts and of what slipped away.
MOST_EDGE, MOST_TRACES, MOST_ALERTS, MOST_SLIPPED = 100, 8, 5, 5
#: Before every line but the first of what came from outside: no line of it begins a line here.
QUOTE = '  ┆ '
#: Least detail by ring: close is in full, around is the gist, the edge is a trace.
DETAIL = {CLOSE: 0, AROUND: GIST, EDGE: TRACE}


@dataclass(frozen=True, slots=True)
class ViewFrame:
    """What stands around the field in her view and is not part of it."""

    woke: str = ''  # what woke her, in words
    energy: float = float('nan')  # 0..1
    tokens_left: int = -1  # -1: not known or no cap
    waiting: int = 0  # messages and tasks
    more: int = 0  # messages that she does not see yet


@dataclass(frozen=True, slots=True)
class Arranged:
    """Who lies where, the nearest or loudest first; of the edge only the loudest."""

    close: list[Item]
    around: list[Item]
    edge: list[Item]
    alerts: list[Item]
    more: bool  # there is more at the edge


def arrange(world: FieldModel) -> Arranged:
    """Sort what is in the field by ring."""
    rows = world.items.rows
    close, around = (_ranked(world, ring, rows['relatedness']) for ring in (CLOSE, AROUND))
    edge = np.flatnonzero(rows['ring'] == EDGE)
    loudest = edge[np.argsort(-rows['salience'][edge], kind='stable')][:MOST_EDGE]
    alerts = np.flatnonzero(rows['alert'])
    alerts = alerts[np.argsort(-rows['salience'][alerts], kind='stable')]
    at = world.items.at
    return Arranged(close, around, at(loudest), at(alerts), len(edge) > len(loudest))


def _ranked(world: FieldModel, ring: int, relatedness: NDArray[np.float64]) -> list[Item]:
    rows = world.items.rows
    there = np.flatnonzero(rows['ring'] == ring)
    near = np.nan_to_num(relatedness[there]) + 0.01 * rows['salience'][there]
    return world.items.at(there[np.argsort(-near, kind='stable')])


def detail(item: Item) -> int:
    """Return the coarser of what she holds of an item and what its ring shows."""
    return max(item.fidelity, DETAIL.get(item.ring, 0))


def mark(item: Item) -> str:
    """Return the signs before an item's text: held, resolved, forged."""
    return (
        ('◆ ' if item.held else '')
        + ('✓ ' if item.resolved else '')
        + ('⚠ ' if item.marked else '')
    )


def render(world: FieldModel, frame: ViewFrame, now: float, there: Arranged | None = None) -> str:
    """Write the view.

    Parameters
    ----------
    now
        Seconds of the node's clock, for the clock she sees.
    there
        What :func:`arrange` returned, if that is known already.
    """
    there = there or arrange(world)
    words = world.words
    shown: list[Item] = []
    lines = [*_head(world, frame, now), '', _focus(world, shown)]
    for name, items in (('close', there.close), ('around', there.around)):
        if items:
            lines.append(words.say(name))
            lines += [f'  [{i.id}] {mark(i)}{quoted(i.line(detail(i)))}' for i in items]
            shown += items
    if there.edge:
        lines += [words.say('edge'), '  ' + _edge(words, there)]
    flashing = there.alerts[:MOST_ALERTS]
    if flashing:
        lines.append(words.say('alerts'))
        lines += [f'  ! {mark(i)}{quoted(i.line(i.fidelity))}' for i in flashing]
        shown += flashing
    lines += _foot(world, shown)
    return '\n'.join(lines)


def quoted(text: str) -> str:
    """Keep the lines of a text from looking like lines of the view."""
    return text.replace('\n', f'\n{QUOTE}')


def _head(world: FieldModel, frame: ViewFrame, now: float) -> list[str]:
    words = world.words
    title = [words.say('field'), words.date(now)]
    if words.figures:
        title.insert(1, f'tick {world.tick}')
    gauge = world.items.by_key('gauge/time')
    hud = ['⏱ ' + (gauge.line(gauge.fidelity) if gauge else words.clock(now))]
    if frame.energy == frame.energy:
        hud.append(f'⚡ {bar(frame.energy)}{_energy(words, frame)}')
    if frame.waiting:
        waits = (
            words.say('waiting_figures', count=frame.waiting)
            if words.figures
            else words.pick('waiting', frame.waiting)
        )
        hud.append(f'✉ {waits}')
    full = world.fullness()
    percent = min(999, round(100 * full))
    hud.append(
        words.say('fullness_figures', percent=percent)
        if words.figures
        else words.say('fullness', bar=bar(full))
    )
    lines = [' · '.join(title), ' · '.join(hud)]
    for key in ('gauge/body', 'gauge/feelings'):
        felt = world.items.by_key(key)
        if felt is not None:
            lines.append(f'✋ {quoted(felt.line(felt.fidelity))}')
    if frame.more > 0:
        lines.append(words.say('more_messages', count=frame.more))
    if frame.woke:
        lines.append(frame.woke)
    word = words.say(f'moods.{world.feeling.word}')
    lines.append(
        words.say('mood_because', word=word, because=world.because)
        if world.because
        else words.say('mood', word=word)
    )
    for pull in world.pulls:
        away_from = pull.away_from or words.say('nothing')
        if pull.away_from or pull.back:
            name = 'back' if pull.back else 'pulled'
            lines.append(words.say(name, away_from=away_from, by=pull.by))
    return lines


def _energy(words: FieldWords, frame: ViewFrame) -> str:
    if not words.figures:
        return ''
    percent = round(100 * frame.energy)
    if frame.tokens_left < 0:
        return f' {percent}%'
    return ' ' + words.say('energy_figures', percent=percent, tokens=f'{frame.tokens_left:,}')


def _focus(world: FieldModel, shown: list[Item]) -> str:
    words, gaze = world.words, world.attention.gaze
    item = world.items.get(gaze.item)
    head = f'{words.say("focus")} ▸ '
    if item is not None:
        shown.append(item)
        return f'{head}[{item.id}] {mark(item)}{quoted(item.line(item.fidelity))}'
    if gaze.topic:
        return head + words.say('topic', topic=quoted(gaze.topic))
    return head + words.say('wandering')


def _edge(words: FieldWords, there: Arranged) -> str:
    traces = list(dict.fromkeys(' '.join(item.trace.split()) for item in there.edge))
    line = ' · '.join(traces[:MOST_TRACES])
    more = there.more or len(traces) > MOST_TRACES
    return f'{line} · {words.say("more")}' if more else line


def _foot(world: FieldModel, shown: Sequence[Item]) -> list[str]:
    words = world.words
    lines = []
    new = {item.source for item in world.fresh if item.row >= 0 and item.ring == EDGE}
    if new:
        sources = words.say('and').join(words.source(source) for source in sorted(new)[:3])
        lines.append(words.say('new_at_edge', sources=sources))
    if world.slipped:
        gone = '; '.join(f'“{" ".join(gist.split())}”' for gist in world.slipped[:MOST_SLIPPED])
        if len(world.slipped) > MOST_SLIPPED:
            gone = f'{gone} {words.say("more")}'
        lines.append(words.say('slipped', what=gone))
    if any(item.marked for item in shown):
        lines.append(words.say('marked'))
    return lines
