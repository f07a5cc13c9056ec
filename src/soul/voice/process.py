"""The process of voice and ears: engines hold interpreter and processor, so they are apart.

Reads messages from standard input and writes messages to standard output, and ends when standard
input does: that is, with whoever started it, however that ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from soul.voice import make
from soul.voice.config import VoiceConfig
from soul.voice.listening import EarThreads
from soul.voice.messages import (
    Engines,
    Forget,
    Hear,
    Hush,
    Message,
    SaidAloud,
    Speak,
    TurnOver,
    VoiceTrouble,
    encode,
    read,
)
from soul.voice.sound import EAR_RATE, Clip, write_wave
from soul.voice.speaking import MouthThread


class VoiceProcess:
    """Voice and ears over two pipes."""

    def __init__(self, config: VoiceConfig, out: int) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._mouth = self._ear = ''
        self._mouth_tried = self._ear_tried = False
        self._told: set[str] = set()
        self._folder = Path(config.ears_folder).expanduser() if config.ears_folder else None
        self._speaking = MouthThread(
            make.mouths(config), make.second_mouth(config), config.voice_language,
            config.voice_engine == 'embedded' and config.voice_language in make.SLOW,
            self._tell, self._mouth_ready,
        )  # fmt: skip
        self._listening = self._ears(config)

    def _ears(self, config: VoiceConfig) -> EarThreads | None:
        ears = make.ears(config)
        if not ears:
            self._ear_tried = True
            return None
        from soul.voice.engines.silero import Silero

        return EarThreads(
            Silero, ears, config.voice_language, make.rules(config), self._tell, self._ear_ready,
            self._keep if self._folder is not None else None, self._speaking.reading,
        )  # fmt: skip

    def take(self, message: Message) -> None:
        """Take a message of the driver."""
        match message:
            case Speak():
                self._spoke(message.text)
                self._speaking.speak(message)
            case Hush(id):
                self._speaking.hush(id)
            case SaidAloud(text):
                self._spoke(text)
            case Hear() | TurnOver() | Forget():
                if self._listening is not None:
                    self._listening.take(message)

    def _spoke(self, text: str) -> None:
        if self._listening is not None:
            self._listening.spoke(text)

    def _tell(self, message: Message) -> None:
        data = encode(message)
        with self._lock:
            while data:
                data = data[os.write(self._out, data) :]

    def _mouth_ready(self, name: str, troubles: Sequence[str]) -> None:
        self._mouth, self._mouth_tried = name, True
        self._changed(troubles)

    def _ear_ready(self, name: str, troubles: Sequence[str]) -> None:
        self._ear, self._ear_tried = name, True
        self._changed(troubles)

    def _changed(self, troubles: Sequence[str]) -> None:
        for trouble in troubles:
            if trouble not in self._told:
                self._told.add(trouble)
                self._tell(VoiceTrouble(trouble))
        tried = self._mouth_tried, self._ear_tried
        self._tell(Engines(self._mouth, self._ear, *tried))

    def _keep(self, samples: bytes, text: str) -> None:
        """Store what was heard, for who asked for that."""
        assert self._folder is not None
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            name = time.strftime('%Y%m%d-%H%M%S', time.gmtime()) + f'-{time.monotonic_ns()}'
            (self._folder / f'{name}.wav').write_bytes(write_wave(Clip(samples, EAR_RATE)))
            (self._folder / f'{name}.txt').write_text(text + '\n', encoding='utf-8')
        except OSError as error:
            self._changed([f'what was heard is not stored: {error.strerror}'])


def _die(broken: threading.ExceptHookArgs) -> None:
    """End with a thread that has a bug: half deaf or mute, nobody would notice."""
    threading.__excepthook__(broken)
    sys.stderr.flush()
    os._exit(1)


def main() -> int:
    """Serve until standard input ends."""
    threading.excepthook = _die
    config = VoiceConfig.model_validate_json(sys.argv[1])
    os.nice(config.voice_nice)
    # What libraries print must not come between the messages.
    out = os.dup(1)
    os.dup2(2, 1)
    process = VoiceProcess(config, out)
    try:
        while (message := read(sys.stdin.buffer)) is not None:
            process.take(message)
    except ValueError as error:
        print(error, file=sys.stderr)  # noqa: T201
        os._exit(1)
    os._exit(0)  # threads deep in an engine have nothing to write down


if __name__ == '__main__':
    sys.exit(main())
