"""The host's side of soul-serial: open, join, stay alive, acknowledge, begin anew.

A session is one joining of one boot of the device. Whatever was sent in a session ends with it:
nothing is repeated in the next one.
"""

from __future__ import annotations

import enum
import math
import random
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from soul.stackchan.backoff import Backoff
from soul.stackchan.commands import Commands
from soul.stackchan.events import Event, Foreign, Heard, Joined, Left
from soul.wire import DEVICE_FRAMES, Decoder, SchemaError, Sequence, encode, parse, schema

PROTOCOL = (1, 0)

HB_PERIOD = 0.5
STALE = 1.5
SILENCE = 3.0

_HELLO_PERIOD = 1.0
#: A device that an earlier host has joined says nothing by itself: it is greeted after that, s.
_FIRST_GREETING = 0.1


class Port(Protocol):
    """A wire that can be opened. None of it blocks; what happens is told to the organ."""

    def open(self) -> None:
        """Begin to open it."""

    def write(self, data: bytes, urgent: bool = False) -> None:
        """Send bytes; urgent ones go before everything that still waits."""

    def close(self) -> None:
        """Close it, whatever is under way."""


class State(enum.Enum):
    """How far a session got."""

    CLOSED = 'closed'
    OPENING = 'opening'
    OPEN = 'open'  # the port is, nobody has joined
    JOINED = 'joined'
    MONITOR = 'monitor'  # the device speaks another major version: listen only


