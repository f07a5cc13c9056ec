"""The parameter file that people copy says what the code says."""

import itertools
import re

import write_params
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
