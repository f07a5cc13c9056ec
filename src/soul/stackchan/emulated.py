"""The device's side of a session, for bodies that do not speak soul-serial themselves.

The driver has one model of a body. A body behind another protocol is given to it as a device that
joins, acknowledges, remembers what it was asked, and says `done`; what an act means over there is
the business of its bridge.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from soul.wire import HOST_FRAMES, Decoder, SchemaError, encode, parse, schema

#: Commands that are remembered, so that a repetition is not done again.
_REMEMBERED = 64


@dataclass(frozen=True)
class About:
    """Who a body is and what it can do."""

    uid: str
    firmware: str
    boot: str
    capabilities: tuple[str, ...]
    limits: schema.Limits = schema.Limits()


class Emulated:
    """Answers the driver for a body.

    Parameters
    ----------
    send
        Takes bytes for the driver.
    perform
        Begins a command that has been acknowledged.
    stop
        Stops everything.
    """

    def __init__(
        self,
        about: About,
        send: Callable[[bytes], None],
        perform: Callable[[schema.Command], None],
        stop: Callable[[], None],
    ) -> None:
        self._about = about
        self._send = send
        self._perform = perform
        self._stop = stop
        self._decoder = Decoder()
        self._began = time.monotonic()
        self._q = 0
        self._sid = ''
        self._known: OrderedDict[str, str] = OrderedDict()  # id -> why it was refused

    @property
    def joined(self) -> bool:
        """Whether the driver has joined."""
        return bool(self._sid)

    def greet(self) -> None:
        """Say who is here."""
        self._say_who('hello')

    def beat(self) -> None:
        """Be alive."""
        self.say('hb')

    def say(self, kind: str, **fields: Any) -> None:
        """Say something to the driver."""
        self._q = (self._q + 1) % 2**32
        up = int(1000.0 * (time.monotonic() - self._began))
        envelope: dict[str, Any] = {'t': kind, 'q': self._q, 'up': up}
        if self._sid:
            envelope['sid'] = self._sid
        self._send(encode(envelope | fields))

    def feed(self, data: bytes) -> None:
        """Hear the driver."""
        for message in self._decoder.feed(data):
            try:
                frame = parse(message, HOST_FRAMES)
            except SchemaError as error:
                if isinstance(id := message.get('id'), str) and 0 < len(id) <= 16:
                    self.say('ack', id=id, st='nack', why=error.why)
                continue
            self._take(frame)

    def _take(self, frame: schema.Frame) -> None:
        if isinstance(frame, schema.HostHello):
            self._sid = frame.sid
            self._known.clear()
            self._say_who('welcome')
        elif isinstance(frame, schema.Stop):
            self._stop()
        elif isinstance(frame, schema.Command):
            self._command(frame)

    def _command(self, command: schema.Command) -> None:
        id = command.id or ''
        if command.sid != self._sid:
            why, state = 'stale_session', 'nack'
        elif id in self._known:
            why = self._known[id]
            state = 'dup'
        else:
            why = '' if self._can(command) else 'unsupported'
            state = 'nack' if why else 'ok'
            if id:
                self._known[id] = why
                while len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
        if id:
            self.say('ack', id=id, st=state, why=why)
        if state == 'ok':
            self._perform(command)

    def _can(self, command: schema.Command) -> bool:
        needs = {
            schema.Say: ('tts', 'text'), schema.Spk: ('tts', 'text'), schema.Cam: ('cam',),
            schema.Face: ('face',), schema.Head: ('head',), schema.Torque: ('torque',),
        }  # fmt: skip
        return any(cap in self._about.capabilities for cap in needs.get(type(command), ()))

    def _say_who(self, kind: str) -> None:
        about = self._about
        self.say(
            kind, proto=[1, 0], fw=about.firmware[:64], hw='', uid=about.uid[:64],
            boot=about.boot[:64], rst='', caps=list(about.capabilities),
            lim=about.limits.model_dump(mode='json'),
        )  # fmt: skip
