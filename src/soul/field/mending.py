"""What an earlier version let into the field unlimited or raw is as it would be let in now."""

from __future__ import annotations

import dataclasses

from soul.field.attend import OWN_LENGTH
from soul.field.clean import Cleaner
from soul.field.field_model import FieldModel
from soul.field.item import clip

#: What an item's own words take beside what it quotes, characters.
SPACE = 500


def mend(world: FieldModel, cleaner: Cleaner, limit: int) -> None:
    """Clean and cut what an earlier life has kept.

    Parameters
    ----------
    limit
        Longest text of an item, characters.
    """
    for item in world.items:
        if item.own or item.kind == 'message':  # those come anew from the door
            continue
        text, gist = cleaner.clean(item.text, limit), cleaner.clean(item.gist)
        if len(item.text) > limit or text.text != item.text or gist.text != item.gist:
            item.say(text.text, gist.text, clip(cleaner.clean(item.trace).text, SPACE))
            item.marked = item.marked or text.marked
    gaze = world.attention.gaze
    if len(gaze.topic) > OWN_LENGTH:
        topic = clip(cleaner.clean(gaze.topic, OWN_LENGTH).text, OWN_LENGTH)
        world.attention.gaze = dataclasses.replace(gaze, topic=topic)
