"""The commands `soul body`: her body and who may be it."""

from __future__ import annotations

import click

from soul.cli.common import fail, where
from soul.core.interfaces import EXIT_REFUSED


@click.group()
def body() -> None:
    """Her body: which device may be it."""


@body.command()
@click.option(
    '--address', default='', help='Address of this machine in the local network; empty: found.'
)
@click.option('--here', is_flag=True, help='Only for a device on this machine.')
@where
def pair(address: str, here: bool, namespace: str, home: str) -> None:
    """Let a device in that has the xiaozhi firmware: wait for it for ten minutes."""
    from soul.cli.commands import linked
    from soul.cli.control import NotDone
    from soul.cli.output import write
    from soul.cli.pairing import Pairing
    from soul.stackchan.pairing.addresses import is_this_machine, local_addresses

    others: list[str] = []
    if is_this_machine(address):
        why = f'{address} is this machine, for nobody else: `soul body pair --here` pairs there'
        fail(why, EXIT_REFUSED)
    if not address and not here:
        found = local_addresses()
        if not found:
            fail('this machine has no address in a local network: name it with --address')
        address, *others = found
    with linked(namespace, home) as link:
        try:
            write(Pairing(link.start(), write).pair(address, tuple(others)))
        except NotDone as error:
            fail(str(error))


@body.command()
@where
def paired(namespace: str, home: str) -> None:
    """List the devices that may dial."""
    from soul.cli.commands import linked
    from soul.cli.control import NotDone
    from soul.cli.output import write
    from soul.cli.pairing import Pairing

    with linked(namespace, home) as link:
        try:
            write('\n'.join(Pairing(link.start(), write).paired()) or 'none')
        except NotDone as error:
            fail(str(error))


@body.command()
@click.argument('device')
@where
def forget(device: str, namespace: str, home: str) -> None:
    """Let DEVICE in no more."""
    from soul.cli.commands import linked
    from soul.cli.control import NotDone
    from soul.cli.output import write
    from soul.cli.pairing import Pairing

    with linked(namespace, home) as link:
        try:
            write(Pairing(link.start(), write).forget(device))
        except NotDone as error:
            fail(str(error))
