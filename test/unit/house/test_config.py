"""The parameter file that people copy says what the code says."""

import itertools
import re

import write_params
import write_units
import yaml

from soul import graph


def test_the_file_is_the_code():
    assert write_params.FILE.read_text() == write_params.text(), (
        'run `python tools/write_params.py` in the environment'
    )


def test_it_is_valid_and_every_value_is_explained():
    document = yaml.safe_load(write_params.FILE.read_text())
    assert set(document) == {'/**', *(f'/**/{node.name}' for node in graph.NODES)}
    lines = write_params.FILE.read_text().splitlines()
    for before, line in itertools.pairwise(lines):
        if re.match(r'    \w+: ', line):
            assert before.lstrip().startswith('#'), line


def test_the_signals_show_the_units_of_the_messages():
    known = write_units.interfaces()
    assert known['Turn']['duration'] == 's'
    for path in sorted(write_units.SIGNALS.glob('*.py')):
        source = path.read_text(encoding='utf-8')
        assert source == write_units.written(source, known), (
            'run `python tools/write_units.py` in the environment'
        )
