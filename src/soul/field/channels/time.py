"""Time: what hour it is, and how long since she last looked."""

from __future__ import annotations

from soul.field.channels.base import Channel, Setting
from soul.field.readings import ChannelReading, ItemUpdate, Moment


class TimeChannel(Channel):
    """The clock she sees. Predicts `time.gap`, seconds between two ticks."""

    name = 'time'

    def __init__(self, setting: Setting) -> None:
        self._words = setting.words

    def sense(self, moment: Moment) -> ChannelReading:
        """Look at the clock."""
        words = self._words
        clock = words.clock(moment.now)
        since = (
            words.say('first_look')
            if moment.gap is None
            else words.say('since_look', age=words.age(moment.gap))
        )
        reading = ChannelReading(self.name)
        reading.updates.append(
            ItemUpdate(
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
            reading.features['time.gap'] = moment.gap
        return reading


def make(setting: Setting) -> TimeChannel:
    """Make the channel that the plugin list names, for the setting of one life."""
    return TimeChannel(setting)
