"""Which Python setup takes, and what it says when there is none."""

import pytest

from soulenv import interpreters
from soulenv.report import SetupError


def facts(**changes):
    found = {
        'path': '/usr/bin/python3',
        'version': [3, 12],
        'implementation': 'cpython',
        'bits': 64,
        'machine': 'x86_64',
        'headers': True,
        'rclpy': False,
    }
    return found | changes


@pytest.mark.parametrize(
    ('changes', 'word'),
    [
        ({'version': [3, 9]}, 'Python 3.9'),
        ({'version': [3, 15]}, 'Python 3.15'),
        ({'implementation': 'pypy'}, 'pypy'),
        ({'bits': 32}, '32 bit'),
        ({'headers': False}, 'python3.12-dev'),
    ],
)
def test_names_what_is_wrong(changes, word):
    assert word in interpreters.fault(facts(**changes))


@pytest.mark.parametrize('minor', [10, 11, 12, 13, 14])
def test_every_version_with_wheels_is_suitable(minor):
    assert interpreters.fault(facts(version=[3, minor])) is None


def test_takes_the_first_suitable_one():
    probed = [
        ('python3', facts(version=[3, 8])),
        ('shim', None),
        ('python3.11', facts(path='/opt/python3.11', version=[3, 11])),
        ('python3.12', facts()),
    ]

    assert interpreters.choose(probed)['path'] == '/opt/python3.11'


def test_over_an_installation_it_must_import_rclpy():
    probed = [('a', facts(path='/a')), ('b', facts(path='/b', rclpy=True))]

    assert interpreters.choose(probed, needs_rclpy=True)['path'] == '/b'


def test_without_any_it_lists_each_fault_and_the_way_out():
    probed = [('python3', facts(version=[3, 8])), ('python3.11', None)]

    with pytest.raises(SetupError) as error:
        interpreters.choose(probed)

    text = str(error.value)
    assert 'python3 is Python 3.8' in text
    assert 'python3.11 does not run' in text
    assert 'apt install' in text


def test_a_named_interpreter_is_the_only_candidate():
    assert interpreters.candidates('/opt/python') == ['/opt/python']


def test_candidates_are_tried_once_each(tmp_path, monkeypatch):
    for name in ('python3', 'python3.12'):
        (tmp_path / name).write_text('#!/bin/sh\n')
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv('PATH', str(tmp_path))

    found = interpreters.candidates()

    assert found.index(str(tmp_path / 'python3')) < found.index(str(tmp_path / 'python3.12'))
    assert len(found) == len(set(found))


def test_probes_a_real_interpreter_and_survives_a_broken_one(tmp_path):
    broken = tmp_path / 'python3'
    broken.write_text('#!/bin/sh\nexit 127\n')
    broken.chmod(0o755)

    assert interpreters.probe(interpreters.sys.executable)['bits'] == 64
    assert interpreters.probe(str(broken)) is None
    assert interpreters.probe(str(tmp_path / 'nothing')) is None
