"""The view as a signal: ids, rings, salience and mood, so that nobody has to parse the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from soul.field.field_model import FieldModel
from soul.field.item import Item
from soul.field.render import ViewFrame, arrange, detail, quoted, render
from soul.signals import Message, NamedValue, View, ViewItem, WakeId


def view_message(
    world: FieldModel,
    frame: ViewFrame,
    now: float,
    wake: WakeId,
    count: int,
    messages: Sequence[Message],
    causes: Sequence[str],
    readings: Mapping[str, float],
) -> View:
    """Make the view.

    Parameters
    ----------
    count
        How often this tick has been rendered.
    messages
        What she has not answered, oldest first.
    readings
        What the channels measured in this tick, by name.
    """
    gaze = world.attention.gaze
    focus = world.items.get(gaze.item)
    there = arrange(world)
    return View(
        stamp=now,
        wake=wake,
        tick=world.tick,
        render=count,
        text=render(world, frame, now, there),
        focus_id=focus.id if focus is not None else '',
        focus_key=focus.key if focus is not None else '',
        focus=focus.line(focus.fidelity) if focus is not None else gaze.topic,
        close=_shown(world, there.close),
        around=_shown(world, there.around),
        edge=_shown(world, there.edge, clear=False),
        alerts=tuple(quoted(item.line(item.fidelity)) for item in there.alerts),
        mood=world.words.say(f'moods.{world.feeling.word}'),
        because=world.because,
        valence=world.mood.valence,
        arousal=world.mood.arousal,
        fullness=world.fullness(),
        message_ids=tuple(message.id for message in messages),
        messages=tuple(messages),
        readings=tuple(NamedValue(name, float(value)) for name, value in readings.items()),
        causes=tuple(causes),
    )


def _shown(world: FieldModel, items: Sequence[Item], clear: bool = True) -> tuple[ViewItem, ...]:
    """Show items; at the edge things are too faint to have ids."""
    if not items:
        return ()
    rows = world.items.rows[[item.row for item in items]]
    columns = [rows[name].tolist() for name in _NUMBERS]
    return tuple(
        ViewItem(
            item.id if clear else '',
            item.key if clear else '',
            item.kind,
            item.source,
            item.line(detail(item)) if clear else item.trace,
            *numbers,
        )
        for item, *numbers in zip(items, *columns, strict=True)
    )


#: In the order of ViewItem.
_NUMBERS = ('salience', 'valence', 'relatedness', 'held', 'resolved')
