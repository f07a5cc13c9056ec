"""`soul voice` and `soul ears`: what she needs to speak and hear, and whether it works."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from soul.cli.common import fail
from soul.core.interfaces import EXIT_REFUSED

if TYPE_CHECKING:
    from soul.voice.trial import Trial


def _known(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Take the name of a language, if there is anything for it here."""
    from soul.voice.languages import UnknownLanguage, language_of

    try:
        return language_of(value)
    except UnknownLanguage as error:
        fail(str(error), EXIT_REFUSED)


_SENTENCES = {
    'en': 'Good morning. There is nothing but fog outside, and I like it.',
    'ja': 'おはようございます。外は霧ばかりで、わたしはそれが好きです。',
    'zh': '早上好。外面只有雾，我很喜欢。',
}
_LANGUAGE = click.option(
    '--language', default='en', show_default=True, help='en, ja, zh, ...', callback=_known
)
_NAME = click.option('--name', default='', help='Name of the voice; empty: the first one.')


def add_to(app: click.Group) -> None:
    """Add these commands to the `soul` command."""
    app.add_command(voice)
    app.add_command(ears)


@click.group()
def voice() -> None:
    """Her voice: bring it onto this machine, and try it."""


@click.group()
def ears() -> None:
    """Her ears: try them."""


@voice.command()
@click.argument('language', default='en', callback=_known)
def install(language: str) -> None:
    """Install what she needs to speak and hear LANGUAGE: en, ja, zh, or another to hear only."""
    from soul.cli.output import write
    from soul.voice.condition import lacking
    from soul.voice.install import NotInstalled
    from soul.voice.install import install as bring

    try:
        bring(language, write, thorough=True)
    except NotInstalled as error:
        fail(str(error))
    write('voice and ears are installed' if not lacking(language) else 'something is missing')


@voice.command()
@click.argument('text', default='')
@_LANGUAGE
@_NAME
@click.option('--keep', default='', help='Write what was spoken into this WAV file.')
def test(text: str, language: str, name: str, keep: str) -> None:
    """Speak TEXT, listen to it, and show how long everything takes."""
    from soul.cli.output import write
    from soul.voice.sound import write_wave
    from soul.voice.trial import TrialFailed

    text = text or _SENTENCES.get(language, _SENTENCES['en'])
    trial = _trial(language, name)
    try:
        write(f'loaded in {trial.load(True, True):.1f} s')
        write(f'speaks: {trial.engines.mouth}; listens: {trial.engines.ear}')
        for attempt in ('cold', 'warm'):
            said = trial.speak(text)
            write(
                f'{attempt}: first sound after {said.first:.2f} s, '
                f'{said.clip.seconds:.1f} s of sound after {said.whole:.2f} s'
            )
        if keep:
            Path(keep).write_bytes(write_wave(said.clip))
        write(f'spoken: {text}')
        for heard in trial.listen(said.clip, real_time=True):
            write(f'heard:  {heard.text or heard.invented} (understood in {heard.seconds:.2f} s)')
    except TrialFailed as failed:
        fail(str(failed))
    except OSError as error:
        fail(f'{keep}: {error.strerror}')
    finally:
        trial.close()


@ears.command(name='test')
@click.argument('file')
@_LANGUAGE
def listen(file: str, language: str) -> None:
    """Listen to FILE, a WAV file of 16 bit, and show what is heard in its first five minutes."""
    from soul.cli.output import write
    from soul.voice.recording import LONGEST, read_recording
    from soul.voice.trial import TrialFailed

    try:
        clip, more = read_recording(Path(file))
    except ValueError as error:
        fail(f'{file}: {error} (ffmpeg -i IN -ac 1 -sample_fmt s16 OUT.wav makes what is wanted)')
    if more:
        write(f'{file} is longer: only its first {LONGEST:.0f} s are listened to')
    trial = _trial(language, '')
    try:
        write(f'loaded in {trial.load(False, True):.1f} s; listens: {trial.engines.ear}')
        heard = 0
        for one in trial.listen(clip):
            heard += 1
            text = f'(dropped: {one.invented}) {one.text}' if one.invented else one.text
            write(f'{one.began:6.1f} to {one.ended:5.1f} s  {text}')
        if not heard:
            write(f'nobody speaks in {clip.seconds:.1f} s')
    except TrialFailed as failed:
        fail(str(failed))
    finally:
        trial.close()


def _trial(language: str, name: str) -> Trial:
    from soul.voice.config import VoiceConfig
    from soul.voice.trial import Trial

    return Trial(VoiceConfig(voice=True, voice_language=language, voice_name=name))
