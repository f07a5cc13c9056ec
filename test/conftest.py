"""Fixtures for all tests."""

import importlib.util
import os

import pytest

from support.domains import own_domain

os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
# Nothing a test does may touch the home of whoever runs it.
os.environ.pop('SOUL_HOME', None)

collect_ignore = []
if importlib.util.find_spec('rclpy') is None:
    collect_ignore += ['ros', 'e2e', 'compat']


@pytest.fixture
def home(tmp_path):
    """A home of its own."""
    return tmp_path / 'home'


@pytest.fixture
def quick_disk(monkeypatch):
    """Nobody waits for the disk: only a power cut would show the difference."""
    monkeypatch.setattr(os, 'fsync', lambda descriptor: None)
    monkeypatch.setattr(os, 'fdatasync', lambda descriptor: None)


@pytest.fixture
def domain():
    """A ROS domain of its own."""
    with own_domain() as number:
        yield number


@pytest.fixture
def witness(domain):
    """Somebody who hears everything under /soul."""
    from support.witness import Witness

    seen = Witness(domain)
    yield seen
    seen.close()
