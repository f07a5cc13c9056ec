"""A ROS domain on which nobody is: its ports tell."""

from __future__ import annotations

import random
import socket

#: Highest domain whose ports lie below Linux's ephemeral ones.
HIGHEST = 101
#: Port of the first participant of domain 0, and how far apart those of the domains lie.
FIRST, APART = 7410, 250


def free_domain(*taken: int) -> int:
    """Return a domain that no participant on this machine uses, and none of those that are taken.

    Raises
    ------
    RuntimeError
        If all are in use.
    """
    domains = [domain for domain in range(1, HIGHEST + 1) if domain not in taken]
    random.shuffle(domains)
    for domain in domains:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            try:
                one.bind(('', FIRST + APART * domain))
            except OSError:
                continue
            return domain
    raise RuntimeError('all ROS domains are in use')
