"""What comes of the link to the body: it joins, speaks, answers, and is lost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from soul.core.organ import Offer, Report
from soul.core.output import Output
from soul.signals import Connection, Extras, KeyValue, SayState
from soul.stackchan.abilities import topics, unoffered
from soul.stackchan.events import Answered, Event, Foreign, Heard, Joined, Left
from soul.stackchan.gate import Gate
from soul.stackchan.parts import Parts
from soul.stackchan.session import Session
from soul.wire import schema

#: How often a body shows that it is there, s.
_SHOW_SECONDS = 5.0
_BAD_RESETS = frozenset({'brownout', 'panic', 'wdt'})


class LinkEvents:
    """Tells of the body's coming and going, and hands on what it says.

    Parameters
    ----------
    transport
        How the body is reached, in a word.

    Attributes
    ----------
    connection
        What was told last of the body.
    boots
        How often it has rebooted while she lived.
    """

    def __init__(self, transport: str, session: Session, parts: Parts, gate: Gate) -> None:
        self.connection = Connection()
        self.boots = 0
        self._transport = transport
        self._session = session
        self._parts = parts
        self._gate = gate
        self._shown = -math.inf  # when the body was last shown to be alive

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the body says that it can; empty: there is none."""
        return self._session.hello.caps if self._session.hello else ()

    def events(self, events: Iterator[Event], now: float) -> Iterator[Output]:
        """Act on what the session has found on the wire."""
        for event in events:
            match event:
                case Heard(frame):
                    yield from self._heard(frame, now)
                case Answered():
                    yield from self._parts.answered(event, now)
                case Joined(hello, rebooted):
                    yield from self._joined(hello, rebooted, now)
                case Left(reason, was_joined):
                    yield from self._left(reason, was_joined, now)
                case Foreign(hello):
                    version = '.'.join(map(str, hello.proto))
                    detail = f'the device speaks protocol {version}: it is only listened to'
                    yield Report('error', detail)
                    yield from self.told(Connection(detail=detail))

    def _heard(self, frame: schema.DeviceFrame, now: float) -> Iterator[Output]:
        if isinstance(frame, schema.DeviceHb):
            yield from self._alive(now)
        for output in self._parts.heard(frame, self.connection.device, now):
            if not unoffered(output, self.capabilities):  # only listed capabilities are used
                yield output

    def _alive(self, now: float) -> Iterator[Output]:
        """Show now and then that the body is there, also where it has no sense to tell."""
        if not 0.0 <= now - self._shown < _SHOW_SECONDS:
            self._shown = now
            yield Extras(values=(KeyValue('link', self._transport),))

    def _joined(self, hello: schema.DeviceHello, rebooted: bool, now: float) -> Iterator[Output]:
        self._parts.begin(hello, rebooted)
        yield Offer(topics(hello.caps))
        if rebooted:
            self.boots += 1
            level = 'warning' if hello.rst in _BAD_RESETS else 'info'
            yield Report(
                level, f'boot {hello.boot} of the device, reset cause {hello.rst or "unknown"}'
            )
        yield from self.told(Connection(
            connected=True, transport=self._transport, device=hello.uid,
            firmware=' '.join(filter(None, (hello.hw, hello.fw))), boot_id=hello.boot,
            reset_cause=hello.rst, capabilities=hello.caps, detail='a body is connected',
        ))  # fmt: skip
        if self._gate.held:
            self._session.stop()
        elif self._gate.active:
            self._parts.take_over(self.capabilities, now)

    def _left(self, reason: str, was_joined: bool, now: float) -> Iterator[Output]:
        if was_joined:
            level = 'warning' if self._session.wanted else 'info'
            yield Report(level, f'the link to the body is lost: {reason}')
            yield from self._parts.end_all(SayState.UNCERTAIN, f'the link was lost: {reason}', now)
        yield from self.told(Connection(detail=reason))

    def told(self, connection: Connection) -> Iterator[Output]:
        """Tell whether a body is there, if that has changed."""
        if connection != self.connection:
            self.connection = connection
            yield connection
