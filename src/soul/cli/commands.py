"""Commands that give orders to her, poke the simulated body or show what is said."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from soul.cli.common import fail, where

# Whatever takes its time is imported by the command that needs it.
if TYPE_CHECKING:
    from soul.cli.control import Control
    from soul.terminal.link import Link


def add_to(group: click.Group) -> None:
    """Add these commands to the `soul` command."""
    for command in (stop, resume, pause, unpause, say, look, sleep, poke, topics, echo):
        group.add_command(command)


@contextlib.contextmanager
def linked(namespace: str, home: str, or_at: str = '') -> Iterator[Link]:
    """Give a link to her; a command that finds nobody, or loses her, ends with a line.

    Parameters
    ----------
    or_at
        Namespace that is looked at if nobody lives in `home` on this machine.
    """
    from soul.cli.find import find
    from soul.terminal.link import NobodyThere

    link = None
    try:
        link = find(namespace, home, or_at)
        yield link
    except NobodyThere as nobody:
        fail(str(nobody))
    finally:
        if link is not None:
            link.close()


def _order(namespace: str, home: str, order: Callable[[Control], str]) -> None:
    from soul.cli.control import Control, NotDone
    from soul.cli.output import write

    with linked(namespace, home) as link:
        try:
            control = Control(link)
            link.start()
            write(order(control))
        except NotDone as error:
            fail(str(error))


@click.command()
@where
def stop(namespace: str, home: str) -> None:
    """Stop her at once: nothing acts until `soul resume`."""
    _order(namespace, home, lambda control: control.stop())


@click.command()
@where
def resume(namespace: str, home: str) -> None:
    """End a stop: she may act and wake again."""
    _order(namespace, home, lambda control: control.resume())


@click.command()
@where
def pause(namespace: str, home: str) -> None:
    """Let her keep still: she is not woken and does not act, but nothing is cut off."""
    _order(namespace, home, lambda control: control.pause(True))


@click.command()
@where
def unpause(namespace: str, home: str) -> None:
    """Let her go on after a pause."""
    _order(namespace, home, lambda control: control.pause(False))


@click.command()
@click.argument('text')
@where
def say(text: str, namespace: str, home: str) -> None:
    """Let the body say TEXT aloud, if the guard allows it; it is not she who says it."""
    _order(namespace, home, lambda control: control.say(text))


@click.command()
@click.argument('direction', default='ahead')
@click.option('--question', default='', help='What to find out there; takes a picture.')
@where
def look(direction: str, question: str, namespace: str, home: str) -> None:
    """Let the body look left, right, up, down or ahead, if the guard allows it."""
    from soul.cli import control as orders

    there = orders.direction(direction)
    _order(namespace, home, lambda control: control.look(there, question))


@click.command()
@click.argument('minutes', type=float, default=0.0)
@where
def sleep(minutes: float, namespace: str, home: str) -> None:
    """Send her to sleep for MINUTES; without: as long as she needs."""
    _order(namespace, home, lambda control: control.sleep(minutes))


@click.command()
@click.argument('what', default='')
@click.option('--off', is_flag=True, help='Undo it.')
@where
def poke(what: str, off: bool, namespace: str, home: str) -> None:
    """Do WHAT to the simulated body: lift it, darken its room, let a part of it fail.

    Without WHAT: list what can be done.
    """
    from soul.cli import poke as pokes
    from soul.cli.control import NotDone
    from soul.cli.output import write

    if not what:
        write('\n'.join(pokes.pokes()))
        return
    with linked(namespace, home) as link:
        try:
            write(pokes.poke(link.start(), what, not off))
        except NotDone as error:
            fail(str(error))


@click.command()
@click.option('--all', 'everything', is_flag=True, help='Also what is not hers.')
@where
def topics(everything: bool, namespace: str, home: str) -> None:
    """List her topics: name, what kind of talk it is, type."""
    from soul.cli.output import write

    with linked(namespace, home) as link:
        for name, manner, kind in link.start().topics(everything):
            write(f'{name:<40} {manner:<9} {kind}')


@click.command()
@click.argument('topic')
@click.option('--once', is_flag=True, help='Only the next message.')
@click.option('--count', type=click.IntRange(0), default=0, help='So many; 0: for ever.')
@click.option('--field', default='', help='Only this field, for example text.')
@click.option(
    '--seconds', type=click.FloatRange(0.1, 600), default=5.0, show_default=True,
    help='How long to look for it.',
)  # fmt: skip
@where
def echo(
    topic: str, once: bool, count: int, field: str, seconds: float, namespace: str, home: str
) -> None:
    """Show what is said on TOPIC, for example field/view; of a state first how it is now.

    A name that begins with a slash need not be one of hers.
    """
    from soul.cli.output import write
    from soul.cli.readable import readable

    wanted = 1 if once else count or None
    with linked(namespace, home) as link:
        try:
            messages = link.start().echo(topic, field, seconds)
            for message in itertools.islice(messages, wanted):
                write(readable(message))
                if not field:
                    write('---')
        except KeyboardInterrupt:
            pass
        except BrokenPipeError:  # whoever read has gone, as `head` does
            sys.stdout = open(os.devnull, 'w', encoding='utf-8')  # noqa: SIM115
