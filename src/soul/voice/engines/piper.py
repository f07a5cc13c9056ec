"""Any voice of Piper, by its own program: its licence is the GPL, so it stays a process apart."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from soul.voice.engines.port import EngineFailed, EngineMissing
from soul.voice.sound import Clip

_SECONDS = 30.0


class Piper:
    """One voice.

    Parameters
    ----------
    model
        The voice: a file .onnx with its .onnx.json beside it.
    command
        How the program is called.

    Raises
    ------
    EngineMissing
        If the program or the voice is not there.
    """

    def __init__(self, language: str, model: str, command: str = 'piper') -> None:
        words = shlex.split(command)
        program = shutil.which(words[0]) if words else None
        if program is None:
            raise EngineMissing(
                f'the program {command!r} is not installed (pip install piper-tts, in an '
                'environment of its own; name it with voice_piper)'
            )
        about = Path(f'{model}.json')
        try:
            self._rate = int(json.loads(about.read_text(encoding='utf-8'))['audio']['sample_rate'])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EngineMissing(f'{about} tells no rate of a Piper voice: {error}') from None
        self.name = f'piper {Path(model).stem}'
        self.language = language
        self._command = [program, *words[1:], '--model', model, '--output-raw']

    def speak(self, sentence: str) -> Iterator[Clip]:
        """Give the sound of a sentence."""
        try:
            told = subprocess.run(
                self._command,
                input=sentence.replace('\n', ' ').encode() + b'\n',
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EngineFailed(f'{self.name}: {error}') from error
        if told.returncode or not told.stdout:
            why = ' '.join(told.stderr.decode(errors='replace').split())[-200:]
            raise EngineFailed(f'{self.name}: {why or f"it ended with {told.returncode}"}')
        yield Clip(told.stdout[: len(told.stdout) // 2 * 2], self._rate)
