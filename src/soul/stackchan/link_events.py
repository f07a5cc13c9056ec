"""What comes of the link to the body: it joins, speaks, answers, and is lost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from soul.core.organ import Offer, Report
from soul.core.output import Output
from soul.signals import Connection, Extras, KeyValue, SayState
from soul.stackchan.abilities import topics, unoffered
from soul.stackchan.components import BodyComponents
from soul.stackchan.gate import Gate
from soul.stackchan.transports.events import (
    Answered,
    BodyAbout,
    BodyAlive,
    Foreign,
    Heard,
    Joined,
    Left,
    PortEvent,
    PortTrouble,
)
from soul.stackchan.transports.port import BodyPort

#: How often a body shows that it is there, s.
_SHOW_SECONDS = 5.0
_EXPECTED = 'waiting for a device to dial'
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
    trouble
        What is wrong with the port that bodies dial; empty: nothing.
    """

    def __init__(
        self, transport: str, port: BodyPort, components: BodyComponents, gate: Gate
    ) -> None:
        self.connection = Connection()
        self.boots = 0
        self.trouble = ''
        self._expected = Connection(detail=_EXPECTED)  # what is told once the port is open
        self._transport = transport
        self._port = port
        self._components = components
        self._gate = gate
        self._shown = -math.inf  # when the body was last shown to be alive

    @property
    def capabilities(self) -> tuple[str, ...]:
        """What the body says that it can; empty: there is none."""
        return self._port.about.capabilities if self._port.about else ()

    def events(self, events: Iterator[PortEvent], now: float) -> Iterator[Output]:
        """Act on what the port tells."""
        for event in events:
            match event:
                case Heard():
                    yield from self._heard(event, now)
                case Answered():
                    yield from self._components.answered(event, now)
                case Joined(about, rebooted):
                    yield from self._joined(about, rebooted, now)
                case Left():
                    yield from self._left(event, now)
                case Foreign(version):
                    spoken = '.'.join(map(str, version))
                    detail = f'the device speaks protocol {spoken}: it is only listened to'
                    yield Report('error', detail)
                    yield from self.told(Connection(detail=detail))

    def _heard(self, heard: Heard, now: float) -> Iterator[Output]:
        if isinstance(heard.told, PortTrouble):
            yield from self._port_is(heard.told.text)
            return
        if isinstance(heard.told, BodyAlive):
            yield from self._alive(now)
        for output in self._components.heard(heard, self.connection.device, now):
            if not unoffered(output, self.capabilities):  # only listed capabilities are used
                yield output

    def _port_is(self, trouble: str) -> Iterator[Output]:
        """Say once that bodies cannot dial, and take it back when they can."""
        before, self.trouble = self.trouble, trouble
        if trouble and trouble != before:
            yield Report('warning', trouble)
        elif before and not trouble:
            yield Report('info', f'over: {before}')
        if self.connection.connected:
            return
        if not before:
            asleep = self.connection.asleep
            self._expected = self.connection if asleep else Connection(detail=_EXPECTED)
        why = f'asleep, and {trouble}' if self._expected.asleep else trouble
        yield from self.told(replace(self._expected, detail=why) if trouble else self._expected)

    def _alive(self, now: float) -> Iterator[Output]:
        """Show now and then that the body is there, also where it has no sense to tell."""
        if not 0.0 <= now - self._shown < _SHOW_SECONDS:
            self._shown = now
            yield Extras(values=(KeyValue('link', self._transport),))

    def _joined(self, about: BodyAbout, rebooted: bool, now: float) -> Iterator[Output]:
        self._components.begin(about, rebooted, now)
        yield Offer(topics(about.capabilities))
        if rebooted:
            self.boots += 1
            level = 'warning' if about.reset_cause in _BAD_RESETS else 'info'
            yield Report(
                level,
                f'boot {about.boot} of the device, reset cause {about.reset_cause or "unknown"}',
            )
        yield from self.told(Connection(
            connected=True, transport=self._transport, device=about.uid,
            firmware=' '.join(filter(None, (about.hardware, about.firmware))),
            boot_id=about.boot, reset_cause=about.reset_cause,
            capabilities=about.capabilities, detail='a body is connected',
        ))  # fmt: skip
        if self._gate.held:
            self._port.halt()
        elif self._gate.active:
            self._components.take_over(self.capabilities, now)

    def _left(self, left: Left, now: float) -> Iterator[Output]:
        reason = left.reason
        if left.was_joined:
            what = 'the body sleeps' if left.asleep else 'the link to the body is lost'
            known = left.asleep or left.again
            level = 'warning' if self._port.wanted and not known else 'info'
            yield Report(level, f'the body: {reason}' if left.again else f'{what}: {reason}')
            yield from self._components.end_all(
                SayState.UNCERTAIN, f'the link was lost: {reason}', now
            )
        if left.again:
            return
        before = self.connection
        if left.asleep:
            told = Connection(
                asleep=True, transport=before.transport, device=before.device,
                firmware=before.firmware, detail=f'asleep: {reason}',
            )  # fmt: skip
            yield from self.told(told)
        elif left.was_joined or not before.asleep:
            yield from self.told(Connection(detail=reason))

    def told(self, connection: Connection) -> Iterator[Output]:
        """Tell whether a body is there, if that has changed."""
        if connection != self.connection:
            self.connection = connection
            yield connection
