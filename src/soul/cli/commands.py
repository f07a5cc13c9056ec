"""Commands that give orders to her, poke the simulated body or show what is said."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from soul.cli.common import DEFAULT_NAMESPACE, Namespace, fail
from soul.cli.output import write

# What needs ROS is imported by the command that needs it: the others start faster without.
if TYPE_CHECKING:
    from soul.cli.control import Control


def add_to(app: typer.Typer) -> None:
    """Add these commands to the `soul` command."""
    for command in (stop, resume, pause, unpause, say, look, sleep, poke, topics, echo):
        app.command()(command)


def stop(namespace: Namespace = DEFAULT_NAMESPACE) -> None:
    """Stop her at once: nothing acts until `soul resume`."""
    _order(namespace, lambda control: control.stop())


def resume(namespace: Namespace = DEFAULT_NAMESPACE) -> None:
    """End a stop."""
    _order(namespace, lambda control: control.resume())


def pause(namespace: Namespace = DEFAULT_NAMESPACE) -> None:
    """Let her keep still: she is not woken and does not act, but nothing is cut off."""
    _order(namespace, lambda control: control.pause(True))


def unpause(namespace: Namespace = DEFAULT_NAMESPACE) -> None:
    """Let her go on after a pause."""
    _order(namespace, lambda control: control.pause(False))


def say(
    text: Annotated[str, typer.Argument(help='What the body is to say aloud.')],
    namespace: Namespace = DEFAULT_NAMESPACE,
) -> None:
    """Let the body say something, if the guard allows it; it is not she who says it."""
    _order(namespace, lambda control: control.say(text))


def look(
    direction: Annotated[str, typer.Argument(help='left, right, up, down or ahead.')] = 'ahead',
    question: Annotated[str, typer.Option(help='What to find out there; takes a picture.')] = '',
    namespace: Namespace = DEFAULT_NAMESPACE,
) -> None:
    """Let the body look somewhere, if the guard allows it."""
    from soul.cli import control as orders

    where = orders.direction(direction)
    _order(namespace, lambda control: control.look(where, question))


def sleep(
    minutes: Annotated[float, typer.Argument(help='How long; 0: as long as she needs.')] = 0.0,
    namespace: Namespace = DEFAULT_NAMESPACE,
) -> None:
    """Send her to sleep."""
    _order(namespace, lambda control: control.sleep(minutes))


def _order(namespace: str, order: Callable[[Control], str]) -> None:
    from soul.cli.control import Control, NotDone
    from soul.cli.link import Link, NobodyThere

    link = Link(namespace)
    try:
        control = Control(link)
        link.start()
        write(order(control))
    except (NobodyThere, NotDone) as error:
        fail(str(error))
    finally:
        link.close()


def poke(
    what: Annotated[str, typer.Argument(help='pick_up, touch, ...; empty: list them.')] = '',
    off: Annotated[bool, typer.Option('--off', help='Undo it.')] = False,
    namespace: Namespace = DEFAULT_NAMESPACE,
) -> None:
    """Do something to the simulated body: lift it, darken its room, let a part of it fail."""
    from soul.cli import poke as pokes
    from soul.cli.control import NotDone
    from soul.cli.link import Link, NobodyThere

    if not what:
        write('\n'.join(pokes.pokes()))
        return
    link = Link(namespace).start()
    try:
        write(pokes.poke(link, what, not off))
    except (NobodyThere, NotDone) as error:
        fail(str(error))
    finally:
        link.close()


def topics(
    everything: Annotated[bool, typer.Option('--all', help='Also what is not hers.')] = False,
    namespace: Namespace = DEFAULT_NAMESPACE,
) -> None:
    """List her topics: name, what kind of talk it is, type."""
    from soul.cli.link import Link, NobodyThere
    from soul.cli.topics import Topics

    link = Link(namespace).start()
    try:
        seen = Topics(link)
        for name, kind in seen.all(everything).items():
            write(f'{name:<40} {seen.manner(name):<9} {kind}')
    except NobodyThere as nobody:
        fail(str(nobody))
    finally:
        link.close()


def echo(
    topic: Annotated[str, typer.Argument(help='For example field/view; /name: not one of hers.')],
    once: Annotated[bool, typer.Option('--once', help='Only the next message.')] = False,
    count: Annotated[int, typer.Option(min=0, help='So many messages; 0: for ever.')] = 0,
    field: Annotated[str, typer.Option(help='Only this field, for example text.')] = '',
    seconds: Annotated[float, typer.Option(min=0.1, max=600, help='How long to look for it.')] = 5,
    namespace: Namespace = DEFAULT_NAMESPACE,
) -> None:
    """Show what is said on a topic; of a state first how it is now."""
    from soul.cli import topics as shown
    from soul.cli.link import Link, NobodyThere

    wanted = 1 if once else count or None
    link = Link(namespace).start()
    try:
        for message in itertools.islice(shown.Topics(link).listen(topic, seconds), wanted):
            write(shown.readable(shown.part(message, field)))
            if not field:
                write('---')
    except NobodyThere as nobody:
        fail(str(nobody))
    except KeyboardInterrupt:
        pass
    except BrokenPipeError:  # whoever read has gone, as `head` does
        sys.stdout = open(os.devnull, 'w', encoding='utf-8')  # noqa: SIM115
    finally:
        link.close()
