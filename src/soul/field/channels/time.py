"""Time: what hour it is, and how long since she last looked."""

from __future__ import annotations

from soul.field.channels.base import Channel, Setting
from soul.field.sight import Impression, Moment, Sight


class Time(Channel):
    """The clock she sees. Predicts `time.gap`, seconds between two ticks."""

    name = 'time'

    def __init__(self, setting: Setting) -> None:
        self._words = setting.words

    def sense(self, moment: Moment) -> Impression:
        """Look at the clock."""
        words = self._words
        clock = words.clock(moment.now)
        since = (
            words.say('first_look')
            if moment.gap is None
            else words.say('since_look', age=words.age(moment.gap))
        )
        impression = Impression(self.name)
        impression.sights.append(
            Sight(
                'gauge/time',
                'time',
                'time',
                f'{clock} · {since}',
                clock,
                words.daypart(moment.now),
                0.2,
                level=True,
                anchor=True,
            )
        )
        if moment.gap is not None:
            impression.features['time.gap'] = moment.gap
        return impression


def make(setting: Setting) -> Time:
    """Make the channel."""
    return Time(setting)
