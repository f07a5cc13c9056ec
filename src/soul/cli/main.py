"""The `soul` command."""

from __future__ import annotations

import contextlib
import sys

import click

from soul.cli import commands, life
from soul.cli import voice as voice_commands
from soul.cli.audit import audit
from soul.cli.body import body
from soul.cli.common import DEFAULT_NAMESPACE, fail, where
from soul.cli.keys import keys
from soul.cli.models import models
from soul.cli.service import service
from soul.core.errors import StartRefused
from soul.core.interfaces import EXIT_REFUSED


class InOrder(click.Group):
    """Lists its commands in the order in which they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.commands)


@click.group(cls=InOrder)
def app() -> None:
    """A persona that lives on a robot."""


@app.command()
@click.option('--home', default='', help='Her home; empty: SOUL_HOME or ~/.soul.')
@click.option('--backend', default='', help='What thinks: echo, scripted or openai.')
@click.option('--base-url', default='', help='Address of an OpenAI-compatible server.')
@click.option(
    '--model',
    default='',
    help='Model name the server knows; local: a small one, fetched once (1.1 GB) and served here.',
)
@click.option(
    '--model-dir', default='', help='Where local models lie; empty: ~/.cache/soul/models.'
)
@click.option('--script', default='', help='File of turns for the scripted backend.')
@click.option('--params-file', default='', help='YAML file of ROS parameters.')
@click.option(
    '--namespace', default=DEFAULT_NAMESPACE, show_default=True, help='Namespace she lives in.'
)
@click.option(
    '--mock/--no-mock', default=None, help='With the simulated body; it is there unless --body is.'
)
@click.option(
    '--body',
    type=click.Choice(['serial', 'http', 'xiaozhi']),
    default=None,
    help='How a real body is reached; without the simulated one.',
)
@click.option(
    '--driver', default='stackchan', show_default=True, help='stackchan, or none for no body.'
)
@click.option(
    '--voice', is_flag=True, help='She speaks and hears; installs what is missing, and says what.'
)
@click.option(
    '--log-level', default='warn', show_default=True, help='debug, info, warn, error or fatal.'
)
def up(
    home: str,
    backend: str,
    base_url: str,
    model: str,
    model_dir: str,
    script: str,
    params_file: str,
    namespace: str,
    mock: bool | None,
    body: str | None,
    driver: str,
    voice: bool,
    log_level: str,
) -> None:
    """Wake her: every organ in this process, with a simulated body unless told otherwise."""
    if mock and body is not None:
        fail(
            f'--mock is the simulated body, --body {body} a real one: she has one body, so leave '
            'one of them out',
            EXIT_REFUSED,
        )
    from soul import bringup  # only here: the other commands start faster without
    from soul.cli import thinking
    from soul.cli.output import Output
    from soul.cli.up import Commentary
    from soul.store import Home

    console = Output()
    local = model == thinking.LOCAL and not base_url and backend in ('', 'openai')
    if local:
        model, backend = '', ''
    given = {'base_url': base_url, 'model': model, 'script': script, 'soul_home': home}
    if (base_url or model) and not backend:
        backend = 'openai'
    given['backend'] = backend
    if body is not None:
        given['transport'] = body
    if mock is None:
        mock = body is None
    arguments = [sys.argv[0], '--ros-args', '-r', f'__ns:=/{namespace.strip("/")}']
    arguments += ['--log-level', log_level]
    stack = contextlib.ExitStack()
    if local:
        running = stack.enter_context(contextlib.closing(thinking.begin(console, model_dir)))
        arguments += stack.enter_context(thinking.parameters(running))
    if voice:
        from soul.cli import speaking

        arguments += stack.enter_context(speaking.parameters(speaking.begin(console, params_file)))
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
    raise click.exceptions.Exit(code)


@app.command()
@click.option('--name', default='', help='Who you are; empty: your login.')
@click.option('--thoughts/--no-thoughts', default=False, help='Show what she thinks, too.')
@click.option('--namespace', default='', help='Namespace she lives in; empty: /soul.')
@click.option(
    '--home',
    default='',
    help='Her home, whose key shows that you are one of her people; empty: SOUL_HOME or ~/.soul.',
)
def talk(name: str, thoughts: bool, namespace: str, home: str) -> None:
    """Talk to her: what you type goes to her door, what she answers is shown."""
    from soul.cli.output import Output
    from soul.cli.talk import Talk
    from soul.store.home import Home

    # whoever lives elsewhere and knows the key is found by its namespace
    with commands.linked(namespace, home, or_at=DEFAULT_NAMESPACE) as link:
        conversation = Talk(link, Output(), name, thoughts, Home(home))
        link.start()
        for line in conversation.lines():
            if line:
                conversation.say(line)
        if not sys.stdin.isatty() and not conversation.wait():
            fail('no answer came in time; what you said is kept at her door')


@app.command()
@click.option(
    '--seconds',
    type=click.FloatRange(0.0, 60.0),
    default=0.0,
    help='How long to look for her; 0: 5 s, less if she cannot be far.',
)
@where
def status(seconds: float, namespace: str, home: str) -> None:
    """Show how she is."""
    from soul.cli.output import Output
    from soul.cli.status import Status
    from soul.terminal.link import nobody

    with commands.linked(namespace, home) as link:
        seen = Status(link)
        link.start()
        if not seen.wait(seconds or link.look_seconds):
            raise nobody(link.namespace)
        Output().print(seen.picture())


commands.add_to(app)
app.add_command(audit)
app.add_command(body)
app.add_command(keys)
app.add_command(models)
app.add_command(service)
voice_commands.add_to(app)
life.register(app)


def main() -> None:
    """Run the command line `soul`; what is refused at start is told and ends with 2."""
    try:
        app(prog_name='soul')
    except StartRefused as refusal:
        from soul.cli.output import write

        write(str(refusal), sys.stderr)
        sys.exit(EXIT_REFUSED)


if __name__ == '__main__':
    main()
