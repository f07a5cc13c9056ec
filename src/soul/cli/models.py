"""`soul models`: what she thinks with, in which order, and whether it works."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from soul.cli.common import at_home, fail
from soul.store.home import Home

if TYPE_CHECKING:
    from soul.mind.providers.model_entry import ModelEntry
    from soul.mind.providers.models_file import ModelsFile

_LATER = 'it holds from her next start'
_PRICE = click.FloatRange(0.0, 10_000.0)


@click.group()
def models() -> None:
    """What she thinks with: models, in the order in which they are asked."""


@models.command('list')
@click.option('--known', is_flag=True, help='Show the providers and models known here instead.')
@at_home
def show(known: bool, home: str) -> None:
    """List her models in the order in which they are asked."""
    import os

    from rich.table import Table

    from soul.cli.output import Output, write
    from soul.keys import KeyRing

    with _file(home) as file:
        catalogue = file.catalogue
    if known:
        write('providers: ' + ', '.join(sorted(catalogue.providers)))
        write('models:    ' + ', '.join(catalogue.known))
        return
    if not catalogue.models:
        write('none: she is an echo. soul models add <provider>/<model>; soul models list --known')
        return
    ring = KeyRing(Home(home).path, os.environ)
    table = Table('', 'name', 'model', 'protocol', 'window', 'sees', 'USD for a million', 'keys')
    for number, model in enumerate(catalogue.models, 1):
        provider = catalogue.providers.get(model.provider)
        keys = len(ring.of(model.provider, provider.key_env if provider else ''))
        needed = provider is not None and not provider.keyless
        table.add_row(
            str(number) if model.enabled else 'off',
            model.name,
            f'{model.provider}/{model.model}',
            model.protocol,
            f'{model.window:,}' if model.window else '?',
            'yes' if model.pictures else 'no',
            _prices(model),
            str(keys) if keys or not needed else f'none: soul keys add {model.provider}',
        )
    Output().print(table)
    if ring.trouble:
        fail(ring.trouble)


@models.command()
@click.argument('model')
@click.option('--name', default='', help='Name of your own for it; empty: the model.')
@click.option('--base-url', default='', help='Address up to and including the version.')
@click.option(
    '--protocol',
    type=click.Choice(['chat', 'responses', 'anthropic', 'gemini']),
    default=None,
    help='How its server is spoken to; empty: as its provider.',
)
@click.option('--window', type=click.IntRange(0), default=None, help='Tokens it can read.')
@click.option('--pictures/--no-pictures', default=None, help='Whether it can see.')
@click.option(
    '--temperature', default=None, help='Sampling temperature; none: none is sent.', metavar='T'
)
@click.option('--price-read', type=_PRICE, default=None, help='USD for a million tokens read.')
@click.option('--price-written', type=_PRICE, default=None, help='... written.')
@click.option('--price-cached', type=_PRICE, default=None, help='... read from its cache.')
@click.option('--price-cache-write', type=_PRICE, default=None, help='... written into it.')
@click.option(
    '--cache-seconds', type=click.FloatRange(0.0), default=None, help='Lifetime of its cache, s.'
)
@at_home
def add(model: str, home: str, **options: Any) -> None:
    """Add MODEL (provider/model) as the last one that is asked."""
    from soul.cli.output import write

    provider, slash, name = model.partition('/')
    if not slash or not name:
        fail(f'{model!r}: provider/model is wanted, for example anthropic/claude-sonnet-4-5', 2)
    entry: dict[str, Any] = {'provider': provider, 'model': name}
    prices = {
        'read': options.pop('price_read'),
        'written': options.pop('price_written'),
        'cached': options.pop('price_cached'),
        'cache_write': options.pop('price_cache_write'),
    }
    temperature = options.pop('temperature')
    if temperature is not None:
        entry['temperature'] = None if temperature.lower() == 'none' else _number(temperature)
    entry.update({key: value for key, value in options.items() if value not in (None, '')})
    if given := {key: value for key, value in prices.items() if value is not None}:
        entry['prices'] = given
    with _file(home) as file:
        file.add(entry)
        added = file.catalogue.models[-1]
    write(f'{added.name} is number {len(file.catalogue.models)}; {_LATER}')
    if added.prices is None:
        write('it has no prices, so its cost is unknown: --price-read, --price-written')
    write(f'try it: soul models test {added.name}')


@models.command()
@click.argument('names', nargs=-1, required=True)
@at_home
def order(names: tuple[str, ...], home: str) -> None:
    """Ask the models NAMES first, in this order; the others follow."""
    from soul.cli.output import write

    with _file(home) as file:
        file.order(names)
    write(', '.join(model.name for model in file.catalogue.models) + f'; {_LATER}')


@models.command()
@click.argument('name')
@at_home
def remove(name: str, home: str) -> None:
    """Remove the model NAME."""
    from soul.cli.output import write

    with _file(home) as file:
        file.remove(name)
    write(f'{name} is removed; {_LATER}')


@models.command()
@click.argument('name')
@click.option('--off', is_flag=True, help='Keep it, but do not ask it.')
@at_home
def enable(name: str, off: bool, home: str) -> None:
    """Ask the model NAME again, or with --off no more."""
    from soul.cli.output import write

    with _file(home) as file:
        file.enable(name, not off)
    write(f'{name} is {"off" if off else "on"}; {_LATER}')


@models.command()
@click.argument('names', nargs=-1)
@at_home
def test(names: tuple[str, ...], home: str) -> None:
    """Ask each model, or those of NAMES, once in every way she needs; that costs a little."""
    import asyncio
    import os

    from rich.table import Table

    from soul.cli.output import Output, write
    from soul.keys import KeyRing
    from soul.mind.counters import cost
    from soul.mind.providers.routed import trial_client
    from soul.mind.providers.trial import ModelTrial

    with _file(home) as file:
        chosen = _chosen(file, names)
    console, ring = Output(), KeyRing(Home(home).path, os.environ)
    table = Table('model', 'answer', 'stream', 'tool call', 'picture', 'cache', 'USD')
    told, failed = [], False
    for entry in chosen:
        provider = file.catalogue.providers.get(entry.provider)
        keys = ring.of(entry.provider, provider.key_env if provider else '')
        trial = ModelTrial(entry, keys[0].secret if keys else '', trial_client)
        with console.status(f'{entry.name} ...'):
            results = asyncio.run(trial.run())
        cells = []
        for result in results:
            mark = {True: 'yes', False: 'no', None: '-'}[result.ok]
            cells.append(f'{mark} {result.seconds:.1f} s' if result.ok is not None else mark)
            failed = failed or result.ok is False
            if result.said:
                said = ring.redact(result.said)
                told.append(f'{entry.name}, {result.what}: {said}')
        unknown = entry.prices is None
        price = 'unknown' if unknown else f'{cost(trial.usage, entry.prices):.4f}'
        table.add_row(entry.name, *cells, price)
    console.print(table)
    for line in told:
        write(line)
    if ring.trouble:
        fail(ring.trouble)
    if failed:
        raise click.exceptions.Exit(1)


def _chosen(file: ModelsFile, names: tuple[str, ...]) -> list[ModelEntry]:
    from soul.cli.output import write

    known = {model.name: model for model in file.catalogue.models}
    for name in names:
        if name not in known:
            fail(f'{name!r} is none of her models: {", ".join(known) or "none"}')
    if not known:
        write('none; soul models add <provider>/<model>')
    return [known[name] for name in names] if names else list(file.catalogue.enabled)


@contextmanager
def _file(home: str) -> Iterator[ModelsFile]:
    from soul.mind.providers.catalogue import CatalogueError
    from soul.mind.providers.models_file import ModelsFile

    try:
        yield ModelsFile(Home(home).path)
    except (CatalogueError, OSError) as error:
        fail(str(error))


def _prices(model: ModelEntry) -> str:
    prices = model.prices
    if prices is None:
        return 'unknown'
    if not prices.read and not prices.written:
        return 'nothing'
    cached = '' if prices.cached is None else f', cached {prices.cached:g}'
    wrote = '' if prices.cache_write is None else f', into the cache {prices.cache_write:g}'
    return f'read {prices.read:g}{cached}{wrote}, written {prices.written:g}'


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        fail(f'--temperature {text!r}: a number from 0 to 2, or none', 2)
