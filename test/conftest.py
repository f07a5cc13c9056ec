"""Fixtures for all tests."""

import importlib.util
import os
import tempfile

import pytest

from support.databases import Databases
from support.domains import own_domain

os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
# Nothing a test does may touch the home of whoever runs it, or meet who lives on this machine: no
# locks, names or sockets are shared. The path is short: a socket's must be.
os.environ.pop('SOUL_HOME', None)
_runtime = tempfile.TemporaryDirectory(prefix='soul-run-')
os.environ['XDG_RUNTIME_DIR'] = _runtime.name

# A slow machine is no fault: nothing here is a test of time.
if importlib.util.find_spec('hypothesis') is not None:
    import hypothesis

    hypothesis.settings.register_profile(
        'soul', deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile('soul')

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
def databases(monkeypatch):
    """The connections to databases that are opened in this test."""
    return Databases(monkeypatch)


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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Share the tests out."""
    from support.scheduling import OneByOne

    return OneByOne(config, log)


def pytest_collection_modifyitems(items):
    """Begin with what takes long."""
    if importlib.util.find_spec('xdist') is not None:
        from support.scheduling import longest_first

        longest_first(items)
