"""Plays the process of voice and ears: a tone for speech, a text for what is loud."""

import argparse
import os
import signal
import sys
from pathlib import Path

from soul.voice.messages import (
    Complete,
    Engines,
    Forget,
    Hear,
    HeardSpeech,
    Hush,
    Piece,
    Speak,
    SpeechBegan,
    SpeechLasts,
    TurnOver,
    VoiceTrouble,
    encode,
    read,
)
from soul.voice.sound import as_floats
from support.opus import tone

RATE = 24_000
#: A tone lasts so long for each character, s.
A_CHARACTER = 0.05
#: Sound is speech if it is louder than this; so much silence ends it, s.
LOUD, END = 0.05, 0.5
LASTS = 0.4


TESTS = str(Path(__file__).resolve().parents[1])
RUN = 'from support.voice_process import main; main()'


def command(*options):
    """The command that runs it."""
    return [sys.executable, '-c', f'import sys; sys.path.insert(0, {TESTS!r}); {RUN}', *options]


def tell(message):
    os.write(1, encode(message))


def main():
    given = argparse.ArgumentParser()
    given.add_argument('--text', default='hello', help='what it understands')
    given.add_argument('--die-at', default='', help='it dies when it is to say this')
    given.add_argument('--mute', action='store_true', help='there is no voice')
    options = given.parse_args()
    if options.mute:
        tell(VoiceTrouble('no voice is installed'))
    tell(Engines('' if options.mute else 'tone', 'loudness'))
    began, last, lasts = None, 0.0, False
    while (message := read(sys.stdin.buffer)) is not None:
        match message:
            case Speak(id, text):
                if options.die_at and options.die_at in text:
                    os.kill(os.getpid(), signal.SIGKILL)
                if options.mute:
                    tell(Complete(id, 'no engine can speak'))
                    continue
                for sentence in text.split('. '):
                    sound = tone(440.0, A_CHARACTER * len(sentence), RATE).tobytes()
                    tell(Piece(id, sentence, RATE, sound))
                tell(Complete(id))
            case Hear(at, samples, own):
                numbers = as_floats(samples)
                if len(numbers) and abs(numbers).max() > LOUD and not message.tail:
                    if began is None:
                        began, lasts = at, False
                        tell(SpeechBegan(at))
                    if own and not lasts and at - began >= LASTS:
                        lasts = True
                        tell(SpeechLasts(at))
                    last = at
                elif began is not None and at - last > END:
                    tell(HeardSpeech(options.text, began, last))
                    began = None
            case TurnOver():
                if began is not None:
                    tell(HeardSpeech(options.text, began, last))
                began = None
            case Forget():
                began = None
            case Hush():
                pass
