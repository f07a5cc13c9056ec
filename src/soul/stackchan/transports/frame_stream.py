"""The stream of frames from a device: decoded, checked and counted."""

from __future__ import annotations

from collections.abc import Iterator

from soul.stackchan.transports.events import plain_text
from soul.wire import DEVICE_FRAMES, Decoder, SchemaError, Sequence, parse, schema

_GREETINGS = frozenset({'hello', 'welcome'})
_UNTIDY = 0.01  # share of lost frames worth a warning


class FrameStream:
    """Makes frames of bytes.

    Attributes
    ----------
    bad_messages
        Sound frames that say nothing we understand.
    greeting_fault
        What is wrong with the device's `hello` or `welcome`: the field and why; empty: nothing.
    """

    def __init__(self) -> None:
        self.decoder = Decoder()
        self.sequence = Sequence()
        self.bad_messages = 0
        self.greeting_fault = ''
        self._bytes_at_begin = 0

    def begin(self) -> None:
        """Begin with a line that has just been opened."""
        self._bytes_at_begin = self.decoder.stats.bytes
        self.decoder.reset()
        self.sequence.restart()

    @property
    def mute(self) -> bool:
        """Whether not a byte has come since the line was opened."""
        return self.decoder.stats.bytes == self._bytes_at_begin

    def read(self, data: bytes) -> Iterator[schema.DeviceFrame]:
        """Yield the frames that `data` completes, in order."""
        for message in self.decoder.feed(data):
            try:
                frame = parse(message, DEVICE_FRAMES)
            except SchemaError as error:
                self.bad_messages += 1
                if message.get('t') in _GREETINGS:
                    self.greeting_fault = plain_text(str(error), 200)
                continue
            if frame.t in _GREETINGS:
                self.greeting_fault = ''
            assert isinstance(frame, schema.DeviceFrame)
            self.sequence.note(frame.q)
            yield frame

    def figures(self) -> dict[str, str]:
        """Return the counts, and the newest line of the firmware's log."""
        stats, log = self.decoder.stats, self.decoder.recent_log
        return {
            'frames': str(stats.frames),
            'bad frames': str(stats.bad_frames),
            'bad messages': str(self.bad_messages),
            'log lines': str(stats.log_lines),
            'over-long lines': str(stats.overlong),
            'lost frames': str(self.sequence.lost),
            'last log line': log[-1] if log else '',
        }

    def trouble(self) -> str:
        """Return what is wrong with its greeting, or that more frames are lost than is usual."""
        if self.greeting_fault:
            return f'its greeting is not soul-serial 1.0: {self.greeting_fault}'
        lost = self.sequence.loss
        return f'{100.0 * lost:.1f} % of the frames are lost' if lost > _UNTIDY else ''
