"""The `soul` command."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer

from soul.cli import commands, life
from soul.cli.common import DEFAULT_NAMESPACE, Namespace, fail
from soul.interfaces import EXIT_REFUSED
from soul.organ import StartRefused
from soul.store import Home

app = typer.Typer(
    help='A persona that lives on a robot.', no_args_is_help=True, add_completion=False
)

life.register(app)


@app.command()
def up(
    home: Annotated[str, typer.Option(help='Her home; empty: SOUL_HOME or ~/.soul.')] = '',
    backend: Annotated[str, typer.Option(help='What thinks: echo, scripted or openai.')] = '',
    base_url: Annotated[str, typer.Option(help='Address of an OpenAI-compatible server.')] = '',
    model: Annotated[
        str,
        typer.Option(
            help='Model name the server knows; local: a small one, fetched once (1.1 GB) and '
            'served here.'
        ),
    ] = '',
    model_dir: Annotated[
        str, typer.Option(help='Where local models lie; empty: ~/.cache/soul/models.')
    ] = '',
    script: Annotated[str, typer.Option(help='File of turns for the scripted backend.')] = '',
    params_file: Annotated[str, typer.Option(help='YAML file of ROS parameters.')] = '',
    namespace: Namespace = DEFAULT_NAMESPACE,
    mock: Annotated[bool, typer.Option(help='With the simulated body.')] = True,
    driver: Annotated[str, typer.Option(help='stackchan, or none for no body.')] = 'stackchan',
    log_level: Annotated[str, typer.Option(help='debug, info, warn, error or fatal.')] = 'warn',
) -> None:
    """Wake her: every organ in this process, with a simulated body unless told otherwise."""
    from soul import bringup  # only here: the other commands start faster without
    from soul.cli import thinking
    from soul.cli.output import Output
    from soul.cli.up import Commentary

    console = Output()
    local = model == thinking.LOCAL and not base_url and backend in ('', 'openai')
    if local:
        model, backend = '', ''
    given = {'base_url': base_url, 'model': model, 'script': script, 'soul_home': home}
    if (base_url or model) and not backend:
        backend = 'openai'
    given['backend'] = backend
    arguments = [sys.argv[0], '--ros-args', '-r', f'__ns:=/{namespace.strip("/")}']
    arguments += ['--log-level', log_level]
    stack = contextlib.ExitStack()
    if local:
        running = stack.enter_context(thinking.begin(console, model_dir))
        arguments += stack.enter_context(thinking.parameters(running))
    if params_file:  # what stands in it counts more than what the local model wants
        arguments += ['--params-file', params_file]
    for name, value in given.items():
        if value:
            arguments += ['-p', f'{name}:="{value}"']
    commentary = Commentary(console, namespace, Home(home), log_level, local)
    with stack:
        try:
            code = bringup.compose(mock, driver, arguments, commentary.begin)
        except ValueError as error:
            fail(str(error), EXIT_REFUSED)
        finally:
            commentary.end()
    raise typer.Exit(code)


@app.command()
def talk(
    name: Annotated[str, typer.Option(help='Who you are; empty: your login.')] = '',
    namespace: Namespace = DEFAULT_NAMESPACE,
    thoughts: Annotated[bool, typer.Option(help='Show what she thinks, too.')] = False,
    home: Annotated[
        str,
        typer.Option(
            help='Her home, whose key shows that you are one of her people; empty: SOUL_HOME or '
            '~/.soul.'
        ),
    ] = '',
) -> None:
    """Talk to her: what you type goes to her door, what she answers is shown."""
    from soul.cli.link import Link, NobodyThere
    from soul.cli.output import Output
    from soul.cli.talk import Talk

    link = Link(namespace)
    conversation = Talk(link, Output(), name, thoughts, Home(home))
    link.start()
    try:
        for line in conversation.lines():
            if line:
                conversation.say(line)
        if not sys.stdin.isatty() and not conversation.wait():
            fail('no answer came in time; what you said is kept at her door')
    except NobodyThere as nobody:
        fail(str(nobody))
    finally:
        link.close()


@app.command()
def status(
    namespace: Namespace = DEFAULT_NAMESPACE,
    seconds: Annotated[float, typer.Option(min=0.1, max=60, help='How long to look for her.')] = 5,
) -> None:
    """Show how she is."""
    from soul.cli.link import Link
    from soul.cli.output import Output
    from soul.cli.status import Status

    link = Link(namespace)
    seen = Status(link)
    link.start()
    try:
        if not seen.wait(seconds):
            fail(f'nobody lives at {link.namespace}: start her with `soul up` (or `make up`)')
        Output().print(seen.picture())
    finally:
        link.close()


commands.add_to(app)


def main() -> None:
    """Run the command."""
    try:
        app()
    except StartRefused as refusal:
        from soul.cli.output import write

        write(str(refusal), sys.stderr)
        sys.exit(EXIT_REFUSED)


if __name__ == '__main__':
    main()
