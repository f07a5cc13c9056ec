"""One terminal at her side: does what its lines ask for, by a link like any other."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from soul.core.border import Border
from soul.core.errors import StartRefused
from soul.core.refusal import answer_type, refused
from soul.terminal import codec
from soul.terminal.link import Link, NobodyThere
from soul.terminal.protocol import Garbled, Greeting, ReceivedLines, encode

#: A terminal says what it wants within this, s; one that is silent for longer holds no place.
FIRST_SECONDS = 10.0
#: No service is waited for longer, s.
LONGEST_CALL = 60.0
#: So much may one terminal listen to at once.
MOST_HEARD = 64
_NAME = re.compile(r'/?[A-Za-z_]\w*(?:/[A-Za-z_]\w*)*', re.ASCII)
_LONGEST_NAME = 200


class TerminalSession:
    """The connection of one terminal.

    Whatever it sends costs no more than its own connection. What it asks for goes through a link
    of its own to the services and topics that everybody uses, so it has the same limits and
    answers.

    Parameters
    ----------
    border
        Checks what is asked, as an organ's does.
    tell
        Hears what happened for the log: (level, text).
    """

    def __init__(
        self,
        connection: socket.socket,
        greeting: Greeting,
        open_link: Callable[[], Link],
        border: Border,
        tell: Callable[[str, str], None],
    ) -> None:
        self._connection = connection
        self._greeting = greeting
        self._open_link = open_link
        self._border = border
        self._tell = tell
        self._made: Link | None = None
        self._heard = 0
        self._sending = threading.Lock()
        self._over = False
        self._echoes: list[threading.Thread] = []
        self._questions: dict[str, Callable[[int, dict[str, Any]], None]] = {
            'hear': self._hear,
            'health': self._health,
            'said': self._said,
            'call': self._call,
            'topics': self._topics,
            'echo': self._echo,
        }

    def run(self) -> None:
        """Serve it until one of both ends hangs up."""
        try:
            self._serve()
        except OSError:  # the terminal has gone
            pass
        finally:
            self.end()
            if self._made is not None:
                self._made.close()
            for thread in self._echoes:
                thread.join()
            self._connection.close()

    def end(self) -> None:
        """Hang up; from any thread."""
        self._over = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        self._send(self._greeting.to_line())
        lines = ReceivedLines(self._connection)
        seconds: float | None = FIRST_SECONDS
        try:
            while (line := lines.next(seconds)) is not None:
                seconds = None
                self._take(line)
        except (Garbled, codec.NotASignal, TimeoutError) as why:
            self._tell('debug', f'a terminal was not understood: {why}')
            self._send({'error': str(why)})

    def _send(self, line: dict[str, Any]) -> None:
        data = encode(line)
        with self._sending:
            self._connection.sendall(data)

    def _say(self, line: dict[str, Any]) -> None:
        """Send what was heard; a terminal that has gone is noticed by whoever reads from it."""
        try:
            self._send(line)
        except OSError:
            self.end()

    def _link(self) -> Link:
        if self._made is None:
            self._made = self._open_link().start()
        return self._made

    # --- what it asks ---------------------------------------------------------------------

    def _take(self, line: dict[str, Any]) -> None:
        number = line.get('id')
        if type(number) is not int:
            raise Garbled('a line without its number, id')
        work = next((work for word, work in self._questions.items() if word in line), None)
        if work is None:
            raise Garbled('a line that asks for nothing known')
        try:
            work(number, line)
        except NobodyThere as why:
            self._send({'id': number, 'absent': str(why)})
        except StartRefused as why:
            self._send({'id': number, 'refused': str(why)})

    def _hear(self, number: int, line: dict[str, Any]) -> None:
        kind = codec.kind_of(_text(line, 'kind'))
        if kind.__name__.endswith(('Request', 'Answer', 'Goal', 'Result', 'Feedback')):
            raise Garbled(f'{kind.__name__} is said on no topic')
        self._count()
        self._link().listen(
            _name(line, 'hear'),
            kind,
            lambda signal: self._say({'id': number, 'heard': codec.to_plain(signal)}),
        )

    def _health(self, number: int, line: dict[str, Any]) -> None:
        self._count()
        self._link().listen_health(
            lambda organ, level, text: self._say({'id': number, 'heard': [organ, level, text]})
        )

    def _count(self) -> None:
        self._heard += 1
        if self._heard > MOST_HEARD:
            raise Garbled(f'more than {MOST_HEARD} things are listened to')

    def _said(self, number: int, line: dict[str, Any]) -> None:
        said = self._link().is_said(_name(line, 'said'), _name(line, 'by'))
        self._send({'id': number, 'answer': said})

    def _call(self, number: int, line: dict[str, Any]) -> None:
        name = _name(line, 'call')
        kind = codec.kind_of(_text(line, 'kind'))
        if not kind.__name__.endswith('Request'):
            raise Garbled(f'{kind.__name__} is no request')
        request = codec.from_plain(kind, line.get('request'))
        passed = self._border.admit(name, request, time.monotonic())
        for report in passed.reports:
            self._tell(report.level, f'a terminal: {report.text}')
        if passed.signal is None:
            answer = refused(answer_type(kind), passed.reason)
        else:
            answer = self._link().call(name, passed.signal, _seconds(line))
        self._send({'id': number, 'answer': codec.to_plain(answer)})

    def _topics(self, number: int, line: dict[str, Any]) -> None:
        self._send({'id': number, 'answer': self._link().topics(line['topics'] is True)})

    def _echo(self, number: int, line: dict[str, Any]) -> None:
        self._count()
        topic, field, seconds = _name(line, 'echo'), _text(line, 'field'), _seconds(line)
        messages = self._link().echo(topic, field, seconds)

        def pass_on() -> None:
            try:
                for message in messages:
                    self._say({'id': number, 'heard': message})
                    if self._over:
                        return
            except NobodyThere as why:
                self._say({'id': number, 'absent': str(why)})
            except StartRefused as why:
                self._say({'id': number, 'refused': str(why)})

        # Nobody knows when the next one comes; meanwhile a terminal that hangs up is noticed.
        thread = threading.Thread(target=pass_on, name='terminal echo', daemon=True)
        self._echoes.append(thread)
        thread.start()


def _text(line: dict[str, Any], key: str) -> str:
    value = line.get(key)
    if not isinstance(value, str):
        raise Garbled(f'{key} is no text')
    return value


def _name(line: dict[str, Any], key: str) -> str:
    value = _text(line, key)
    if len(value) > _LONGEST_NAME or not _NAME.fullmatch(value):
        raise Garbled(f'{value[:60]!r} is no name')
    return value


def _seconds(line: dict[str, Any]) -> float:
    value = line.get('seconds')
    if (
        not isinstance(value, (int, float))
        or isinstance(value, bool)
        or not 0.0 <= value <= 3600.0
    ):
        raise Garbled('seconds is no number from 0 to 3600')
    return min(float(value), LONGEST_CALL)
