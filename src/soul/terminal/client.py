"""The command line's end of the socket."""

from __future__ import annotations

import contextlib
import os
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from soul.core.errors import StartRefused
from soul.core.refusal import answer_type
from soul.terminal import codec
from soul.terminal.link import CALL_SECONDS, Link, LinkLost, NobodyThere
from soul.terminal.protocol import Garbled, Greeting, ReceivedLines, encode

S = TypeVar('S')

#: A living process greets within this, s.
GREET_SECONDS = 2.0
#: So much longer than she may take is waited for her answer, s.
GRACE_SECONDS = 3.0
#: Longest look for topics, s; hers is shorter.
TOPICS_SECONDS = 20.0
_GONE = (
    'she has gone while this command waited; whether what was asked for still happened is not '
    'known. `soul up` starts her, then `soul status` shows how she is'
)


class NoSocket(Exception):
    """Nobody can be spoken to at that path; says why."""


class SocketLink(Link):
    """A terminal's connection over the socket of a home.

    Raises
    ------
    NoSocket
        If nobody greets there.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._connection.settimeout(GREET_SECONDS)
            self._connection.connect(os.fspath(path))
            self._connection.settimeout(None)
            self._lines = ReceivedLines(self._connection)
            line = self._lines.next(GREET_SECONDS)
            if line is None:
                raise NoSocket(f'whoever listens at {path} hung up')
            #: What she said first.
            self.greeting = Greeting.from_line(line)
        except (OSError, Garbled) as error:
            self._connection.close()
            raise NoSocket(f'{path}: {error}') from error
        except BaseException:
            self._connection.close()
            raise
        self.namespace = self.greeting.namespace
        self._number = 0
        self._hearers: dict[int, Callable[[dict[str, Any]], None]] = {}
        self._sending = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._read, name='link', daemon=True)

    def start(self) -> Link:
        """Begin to hear, on a thread of its own; returns itself."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Close the connection and end the thread."""
        self._closed = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(2.0)
        self._connection.close()

    # --- on the link's thread -------------------------------------------------------------

    def _read(self) -> None:
        why = _GONE
        try:
            while (line := self._lines.next()) is not None:
                if 'error' in line:
                    why = f'she did not understand this command: {str(line["error"])[:500]}'
                    break
                hearer = self._hearers.get(line.get('id', 0))
                if hearer is not None:
                    hearer(line)
        except OSError:
            pass
        except (Garbled, codec.NotASignal) as garbled:
            why = f'what she said was not understood: {garbled}'
        if self._closed:
            why = 'this command ends'
        self.lost = why
        for hearer in list(self._hearers.values()):
            hearer({'lost': why})
        self.on_lost()

    # --- asking ---------------------------------------------------------------------------

    def _ask(self, line: dict[str, Any], hear: Callable[[dict[str, Any]], None]) -> int:
        with self._sending:
            self._number += 1
            number = self._number
            self._hearers[number] = hear
            if not self.lost:
                try:
                    self._connection.sendall(encode({'id': number, **line}))
                except OSError:
                    if self._thread.is_alive():  # she may have said why before she hung up
                        self._thread.join(GRACE_SECONDS)
                    raise LinkLost(self.lost or _GONE) from None
        if self.lost:
            raise LinkLost(self.lost)
        return number

    def _answer(self, line: dict[str, Any], seconds: float) -> Any:
        answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        number = self._ask(line, answers.put)
        try:
            answer = answers.get(timeout=seconds)
        except queue.Empty:
            raise LinkLost(
                f'process {self.greeting.pid}, in which she lives, does not answer; whether what '
                'was asked for still happens is not known'
            ) from None
        finally:
            del self._hearers[number]
        return _got(answer, 'answer')

    def call(self, name: str, request: Any, seconds: float = CALL_SECONDS) -> Any:
        """Call a service of hers and return its answer; raises as :class:`Link`."""
        kind = type(request)
        line = {
            'call': name,
            'kind': kind.__name__,
            'request': codec.to_plain(request),
            'seconds': seconds,
        }
        # She looks for the service, then waits for its answer, each for so long.
        return codec.from_plain(answer_type(kind), self._answer(line, 2 * seconds + GRACE_SECONDS))

    def is_said(self, topic: str, by: str) -> bool:
        """Tell whether somebody publishes a topic, or a node named `by` runs."""
        return bool(self._answer({'said': topic, 'by': by}, GRACE_SECONDS))

    def topics(self, everything: bool) -> list[tuple[str, str, str]]:
        """Return the topics that somebody publishes; raises as :class:`Link`."""
        rows = self._answer({'topics': everything}, TOPICS_SECONDS)
        return [(str(name), str(manner), str(kind)) for name, manner, kind in rows]

    # --- hearing --------------------------------------------------------------------------

    def listen(self, topic: str, kind: type[S], hear: Callable[[S], None]) -> None:
        """Ask the other end for a topic; what it sends goes to `hear`."""

        def take(line: dict[str, Any]) -> None:
            if 'heard' in line:
                hear(codec.from_plain(kind, line['heard']))

        self._ask({'hear': topic, 'kind': kind.__name__}, take)

    def listen_health(self, hear: Callable[[str, str, str], None]) -> None:
        """Hear how her organs are."""

        def take(line: dict[str, Any]) -> None:
            if 'heard' in line:
                organ, level, text = line['heard']
                hear(str(organ), str(level), str(text))

        self._ask({'health': True}, take)

    def echo(self, topic: str, field: str, seconds: float) -> Iterator[Any]:
        """Hear the messages of any topic; raises as :class:`Link`."""
        heard: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._ask({'echo': topic, 'field': field, 'seconds': seconds}, heard.put)
        while True:
            yield _got(heard.get(), 'heard')


def _got(line: dict[str, Any], key: str) -> Any:
    """Return what an answer holds, or raise what it says instead."""
    if 'lost' in line:
        raise LinkLost(line['lost'])
    if 'absent' in line:
        raise NobodyThere(str(line['absent']))
    if 'refused' in line:
        raise StartRefused(str(line['refused']))
    return line.get(key)
