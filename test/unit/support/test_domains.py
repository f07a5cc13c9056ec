"""A test's ROS domain is nobody else's."""

import socket

from support import domains
from support.domains import own_domain, used_domains


def test_two_tests_never_share_one():
    with own_domain() as one, own_domain() as other:
        assert one != other


def test_one_on_which_somebody_lives_is_not_taken(monkeypatch):
    """A robot that lives on this machine holds no lock of a test, but its ports."""
    with own_domain() as first, own_domain() as second:
        pass
    low, high = sorted((first, second))
    monkeypatch.setattr(
        domains, 'range', lambda *_: (low, high), raising=False
    )  # only these two are to be had
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as robot:
        robot.bind(('127.0.0.1', domains.FIRST_PORT + domains.PORTS * low + 10))
        assert low in used_domains()
        with own_domain() as taken:
            assert taken == high
    assert low not in used_domains()
