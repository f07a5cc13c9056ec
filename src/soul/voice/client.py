"""The driver's end of the process of voice and ears: starts it, and again if it dies."""

from __future__ import annotations

import collections
import contextlib
import itertools
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence

from soul.voice.config import VoiceConfig
from soul.voice.messages import (
    Complete,
    Engines,
    Forget,
    FromEars,
    Guessed,
    Hear,
    HeardSpeech,
    Hush,
    Message,
    Piece,
    SaidAloud,
    Speak,
    SpeechBegan,
    SpeechLasts,
    TurnOver,
    VoiceTrouble,
    encode,
    read,
)

#: What comes of an utterance: pieces of its sound, then that it is complete.
OfUtterance = Callable[[Piece | Complete], None]
#: What is heard, and how the engines are.
OfEars = Callable[[FromEars], None]

_WAITING = 500  # messages; sound that waits so long is worth nothing any more
_AGAIN = 3  # it is started again so often ...
_WITHIN = 600.0  # ... in so many seconds
_END_SECONDS = 5.0
_WRITE_SECONDS = 1.0
_TAIL = 300  # characters of what it wrote last
_ENDED = 'the process of voice and ears ended'


def command(config: VoiceConfig) -> list[str]:
    """Return the command of the process."""
    fields = {name: getattr(config, name) for name in VoiceConfig.model_fields}
    given = VoiceConfig(**fields).model_dump_json()
    return [sys.executable, '-m', 'soul.voice.process', given]


class VoiceClient:
    """Voice and ears, in a process of their own.

    Nothing that is called here blocks. What comes of it is told on a thread of this client.

    Parameters
    ----------
    words
        The command, see :func:`command`.
    tell
        Is told what is heard, and how the engines are.
    """

    def __init__(self, words: Sequence[str], tell: OfEars) -> None:
        self.engines = Engines()
        self.lost = 0  # pieces of sound that nobody could take in time
        self._words = list(words)
        self._tell = tell
        self._numbers = itertools.count(1)
        self._utterances: dict[int, OfUtterance] = {}
        self._lock = threading.Condition()
        self._outbox: collections.deque[Message] = collections.deque()
        self._closed = False
        self._given_up = False
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name='voice', daemon=True)
        self._writer = threading.Thread(target=self._write, name='voice_out', daemon=True)
        self._thread.start()
        self._writer.start()

    # --- what it is asked for -------------------------------------------------------------

    def speak(self, text: str, of_it: OfUtterance) -> int:
        """Make sound of a text; returns its number.

        Parameters
        ----------
        of_it
            Is told each piece, and at the end, always, that it is complete: on a thread of this
            client, or at once if there is no process any more.
        """
        with self._lock:
            id = next(self._numbers)
            runs = not self._given_up
            if runs:
                self._utterances[id] = of_it
                self._put(Speak(id, text))
        if not runs:
            of_it(Complete(id, 'no voice is running'))
        return id

    def hush(self, id: int) -> None:
        """Make no more sound of it; that it is complete is still told."""
        with self._lock:
            self._put(Hush(id))

    def hear(self, samples: bytes, at: float, own: bool = False, tail: bool = False) -> None:
        """Take sound of the microphone, see :class:`~soul.voice.messages.Hear`."""
        with self._lock:
            if len(self._outbox) >= _WAITING:
                self.lost += 1
                return
            self._put(Hear(at, samples, own, tail))

    def turn_over(self) -> None:
        """Whoever speaks has finished."""
        with self._lock:
            self._put(TurnOver())

    def forget(self) -> None:
        """What was heard so far is void."""
        with self._lock:
            self._put(Forget())

    def spoke(self, text: str) -> None:
        """She speaks this by other means."""
        with self._lock:
            self._put(SaidAloud(text))

    @property
    def pid(self) -> int:
        """Number of the process; 0: there is none."""
        return self._process.pid if self._process is not None else 0

    def close(self) -> None:
        """End the process and join the threads; nothing is told afterwards."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
        process = self._process
        self._writer.join(_WRITE_SECONDS)
        if self._writer.is_alive() and process is not None:  # it takes nothing any more
            process.kill()
        self._writer.join()
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError):  # what was buffered reaches nobody
                process.stdin.close()
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join()
        self._log.close()

    @property
    def closed(self) -> bool:
        """Whether it has been told to end."""
        return self._closed

    def _put(self, message: Message) -> None:
        self._outbox.append(message)
        self._lock.notify_all()

    # --- the threads ----------------------------------------------------------------------

    def _run(self) -> None:
        starts: collections.deque[float] = collections.deque(maxlen=_AGAIN)
        while True:
            with self._lock:
                if self._closed:
                    return
                try:
                    process = self._process = subprocess.Popen(
                        self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        stderr=self._log, start_new_session=True,
                    )  # fmt: skip
                except OSError as error:
                    self._process = None
                    why = f'the process of voice and ears does not start: {error}'
                    break
                self._lock.notify_all()
            self._read(process)
            code = process.wait()
            if self.closed:
                return
            why = f'{_ENDED} ({code}{self._tail()})'
            self._all_over(why)
            now = time.monotonic()
            if len(starts) == _AGAIN and now - starts[0] < _WITHIN:
                why = f'{why} again and again; she is mute and deaf until a new start'
                break
            starts.append(now)
            self._tell(VoiceTrouble(f'{why}; it is started again'))
        with self._lock:
            self._process = None
            self._given_up = True
            self._lock.notify_all()
        self._all_over(why)
        self._tell(VoiceTrouble(why))

    def _tail(self) -> str:
        """Return the last that it wrote for people."""
        end = self._log.seek(0, 2)
        self._log.seek(max(0, end - _TAIL))
        text = ' '.join(self._log.read().decode(errors='replace').split())
        return f': … {text[-_TAIL:]}' if text else ''

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as stream:
            try:
                while (message := read(stream)) is not None and not self.closed:
                    self._take(message)
            except ValueError:
                process.kill()

    def _take(self, message: Message) -> None:
        match message:
            case Piece(id=id):
                if id in self._utterances:
                    self._utterances[id](message)
            case Complete(id):
                of_it = self._utterances.pop(id, None)
                if of_it is not None:
                    of_it(message)
            case Engines():
                self.engines = message
                self._tell(message)
            case SpeechBegan() | SpeechLasts() | Guessed() | HeardSpeech() | VoiceTrouble():
                self._tell(message)

    def _all_over(self, why: str) -> None:
        """Whatever was being spoken is not any more."""
        self.engines = Engines()
        with self._lock:
            over, self._utterances = self._utterances, {}
            self._outbox.clear()
        for id, of_it in over.items():
            of_it(Complete(id, why))
        self._tell(self.engines)

    def _write(self) -> None:
        while True:
            with self._lock:
                while not self._closed and (not self._outbox or self._process is None):
                    self._lock.wait()
                if self._closed:
                    return
                message, process = self._outbox.popleft(), self._process
            assert process is not None
            assert process.stdin is not None
            try:
                process.stdin.write(encode(message))
                process.stdin.flush()
            except (OSError, ValueError):
                pass  # it has ended, which the other thread finds out