class Session:
    """Keeps a link alive and tells what happens on it.

    Parameters
    ----------
    backoff
        Shortest and longest wait before connecting anew, s.
    """

    def __init__(
        self, port: Port, want: schema.Want, backoff: tuple[float, float], rng: random.Random
    ) -> None:
        self.state = State.CLOSED
        self.hello: schema.DeviceHello | None = None
        self.joins = 0
        self.bad_messages = 0
        self.commands = Commands()
        self.decoder = Decoder()
        self.sequence = Sequence()
        self.heard = -math.inf  # last sound frame
        self._port = port
        self._want = want
        self._rng = rng
        self._backoff = Backoff(*backoff, rng)
        self._q = 0
        self._sid = ''
        self.wanted = False  # whether to connect, and anew whenever the link is lost
        self._greeted = -math.inf
        self._next_hb = math.inf
        self._count = 0  # of the commands of this session
        self._boot = ''
        self._bytes_at_open = 0

    # --- the link -------------------------------------------------------------------------

    @property
    def joined(self) -> bool:
        """Whether commands can be sent."""
        return self.state is State.JOINED

    def stale(self, now: float) -> bool:
        """Whether the device has been silent for suspiciously long."""
        return self.joined and now - self.heard >= STALE

    def connect(self, now: float) -> None:
        """Connect, and connect anew whenever the link is lost."""
        self.wanted = True
        self._backoff.begin_anew()
        if self.state is State.CLOSED:
            self._open(now)

    def disconnect(self, now: float) -> Iterator[Event]:
        """Leave and stay away."""
        self.wanted = False
        self._backoff.end()
        yield from self._close('disconnected', now)

    def on_link_up(self, now: float) -> Iterator[Event]:
        """Hear that the port is open."""
        if self.state is not State.OPENING:
            return
        self.state = State.OPEN
        self.heard = now
        self._greeted = now - _HELLO_PERIOD + _FIRST_GREETING
        self._bytes_at_open = self.decoder.stats.bytes
        self.decoder.reset()
        self.sequence.restart()
        self._port.write(b'\n')  # ends whatever the device has taken in before
        yield from ()

    def on_link_lost(self, reason: str, now: float) -> Iterator[Event]:
        """Hear that the port could not be opened or is gone."""
        yield from self._close(reason, now)

    def on_bytes(self, data: bytes, now: float) -> Iterator[Event]:
        """Hear what came over the wire."""
        if self.state in (State.CLOSED, State.OPENING):
            return
        for message in self.decoder.feed(data):
            try:
                frame = parse(message, DEVICE_FRAMES)
            except SchemaError:
                self.bad_messages += 1
                continue
            assert isinstance(frame, schema.DeviceFrame)
            self.heard = now
            self.sequence.note(frame.q)
            yield from self._take(frame, now)

    def step(self, now: float) -> Iterator[Event]:
        """Do what is due."""
        if self.state is State.CLOSED and now >= self._backoff.due:
            self._open(now)
        listening = self.state not in (State.CLOSED, State.OPENING)
        if listening and now - self.heard >= SILENCE:
            yield from self._close(self._silence(), now)
            return
        if self.state is State.OPEN and now - self._greeted >= _HELLO_PERIOD:
            self._greet(now)
        if self.joined:
            if now >= self._next_hb:
                self._next_hb = now + HB_PERIOD
                self._send('hb', {})
            yield from self._look_after(now)

    def due(self) -> float:
        """When :meth:`step` has something to do next."""
        match self.state:
            case State.CLOSED:
                return self._backoff.due
            case State.OPENING:
                return math.inf
            case State.OPEN:
                return min(self.heard + SILENCE, self._greeted + _HELLO_PERIOD)
            case State.MONITOR:
                return self.heard + SILENCE
        return min(self._next_hb, self.heard + SILENCE, self.commands.due())

    # --- commands -------------------------------------------------------------------------

    def command(self, kind: str, now: float, id: str = '', **fields: Any) -> str:
        """Send a command and wait for its acknowledgement; returns its id.

        Raises
        ------
        FrameError
            If it does not fit into a frame.
        """
        if not id:
            self._count += 1
            id = f'{self._sid}{self._count:x}'
        fields = {'id': id, **fields}
        self._send(kind, fields)
        self.commands.sent(id, kind, fields, now)
        return id

    def stop(self) -> None:
        """Send `stop` at once, before everything that waits; in any state of the session."""
        if self.state in (State.OPEN, State.JOINED):
            self._send('stop', {}, urgent=True)

    def _send(self, kind: str, fields: Mapping[str, Any], urgent: bool = False) -> None:
        self._q = (self._q + 1) % 2**32
        envelope: dict[str, Any] = {'t': kind, 'q': self._q}
        if self._sid:
            envelope['sid'] = self._sid
        self._port.write(encode(envelope | dict(fields)), urgent)

    def _look_after(self, now: float) -> Iterator[Event]:
        for command in self.commands.repeat(now):
            self._send(command.kind, command.fields)
        for command, answer in self.commands.give_up(now):
            yield answer
            if command.kind != 'head' and self.joined:
                # It may have forgotten the session without a word: join anew, repeat nothing.
                yield from self._end('the device does not acknowledge commands')
                self._rejoin(now)

    # --- what arrives ---------------------------------------------------------------------

    def _take(self, frame: schema.DeviceFrame, now: float) -> Iterator[Event]:
        if isinstance(frame, schema.Welcome):
            yield from self._welcome(frame, now)
        elif isinstance(frame, schema.DeviceHello):
            yield from self._hello(frame, now)
        elif not self.joined or frame.sid != self._sid:
            return  # of another session
        elif isinstance(frame, schema.Ack):
            yield from self._ack(frame, now)
        else:
            yield Heard(frame)

    def _hello(self, hello: schema.DeviceHello, now: float) -> Iterator[Event]:
        self.hello = hello
        if self.joined:
            reason = 'rebooted' if hello.boot != self._boot else 'left the session'
            yield from self._end(f'the device {reason}')
            self.state = State.OPEN
        if hello.proto[0] != PROTOCOL[0]:
            if self.state is not State.MONITOR:
                self.state = State.MONITOR
                yield Foreign(hello)
            return
        self._rejoin(now)

    def _rejoin(self, now: float) -> None:
        self.state = State.OPEN
        self._greet(now)

    def _greet(self, now: float) -> None:
        self._greeted = now
        self._sid = f'{self._rng.getrandbits(32):08x}'
        self._send('hello', {'proto': list(PROTOCOL), 'want': self._want.model_dump()})

    def _welcome(self, welcome: schema.Welcome, now: float) -> Iterator[Event]:
        if self.state is not State.OPEN or welcome.sid != self._sid:
            return
        if welcome.caps or self.hello is None or self.hello.boot != welcome.boot:
            self.hello = welcome
        self.state = State.JOINED
        self.joins += 1
        self._backoff.begin_anew()
        self._count = 0
        self._next_hb = now
        rebooted = welcome.boot != self._boot
        self._boot = welcome.boot
        yield Joined(self.hello, rebooted)

    def _ack(self, ack: schema.Ack, now: float) -> Iterator[Event]:
        if ack.st == 'nack' and ack.why == 'stale_session':
            yield from self._end('the device had forgotten the session')
            self._rejoin(now)
            return
        answer = self.commands.take(ack, now)
        if answer is not None:
            yield answer

    # --- opening and closing --------------------------------------------------------------

    def _open(self, now: float) -> None:
        self.state = State.OPENING
        self._backoff.end()
        self._port.open()

    def _silence(self) -> str:
        if self.joined:
            return f'silent for {SILENCE:g} s'
        if self.decoder.stats.bytes == self._bytes_at_open:
            return 'the port is open but mute: unplug the device and plug it in again'
        return 'what is on the port does not speak soul-serial'

    def _close(self, reason: str, now: float) -> Iterator[Event]:
        if self.state is State.CLOSED:
            return
        self._port.close()
        if self.wanted:
            self._backoff.wait(now)
        yield from self._end(reason)

    def _end(self, reason: str) -> Iterator[Event]:
        was_joined = self.joined
        self.state = State.CLOSED
        self.commands.clear()
        self._sid = ''
        self._next_hb = math.inf
        yield Left(reason, was_joined)
