"""Serves the socket of her home from the process that has the guard; see `soul.terminal`."""

from __future__ import annotations

import os
from collections.abc import Iterable

from soul.ros.link import RosLink
from soul.ros.organ import OrganNode
from soul.store.home import Home, HomeUnusable
from soul.terminal import place
from soul.terminal.link import Link
from soul.terminal.listener import Listener, Occupied, make_private
from soul.terminal.protocol import Greeting


def serve(organs: Iterable[OrganNode]) -> Listener | None:
    """Begin to serve terminals if the guard is among the organs of this process.

    It is no condition of her life: without the socket the command line goes over ROS, and why
    stands in the log.

    Returns
    -------
    Listener or None
        What is to be closed before the organs end; None: no terminal is served from here.
    """
    host = next((organ for organ in organs if organ.spec.name == place.HOST), None)
    if host is None:
        return None
    node, context = host.node, host.node.context
    log = node.get_logger()

    def tell(level: str, text: str) -> None:
        # One line of code per level: rclpy refuses a second level from the same line.
        if level == 'warning':
            log.warning(text)
        else:
            log.debug(text)

    def open_link() -> Link:
        return RosLink(namespace, context=context)

    home = Home(node.get_parameter('soul_home').value)
    namespace, domain = node.get_namespace(), context.get_domain_id()
    try:
        path = place.chosen(home)
        if path != place.in_home(home):
            tell(
                'warning',
                f'{place.in_home(home)} is longer than the {place.LONGEST} bytes that a socket '
                f'may have: the command line finds her at {path}',
            )
        if done := make_private(path.parent):
            tell('warning', done)
        return Listener(path, Greeting(namespace, domain, os.getpid()), open_link, tell)
    except (Occupied, HomeUnusable, OSError) as why:
        tell('warning', f'the command line goes over ROS, for there is no socket: {why}')
        return None
