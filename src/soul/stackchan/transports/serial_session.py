"""The host's side of soul-serial: open, join, stay alive, acknowledge, begin anew.

A session is one joining of one boot of the device. Whatever was sent in a session ends with it:
nothing is repeated in the next one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from soul.stackchan.transports import serial_codec
from soul.stackchan.transports.base import PortBase
from soul.stackchan.transports.commands import (
    BodyCommand,
    CaptureCommand,
    SayCommand,
    SoundBegin,
    SoundPacket,
    TooLong,
)
from soul.stackchan.transports.events import Foreign, Heard, PhotoTaken, PortEvent
from soul.stackchan.transports.frame_stream import FrameStream
from soul.stackchan.transports.link import LinkNews, Lost, Received, Up
from soul.stackchan.transports.pending import PendingCommands
from soul.stackchan.transports.port import SILENCE, PortState
from soul.wire import FrameError, encode, schema

PROTOCOL = (1, 0)

HB_PERIOD = 0.5

_HELLO_PERIOD = 1.0
#: A device that an earlier host has joined says nothing by itself: it is greeted after that, s.
_FIRST_GREETING = 0.1


class ByteLine(Protocol):
    """A line of bytes that can be opened. None of it blocks; what happens is told as news."""

    def open(self) -> int:
        """Begin to open it; returns the number of this opening, from 1."""

    def write(self, data: bytes, urgent: bool = False) -> None:
        """Send bytes; urgent ones go before everything that still waits."""

    def close(self) -> None:
        """Close it, whatever is under way."""


class SerialSession(PortBase):
    """A :class:`~soul.stackchan.transports.port.BodyPort` over a line of bytes.

    Parameters
    ----------
    want
        Rates at which the device is to tell its readings.
    backoff
        Shortest and longest wait before connecting anew, s.
    uid
        The device that is wanted, as it calls itself; empty: whichever is there.
    """

    def __init__(
        self,
        line: ByteLine,
        want: schema.Want,
        backoff: tuple[float, float],
        rng: random.Random,
        uid: str = '',
    ) -> None:
        super().__init__(backoff, rng)
        self.stream = FrameStream()
        self.pending = PendingCommands()
        self._picture = serial_codec.PictureAssembly()
        self._sound = serial_codec.SoundStream()
        self._line = line
        self._want = want
        self._rng = rng
        self._uid = uid
        self._q = 0
        self.sid = ''
        self._greeted = -math.inf
        self._next_hb = math.inf
        self._count = 0  # of the commands of this session

    # --- the line -------------------------------------------------------------------------

    def take(self, news: LinkNews, now: float) -> Iterator[PortEvent]:
        """Take what the line's thread has found out; what is of an earlier opening is void."""
        if news.opening != self._opening:
            return
        match news:
            case Up() if self.state is PortState.OPENING:
                self._opened(now)
            case Received(data=data):
                yield from self._received(data, now)
            case Lost(reason=reason):
                yield from self._close(reason, now)

    def step(self, now: float) -> Iterator[PortEvent]:
        """Do what is due."""
        self._open_if_due(now)
        listening = self.state not in (PortState.CLOSED, PortState.OPENING)
        if listening and now - self.heard >= SILENCE:
            yield from self._close(self._silence(), now)
            return
        if self.state is PortState.OPEN and now - self._greeted >= _HELLO_PERIOD:
            self._greet(now)
        if self.joined:
            if now >= self._next_hb:
                self._next_hb = now + HB_PERIOD
                self._write('hb', {})
            yield from self._look_after(now)

    def due(self) -> float:
        """When :meth:`step` has something to do next."""
        match self.state:
            case PortState.CLOSED:
                return self._pause.due
            case PortState.OPENING:
                return math.inf
            case PortState.OPEN:
                return min(self.heard + SILENCE, self._greeted + _HELLO_PERIOD)
            case PortState.MONITOR:
                return self.heard + SILENCE
        return min(self._next_hb, self.heard + SILENCE, self.pending.due())

    def _opened(self, now: float) -> None:
        self.state = PortState.OPEN
        self.heard = now
        self._greeted = now - _HELLO_PERIOD + _FIRST_GREETING
        self.stream.begin()
        self._line.write(b'\n')  # ends whatever the device has taken in before

    def _received(self, data: bytes, now: float) -> Iterator[PortEvent]:
        if self.state in (PortState.CLOSED, PortState.OPENING):
            return
        for frame in self.stream.read(data):
            self.heard = now
            yield from self._frame(frame, now)

    def _silence(self) -> str:
        if self.joined:
            return f'silent for {SILENCE:g} s'
        if self.stream.mute:
            return 'the port is open but mute: unplug the device and plug it in again'
        if self.stream.greeting_fault:
            return f'its greeting is not soul-serial 1.0: {self.stream.greeting_fault}'
        return 'what is on the port does not speak soul-serial'

    def _open_line(self) -> int:
        return self._line.open()

    def _close_line(self) -> None:
        self._line.close()

    def _forget(self) -> None:
        self.pending.clear()
        self.sid = ''
        self._next_hb = math.inf

    # --- commands -------------------------------------------------------------------------

    def send(self, command: BodyCommand, now: float) -> str:
        """Send a command and wait for its acknowledgement; returns its id.

        Raises
        ------
        TooLong
            If it does not fit into a frame.
        """
        id = command.id if isinstance(command, SayCommand) else ''
        if not id:
            self._count += 1
            id = f'{self.sid}{self._count:x}'
        if isinstance(command, SoundPacket):
            self._write('pcm', self._sound.piece(command.data))
            return id
        kind, fields = serial_codec.frame_of(command)
        fields = {'id': id, **fields}
        if isinstance(command, SoundBegin):
            self._sound.begin()
        if isinstance(command, CaptureCommand):
            self._picture.begin()
        try:
            self._write(kind, fields)
        except FrameError as error:
            raise TooLong(str(error)) from error
        self.pending.sent(id, kind, fields, now)
        return id

    def halt(self) -> None:
        """Send `stop` at once, before everything that waits; in any state of the session."""
        if self.state in (PortState.OPEN, PortState.JOINED):
            self._write('stop', {}, urgent=True)

    def _write(self, kind: str, fields: Mapping[str, Any], urgent: bool = False) -> None:
        self._q = (self._q + 1) % 2**32
        envelope: dict[str, Any] = {'t': kind, 'q': self._q}
        if self.sid:
            envelope['sid'] = self.sid
        self._line.write(encode(envelope | dict(fields)), urgent)

    def _look_after(self, now: float) -> Iterator[PortEvent]:
        for command in self.pending.repeat(now):
            self._write(command.kind, command.fields)
        for command, answer in self.pending.give_up(now):
            yield answer
            if command.kind != 'head' and self.joined:
                # It may have forgotten the session without a word: join anew, repeat nothing.
                yield from self._end('the device does not acknowledge commands')
                self._rejoin(now)

    # --- what arrives ---------------------------------------------------------------------

    def _frame(self, frame: schema.DeviceFrame, now: float) -> Iterator[PortEvent]:
        if isinstance(frame, schema.Welcome):
            yield from self._welcome(frame, now)
        elif isinstance(frame, schema.DeviceHello):
            yield from self._hello(frame, now)
        elif not self.joined or frame.sid != self.sid:
            return  # of another session
        elif isinstance(frame, schema.Ack):
            yield from self._ack(frame, now)
        elif isinstance(frame, schema.Jpg):
            whole = self._picture.take(frame)
            if whole is not None:
                yield Heard(PhotoTaken(whole), frame.up)
        elif (told := serial_codec.told_by(frame)) is not None:
            yield Heard(told, frame.up)

    def _hello(self, hello: schema.DeviceHello, now: float) -> Iterator[PortEvent]:
        about = serial_codec.about_of(hello)
        if not serial_codec.same_uid(about.uid, self._uid):
            reason = f'the device there is {about.uid or "without a name"}, wanted is {self._uid}'
            yield from self._close(reason, now)
            return
        self.about = about
        if self.joined:
            reason = 'rebooted' if hello.boot != self._boot else 'left the session'
            yield from self._end(f'the device {reason}')
            self.state = PortState.OPEN
        if hello.proto[0] != PROTOCOL[0]:
            if self.state is not PortState.MONITOR:
                self.state = PortState.MONITOR
                yield Foreign(hello.proto)
            return
        self._rejoin(now)

    def _rejoin(self, now: float) -> None:
        self.state = PortState.OPEN
        self._greet(now)

    def _greet(self, now: float) -> None:
        self._greeted = now
        self.sid = f'{self._rng.getrandbits(32):08x}'
        self._write('hello', {'proto': list(PROTOCOL), 'want': self._want.model_dump()})

    def _welcome(self, welcome: schema.Welcome, now: float) -> Iterator[PortEvent]:
        if self.state is not PortState.OPEN or welcome.sid != self.sid:
            return
        about = serial_codec.about_of(welcome)
        if about.uid and not serial_codec.same_uid(about.uid, self._uid):
            reason = f'the device there is {about.uid}, wanted is {self._uid}'
            yield from self._close(reason, now)
            return
        self._count = 0
        self._next_hb = now
        if not about.capabilities and self.about is not None and self.about.boot == about.boot:
            about = self.about  # it has said more of itself before
        yield self._join(about)

    def _ack(self, ack: schema.Ack, now: float) -> Iterator[PortEvent]:
        if ack.st == 'nack' and ack.why == 'stale_session':
            yield from self._end('the device had forgotten the session')
            self._rejoin(now)
            return
        answer = self.pending.take(ack, now)
        if answer is not None:
            yield answer

    # --- for people -----------------------------------------------------------------------

    def figures(self) -> dict[str, str]:
        """Return the counts of frames and commands."""
        return self.stream.figures() | self.pending.figures()

    def trouble(self) -> str:
        """Return what is wrong with its greeting, or that more frames are lost than is usual."""
        return self.stream.trouble()
