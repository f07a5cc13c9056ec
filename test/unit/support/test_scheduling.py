"""The tests are shared out one by one, but for those that share a fixture of their module."""

import os
from pathlib import Path
from types import SimpleNamespace

from support.scheduling import longest_first

pytest_plugins = ['pytester']

CONFTEST = """
def pytest_xdist_make_scheduler(config, log):
    from support import scheduling
    return scheduling.OneByOne(config, log)
"""
SHARED = """
import pytest
@pytest.fixture(scope='module')
def world(worker_id, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp().parent
    (folder / f'made by {worker_id}').touch()
    return folder
@pytest.mark.parametrize('number', range(6))
def test_in_it(world, number):
    assert len(list(world.glob('made by *'))) == 1
"""
OTHERS = """
import pytest
@pytest.mark.parametrize('number', range(6))
def test_short(number): pass
"""


def test_a_module_that_shares_a_fixture_stays_together(pytester, monkeypatch):
    tests = Path(__file__).resolve().parents[2]
    monkeypatch.setenv('PYTHONPATH', str(tests), prepend=os.pathsep)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_shared=SHARED, test_others=OTHERS)
    pytester.runpytest_subprocess('-n', '2', '-p', 'no:cacheprovider').assert_outcomes(passed=12)


def test_the_longest_begin_first():
    items = [
        SimpleNamespace(name=name, get_closest_marker=lambda _, mark=mark: mark)
        for name, mark in (('a', None), ('b', 'long'), ('c', None), ('d', 'long'))
    ]
    longest_first(items)
    assert [item.name for item in items] == ['b', 'd', 'a', 'c']
