"""Her workbench: the folder where she makes things."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.store.durable import make_folder
from soul.store.pages import decoded, shown
from soul.store.regular import read_regular
from soul.store.text import append_text, replace_text

#: Largest file she writes, and most files she is shown, bytes and number.
LARGEST = 200_000
MOST_LISTED = 200
PLAN = 'PLAN.md'
REFLECTIONS = 'REFLECTIONS.md'
#: Actions that change nothing.
LOOKING = ('read', 'list')


class OffTheBench(ValueError):
    """A path that is not on the workbench."""


class BenchArguments(Arguments):
    """Arguments of workbench."""

    action: Literal['write', 'append', 'read', 'list', 'plan', 'reflect'] = Field(
        description='write: make a file anew; append; read; list: what is there; plan: what you '
        'mean to do next (you see it when you wake); reflect: a thought about your work, kept in '
        'its log.'
    )
    path: str = Field('', max_length=200, description='For write, append and read: the file.')
    text: str = Field('', max_length=LARGEST, description='What to write.')

    @model_validator(mode='after')
    def _enough(self) -> BenchArguments:
        if self.action in ('write', 'append', 'read') and not self.path.strip():
            raise ValueError(f'{self.action} needs path')
        if self.action in ('append', 'plan', 'reflect') and not self.text.strip():
            raise ValueError(f'{self.action} needs text')
        return self


def hidden(path: Path) -> bool:
    """Whether a path on the bench is hidden; where the bench itself lies says nothing."""
    return any(part.startswith('.') for part in path.parts)


class Bench:
    """The folder and what can be done there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, path: str) -> Path:
        """Return where a file lies.

        Raises
        ------
        OffTheBench
            If the path leads away, also by a link.
        """
        wanted = self._folder / path.strip().lstrip('/')
        if hidden(Path(path.strip())):
            raise OffTheBench(f'{path!r} is not on your workbench (no part may begin with a dot)')
        root = self._folder.resolve()
        if not wanted.resolve().is_relative_to(root) or wanted.resolve() == root:
            raise OffTheBench(f'{path!r} is not on your workbench')
        return wanted

    def listed(self) -> str:
        """Return what is there, the newest first."""
        files = [
            (path.stat().st_mtime, path.relative_to(self._folder), path.stat().st_size)
            for path in self._folder.rglob('*')
            if path.is_file() and not hidden(path.relative_to(self._folder))
        ]
        files.sort(reverse=True)
        lines = [f'{path} ({size} bytes)' for _, path, size in files[:MOST_LISTED]]
        if len(files) > MOST_LISTED:
            lines.append(f'… and {len(files) - MOST_LISTED} more')
        return '\n'.join(lines) or 'Your workbench is empty.'

    def write(self, path: str, text: str) -> str:
        """Make a file anew."""
        file = self.find(path)
        replace_text(file, text)
        return f'workbench/{file.relative_to(self._folder)}'

    def append(self, path: str, text: str) -> str:
        """Append to a file."""
        file = self.find(path)
        if file.exists() and file.stat().st_size + len(text.encode()) > LARGEST:
            raise OffTheBench(f'{path!r} would grow above {LARGEST} bytes; begin another file')
        if file.exists() and (text_there := self._other_encoding(file)) is not None:
            text = f'{text_there.rstrip()}\n{text}'
            replace_text(file, text if text.endswith('\n') else text + '\n')
            return f'workbench/{file.relative_to(self._folder)}'
        append_text(file, text if text.endswith('\n') else text + '\n')
        return f'workbench/{file.relative_to(self._folder)}'

    @staticmethod
    def _other_encoding(file: Path) -> str | None:
        """Return the text of a file that is UTF-16: appending UTF-8 would make it unreadable."""
        text, encoding = decoded(read_regular(file))
        return text if encoding.startswith('utf-16') else None

    def read(self, path: str) -> str:
        """Return a file's text."""
        file = self.find(path)
        if not file.is_file():
            raise OffTheBench(f'there is no {path!r} on your workbench')
        with file.open('rb') as opened:
            data = opened.read(LARGEST)
        text, encoding = decoded(data)
        if b'\0' in data and not encoding.startswith('utf-16'):
            return f'{path} holds no text ({file.stat().st_size} bytes).'
        return shown(text)


def workbench(folder: Path) -> Tool[BenchArguments]:
    """The tool of her workbench."""
    bench = Bench(folder)

    def do(given: BenchArguments, now: float) -> Result:
        if given.action == 'list':
            return Result(bench.listed(), routine=True)
        if given.action == 'read':
            text = bench.read(given.path)
            return Result(text or '(empty)', seen=f'{given.path}: {text}'[:2000], routine=True)
        if given.action == 'write':
            receipt = bench.write(given.path, given.text)
        elif given.action == 'append':
            receipt = bench.append(given.path, given.text)
        elif given.action == 'plan':
            receipt = bench.write(PLAN, given.text.strip() + '\n')
        else:
            when = datetime.fromtimestamp(now).astimezone()
            entry = f'## {when:%Y-%m-%d %H:%M}\n\n{given.text.strip()}\n'
            receipt = bench.append(REFLECTIONS, entry)
        return Result(f'Written: {receipt}.', receipt=receipt)

    async def run(given: BenchArguments, context: ToolContext) -> Result:
        try:
            make_folder(folder)
            return do(given, context.now())
        except OffTheBench as refused:
            return Result(f'It did not work: {refused}.', ok=False)
        except OSError as error:
            return Result(f'It did not work: {given.path}: {error.strerror or error}.', ok=False)

    return Tool(
        name='workbench',
        description='Your workbench: make things in files of your own, and find them again.',
        arguments=BenchArguments,
        run=run,
        routine=False,
    )
