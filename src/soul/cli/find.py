"""Finds her: over the socket of her home where there is one, else over ROS."""

from __future__ import annotations

import os
import sys

from soul.cli.common import DEFAULT_NAMESPACE
from soul.store.home import Home
from soul.terminal import place
from soul.terminal.client import NoSocket, SocketLink
from soul.terminal.link import CALL_SECONDS, Link, NobodyThere
from soul.terminal.protocol import PROTOCOL

#: Longest look over ROS if nobody of hers is known on this machine and ROS stays on it, s.
#: Discovery on one host takes a fifth of this; a busy host takes longer.
HERE_SECONDS = 1.0


def find(namespace: str = '', home: str = '', or_at: str = '') -> Link:
    """Return a link to her, not yet started.

    Parameters
    ----------
    namespace
        Where she lives; empty: wherever the soul of `home` lives, or /soul.
    home
        Her home; empty: that of whoever lives in the namespace on this machine.
    or_at
        Namespace that is looked at if nobody lives in a given home on this machine; empty: none.

    Raises
    ------
    NobodyThere
        If a home is given in which nobody lives, and no namespace.
    StartRefused
        If there can be no such namespace.
    """
    space = '/' + (namespace or DEFAULT_NAMESPACE).strip('/')
    domain = _domain()
    if home:
        link = _by_socket(Home(home), '/' + namespace.strip('/') if namespace else '', None)
        if link is None and not namespace:
            space = place.namespace_in(Home(home)) or or_at
            if not space:
                raise NobodyThere(
                    f'nobody lives in {Home(home)} on this machine: `soul up --home` starts her '
                    'there, --namespace finds her elsewhere'
                )
        return link or by_ros(space, True)
    there = place.home_of(space, domain)
    link = _by_socket(there or Home(), space, domain)
    return link or by_ros(space, there is not None)


def _by_socket(home: Home, namespace: str, domain: int | None) -> SocketLink | None:
    """Try the socket of a home; None: it is not there or not hers who is looked for."""
    for path in place.candidates(home):
        try:
            link = SocketLink(path)
        except NoSocket as why:
            if not isinstance(why.__cause__, (FileNotFoundError, ConnectionRefusedError)):
                _say(f'{why}; she is looked for over ROS')
            continue
        met = link.greeting
        if met.full:
            _say(f'too many terminals are with process {met.pid} already; now over ROS')
        elif met.protocol != PROTOCOL:
            _say(
                f'she is soul {met.soul} and speaks another language with terminals than this '
                'command (start her anew to have both alike); now over ROS'
            )
        elif domain in (None, met.domain) and namespace in ('', met.namespace):
            return link
        link.close()
    return None


def by_ros(namespace: str, is_here: bool) -> Link:
    """Return a link over ROS; where she is known to be here, it is looked for longer."""
    from soul.ros import dds  # takes a second: only if there is no other way
    from soul.ros.link import RosLink

    dds.stay_on_this_machine()
    near = dds.stays_on_this_machine() and not is_here
    return RosLink(namespace, look_seconds=HERE_SECONDS if near else CALL_SECONDS)


def _domain() -> int:
    try:
        return int(os.environ.get('ROS_DOMAIN_ID') or 0)
    except ValueError:
        return -1  # no socket's; ROS says what is wrong with it


def _say(text: str) -> None:
    from soul.cli.output import write

    write(text, sys.stderr)
