"""What all commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import click

F = TypeVar('F', bound=Callable[..., Any])

#: Where she lives unless told otherwise.
DEFAULT_NAMESPACE = '/soul'


def where(command: F) -> F:
    """Give a command that looks for her the options `--namespace` and `--home`."""
    named = click.option('--namespace', default='', help='Namespace she lives in; empty: /soul.')
    housed = click.option('--home', default='', help='Her home; empty: whose namespace it is.')
    return named(housed(command))


def at_home(command: F) -> F:
    """Give a command that works on her files the option `--home`."""
    return click.option('--home', default='', help='Her home; empty: SOUL_HOME or ~/.soul.')(
        command
    )


def fail(text: str, code: int = 1) -> NoReturn:
    """End the command with a line for people.

    Raises
    ------
    click.exceptions.Exit
        Always.
    """
    from soul.cli.output import Output  # rich takes its time

    Output(stderr=True).print(text, style='red', soft_wrap=True)
    raise click.exceptions.Exit(code)
