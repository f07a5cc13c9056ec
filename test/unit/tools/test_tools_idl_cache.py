"""The memory of parsed interfaces that rosidl's generators share while the messages are built."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[3] / 'tools' / 'soulenv' / 'idl_cache'

PARSER = """
calls = 0
def get_ast_from_idl_string(text):
    global calls
    calls += 1
    return ['tree of', text]
"""
PROGRAM = """
from rosidl_parser import parser
print(parser.get_ast_from_idl_string('a'), parser.get_ast_from_idl_string('a'),
      parser.get_ast_from_idl_string('b'), parser.calls)
"""


@pytest.fixture
def parse(tmp_path):
    """Run the program with a parser of our own, in a process of its own."""
    package = tmp_path / 'rosidl_parser'
    package.mkdir()
    (package / '__init__.py').write_text('')
    (package / 'parser.py').write_text(PARSER)

    def run(program=PROGRAM):
        environment = dict(
            os.environ, PYTHONPATH=f'{HOOK}:{tmp_path}', SOUL_IDL_CACHE=str(tmp_path / 'cache')
        )
        return subprocess.run(
            [sys.executable, '-c', program],
            env=environment,
            text=True,
            capture_output=True,
            check=True,
        ).stdout.strip()

    return run


def test_parses_each_text_once_across_processes(parse):
    trees = "['tree of', 'a'] ['tree of', 'a'] ['tree of', 'b']"

    assert parse() == f'{trees} 2'
    assert parse() == f'{trees} 0'


def test_a_damaged_file_is_parsed_again(parse, tmp_path):
    parse()
    for path in (tmp_path / 'cache').iterdir():
        path.write_bytes(b'')

    assert parse().endswith(' 2')
    assert parse().endswith(' 0')


def test_an_unknown_parser_is_left_as_it_is(parse, tmp_path):
    (tmp_path / 'rosidl_parser' / 'parser.py').write_text('other = 1')

    assert parse('from rosidl_parser import parser; print(parser.other)') == '1'
