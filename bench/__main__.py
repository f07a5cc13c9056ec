"""`make bench [ARGS="latency footprint"]`: measure, print, and write docs/benchmarks.md."""

from __future__ import annotations

import argparse
import datetime
import importlib
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.figure import Figure

#: Module -> what it measures; each has `figures()`, a list of figures or a table of numbers.
MODULES = {
    'latency': 'Wake latency, composed',
    'separate': 'Wake latency, with a process each',
    'footprint': 'Idle CPU, memory and start, composed',
    'wire': 'The wire to the body',
    'stop': 'The stop, under load',
    'heart': 'The heart',
    'field': 'The field',
    'border': 'What comes in from outside',
    'memory': 'Her memory',
    'year': 'A year on disk',
    'tokens': 'What a provider reads anew',
    'voice': 'Voice and ears',
}
HEAD = """\
# Benchmarks

Measured with `make bench` (`make bench ARGS="latency footprint"` for some). Each figure stands
beside a reference from the same run; a goal is a ratio to it. Every section has its date and
machine; one without is of 2026-11-30.
"""
REPORT = Path(__file__).resolve().parents[1] / 'docs' / 'benchmarks.md'


def machine() -> str:
    """Describe this machine."""
    model = platform.processor()
    for line in Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines():
        if line.startswith('model name'):
            model = line.split(':', 1)[1].strip()
            break
    return f'{model}, {os.cpu_count()} cores, Python {platform.python_version()}'


def listed(found: Iterable[Figure] | Mapping[str, float]) -> list[Figure]:
    """Bring what a module measured into one form."""
    if isinstance(found, Mapping):
        return [Figure(name, value, '') for name, value in found.items()]
    return list(found)


def cells(figure: Figure) -> tuple[str, str, str]:
    """Write a figure as three cells: name, value, reference."""
    value = f'{figure.value:,.4g} {figure.unit}'.strip()
    if figure.reference is None:
        return figure.name, value, ''
    reference = f'{figure.reference:,.4g} {figure.unit}'.strip()
    return figure.name, value, f'{reference} {figure.against}'.strip()


def section(name: str, figures: Sequence[Figure]) -> str:
    """Write the figures of a module as Markdown."""
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    lines = [f'## {MODULES[name]}', '', f'{today}, {machine()}.', '']
    lines += ['| figure | value | reference |', '| --- | ---: | --- |']
    lines += ['| ' + ' | '.join(cells(figure)) + ' |' for figure in figures]
    return '\n'.join(lines) + '\n'


def report(found: Mapping[str, Sequence[Figure]], before: str) -> str:
    """Write the report; what was not measured now stays as it was.

    Parameters
    ----------
    before
        The report as it is.
    """
    parts = ['## ' + part for part in before.split('\n## ')[1:]]
    kept = {part.splitlines()[0].removeprefix('## '): part.strip() + '\n' for part in parts}
    kept |= {MODULES[name]: section(name, figures) for name, figures in found.items()}
    ordered = [kept[title] for title in MODULES.values() if title in kept]
    return '\n'.join([HEAD, *ordered])


def main() -> None:
    """Run the chosen benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('names', nargs='*', choices=[*MODULES, []], help='which; default: all')
    chosen = parser.parse_args().names or list(MODULES)
    console = Console()
    found = {}
    for name in chosen:
        try:
            module = importlib.import_module(f'bench.{name}')
        except ModuleNotFoundError as missing:
            if missing.name != f'bench.{name}':
                raise
            continue
        with console.status(f'measuring: {MODULES[name]} …'):
            found[name] = listed(module.figures())
        table = Table('figure', 'value', 'reference', title=MODULES[name])
        for figure in found[name]:
            table.add_row(*cells(figure))
        console.print(table)
    before = REPORT.read_text(encoding='utf-8') if REPORT.exists() else ''
    REPORT.write_text(report(found, before), encoding='utf-8')
    console.print(f'written: {REPORT}')


if __name__ == '__main__':
    main()
