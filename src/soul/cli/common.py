"""What all commands share."""

from __future__ import annotations

from typing import Annotated, NoReturn

import typer
from rich.console import Console

Namespace = Annotated[str, typer.Option(help='Namespace she lives in.')]
DEFAULT_NAMESPACE = '/soul'


def fail(text: str, code: int = 1) -> NoReturn:
    """End the command with a line for people.

    Raises
    ------
    typer.Exit
        Always.
    """
    Console(stderr=True).print(text, style='red', highlight=False, markup=False, soft_wrap=True)
    raise typer.Exit(code)
