"""The house stays one that can be lived in: small rooms, and no name on two doors."""

import ast
import collections
from pathlib import Path

import pytest

import soul

PACKAGE = Path(soul.__file__).parent
MODULES = sorted(PACKAGE.rglob('*.py'))
MOST_LINES = 300
MOST_CLASS_LINES = 250


def classes(path):
    tree = ast.parse(path.read_text(encoding='utf-8'))
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def test_no_class_name_stands_twice():
    where = collections.defaultdict(list)
    for path in MODULES:
        for found in classes(path):
            where[found.name].append(path.relative_to(PACKAGE).as_posix())
    assert len(where) > 300
    assert {name: paths for name, paths in where.items() if len(paths) > 1} == {}


@pytest.mark.parametrize('path', MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_room_is_too_large(path):
    assert len(path.read_text(encoding='utf-8').splitlines()) <= MOST_LINES
    for found in classes(path):
        lines = found.end_lineno - found.lineno + 1
        assert lines <= MOST_CLASS_LINES, f'{found.name} has {lines} lines'
