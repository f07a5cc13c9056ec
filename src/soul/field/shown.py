"""The view as a signal: ids, rings, salience and mood, so that nobody has to parse the text."""

from __future__ import annotations

from collections.abc import Sequence

from soul.field.items import AROUND, CLOSE, EDGE, TRACE, Item
from soul.field.render import Frame, alerts, detail, quoted, ranked, render
from soul.field.world import World
from soul.signals import Message, View, ViewItem, WakeId

#: So much of the edge is told one by one.
MOST_EDGE = 100


def view(
    world: World,
    frame: Frame,
    now: float,
    wake: WakeId,
    count: int,
    messages: Sequence[Message],
    causes: Sequence[str],
) -> View:
    """Make the view.

    Parameters
    ----------
    count
        How often this tick has been rendered.
    messages
        What she has not answered, oldest first.
    """
    gaze = world.attention.gaze
    focus = world.items.get(gaze.item)
    return View(
        stamp=now,
        wake=wake,
        tick=world.tick,
        render=count,
        text=render(world, frame, now),
        focus_id=focus.id if focus is not None else '',
        focus=focus.line(focus.fidelity) if focus is not None else gaze.topic,
        close=tuple(_shown(item) for item in ranked(world, CLOSE)),
        around=tuple(_shown(item) for item in ranked(world, AROUND)),
        edge=tuple(_shown(item) for item in ranked(world, EDGE)[:MOST_EDGE]),
        alerts=tuple(quoted(item.line(item.fidelity)) for item in alerts(world)),
        mood=world.words.say(f'moods.{world.feeling.word}'),
        because=world.because,
        valence=world.mood.valence,
        arousal=world.mood.arousal,
        fullness=world.fullness(),
        message_ids=tuple(message.id for message in messages),
        messages=tuple(messages),
        causes=tuple(causes),
    )


def _shown(item: Item) -> ViewItem:
    level = detail(item)
    clear = item.ring != EDGE  # at the edge things are too faint to have ids
    return ViewItem(
        id=item.id if clear else '',
        key=item.key if clear else '',
        kind=item.kind,
        source=item.source,
        text=item.line(level) if clear else item.line(TRACE),
        salience=item.salience,
        valence=item.valence,
        relatedness=item.relatedness,
        held=item.held,
        resolved=item.resolved,
    )
