"""What all commands share."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer

from soul.cli.output import Output

Namespace = Annotated[str, typer.Option(help='Namespace she lives in.')]
DEFAULT_NAMESPACE = '/soul'


def fail(text: str, code: int = 1) -> NoReturn:
    """End the command with a line for people.

    Raises
    ------
    typer.Exit
        Always.
    """
    Output(stderr=True).print(text, style='red', soft_wrap=True)
    raise typer.Exit(code)
