"""`soul up --model local`: gets the local model ready, with a word on how far it is."""

from __future__ import annotations

import contextlib
import importlib.util
import tempfile
from collections.abc import Iterator
from pathlib import Path

import yaml
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from soul.cli.output import Output
from soul.local import KeptServer, LocalModelError, Weights, server, settings

#: The name that asks for it.
LOCAL = 'local'
EXTRA = 'xllamacpp'


def begin(console: Output, folder: str) -> KeptServer:
    """Fetch the model if it is not here yet, and start its server.

    Raises
    ------
    LocalModelError
        If it cannot be had; says why.
    """
    if importlib.util.find_spec(EXTRA) is None:
        raise LocalModelError(
            f"the local model needs the package {EXTRA}: pip install -e '.[local]' in the "
            'environment, or `make up MODEL=local`, which does it'
        )
    weights = Weights(Path(folder).expanduser() if folder else None)
    if not weights.here:
        console.print(f'the local model is fetched once (1.1 GB) into {weights.path.parent}')
        _fetch(console, weights)
    console.print('the local model is loaded ...')
    return KeptServer(server.command(weights.path), console.print)


def _fetch(console: Output, weights: Weights) -> None:
    columns = (TextColumn('{task.description}'), BarColumn(), DownloadColumn())
    with Progress(*columns, TransferSpeedColumn(), console=console) as shown:
        tasks = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=total)
            shown.update(tasks[what], completed=done)

        weights.ensure(progress)


@contextlib.contextmanager
def parameters(running: KeptServer) -> Iterator[list[str]]:
    """Return the mind's parameters for it as ROS arguments, which hold within the context.

    A file, because on the command line a parameter cannot be given to one node below a namespace.
    """
    with tempfile.TemporaryDirectory(prefix='soul-') as folder:
        file = Path(folder) / 'local.yaml'
        values = {'/**/mind': {'ros__parameters': settings(running.base_url)}}
        file.write_text(yaml.safe_dump(values), encoding='utf-8')
        yield ['--params-file', str(file)]
