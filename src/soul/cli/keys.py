"""`soul keys`: the keys of providers, which are only ever typed in or piped in."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from soul.cli.common import at_home, fail
from soul.store.home import Home

if TYPE_CHECKING:
    from soul.keys import KeyStore
    from soul.mind.providers.catalogue import ModelCatalogue


@click.group()
def keys() -> None:
    """Keys of providers: encrypted in her home, never shown again."""


@keys.command()
@click.argument('provider')
@click.argument('name', default='')
@at_home
def add(provider: str, name: str, home: str) -> None:
    """Add a key of PROVIDER; it is asked for, or read from standard input.

    NAME tells several keys of one provider apart; empty: key-1 and so on.
    """
    from soul.cli.output import write
    from soul.keys import KeyFileError

    store = _store(home, create=True)
    try:
        taken = {key.name for key in store.names() if key.provider == provider}
        number = next(n for n in range(1, 10_000) if f'key-{n}' not in taken)
        store.add(provider, name or f'key-{number}', _secret(provider))
    except (KeyFileError, OSError) as error:
        fail(str(error))
    write(f'{provider} has the key {name or f"key-{number}"}; she uses it from now on')
    _mention(provider, home)


@keys.command('list')
@at_home
def show(home: str) -> None:
    """List the keys by name; the keys themselves are never shown."""
    from datetime import datetime

    from rich.table import Table

    from soul.cli.output import Output, write
    from soul.keys import KeyFileError

    store = _store(home)
    try:
        found = store.names()
    except KeyFileError as error:
        fail(str(error))
    table = Table('provider', 'name', 'added')
    for key in found:
        added = datetime.fromtimestamp(key.added).astimezone()
        table.add_row(key.provider, key.name, f'{added:%Y-%m-%d %H:%M}')
    for provider, variable in _in_environment(home):
        table.add_row(provider, f'${variable}', 'environment')
    if not table.row_count:
        write('none; soul keys add <provider>')
        return
    Output().print(table)
    try:
        store.opened()
    except KeyFileError as error:
        fail(str(error))


@keys.command()
@click.argument('provider')
@click.argument('name')
@at_home
def rotate(provider: str, name: str, home: str) -> None:
    """Put another secret in the place of PROVIDER's key NAME."""
    from soul.cli.output import write
    from soul.keys import KeyFileError

    store = _store(home)
    try:
        known = [key.name for key in store.names() if key.provider == provider]
        if name not in known:
            fail(f'{provider} has no key {name!r}; it has {", ".join(known) or "none"}')
        store.rotate(provider, name, _secret(provider))
    except (KeyFileError, OSError) as error:
        fail(str(error))
    write(f'{provider}: {name} is another one now; she uses it from now on')


@keys.command()
@click.argument('provider')
@click.argument('name')
@at_home
def remove(provider: str, name: str, home: str) -> None:
    """Forget PROVIDER's key NAME."""
    from soul.cli.output import write
    from soul.keys import KeyFileError

    try:
        _store(home).remove(provider, name)
    except (KeyFileError, OSError) as error:
        fail(str(error))
    write(f'{provider}: {name} is forgotten here; withdraw it at the provider, too')


def _store(home: str, create: bool = False) -> KeyStore:
    import os

    from soul.keys import KeyStore, MasterKey, MasterKeyError

    where = Home(home).path
    try:
        return KeyStore(where, MasterKey.find(where, os.environ, create))
    except (MasterKeyError, OSError) as error:
        fail(str(error))


def _secret(provider: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline()
    return str(click.prompt(f'key of {provider}', hide_input=True))


def _in_environment(home: str) -> list[tuple[str, str]]:
    import os

    providers = _catalogue(home).providers
    return [(p, e.key_env) for p, e in sorted(providers.items()) if os.environ.get(e.key_env)]


def _mention(provider: str, home: str) -> None:
    """Say what is missing so that the key is used."""
    from soul.cli.output import write

    catalogue = _catalogue(home)
    if not any(model.provider == provider for model in catalogue.enabled):
        write(f'no model of {provider} is hers yet: soul models add {provider}/<model>')
    if provider not in catalogue.providers:
        write(f'{provider} is not known here; known are {", ".join(sorted(catalogue.providers))}')


def _catalogue(home: str) -> ModelCatalogue:
    from soul.mind.providers.catalogue import CatalogueError, ModelCatalogue

    try:
        return ModelCatalogue.load(Home(home).path)
    except CatalogueError as error:
        fail(str(error))
