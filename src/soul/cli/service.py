"""`soul service install`: lets the machine start her and keep her alive."""

from __future__ import annotations

import os
from pathlib import Path

import click

from soul.cli.common import fail

_UNIT = 'soul.service'


@click.group()
def service() -> None:
    """Her as a service: started with the machine, begun anew when she fails."""


@service.command(context_settings={'ignore_unknown_options': True})
@click.option('--runit', default='', help='Folder of a runit service to write instead.')
@click.option('--to', default='', help='Folder of the unit; empty: ~/.config/systemd/user.')
@click.option('--show', is_flag=True, help='Print it and write nothing.')
@click.argument('words', nargs=-1, type=click.UNPROCESSED)
def install(runit: str, to: str, show: bool, words: tuple[str, ...]) -> None:
    """Write a systemd user unit, or a runit service; WORDS are options of `soul up`.

    For example: soul service install -- --body serial --home ~/.soul
    """
    from soul.cli.output import write
    from soul.service import units

    root = _root()
    start = units.command(root, words)
    environment = {} if root else _environment()
    if runit:
        files, folder = units.runit(start, environment), Path(runit).expanduser()
    else:
        files = {_UNIT: units.systemd(start, environment)}
        folder = Path(to or '~/.config/systemd/user').expanduser()
    if show:
        for text in files.values():
            write(text)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            path = folder / name
            path.write_text(text, encoding='utf-8')
            path.chmod(0o755 if runit else 0o644)
            write(str(path))
    except OSError as error:
        fail(f'{error.filename}: {error.strerror}')
    if runit:
        write(f'now: ln -s {folder} into the folder that runsvdir watches')
    else:
        write('now: systemctl --user daemon-reload && systemctl --user enable --now soul')
        write('she lives on after you have logged out with: loginctl enable-linger')
        write('what she says: journalctl --user -u soul -f')


def _root() -> Path | None:
    """Return the checkout she runs from; None: she is installed."""
    for folder in Path(__file__).resolve().parents:
        if (folder / 'tools' / 'env.sh').is_file() and (folder / 'src' / 'soul').is_dir():
            return folder
    return None


def _environment() -> dict[str, str]:
    from soul.service.units import VARIABLES

    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
