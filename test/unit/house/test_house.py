"""How tests are written: they look at her from outside, and wait for what they wait for."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[2]
MODULES = sorted(TESTS.rglob('*.py'))
#: Names with an underscore that are documented for everybody.
FOR_EVERYBODY = {'_exit', '_replace', '_asdict', '_fields', '_make'}
#: Where a test, or what plays somebody, lets real time pass by itself: function and reason.
LETS_TIME_PASS = {
    'e2e/test_kill_composition.py': 'the kill comes at a random moment',
    'unit/mind/test_mind_kill.py': 'the kill comes at a random moment',
    'unit/mind/test_mind_conversations.py': 'waiting outlasts a wall of real time',
    'ros/test_field_node.py': 'it plays a model that computes slowly',
    'support/proxy.py': 'what was sent arrives before the line is cut',
}


def private(name):
    return name.startswith('_') and not name.endswith('__') and name not in FOR_EVERYBODY


def of_others(tree):
    """Yield (line, text) of each private name of something else that a module uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and private(node.attr):
            if ast.unparse(node.value) not in ('self', 'cls', 'super()'):
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                if private(name.name) or any(map(private, (node.module or '').split('.'))):
                    yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith('attr'):
            for argument in node.args[:2]:
                named = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                if named and private(argument.value.split('.')[-1]):
                    yield node.lineno, ast.unparse(node)


def inherited(tree):
    """Yield what a class uses of its base's private names, where the base is the product's."""
    hers = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or '').split('.')[0] == 'soul'
        for alias in node.names
    }
    for kind in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        if hers.isdisjoint(ast.unparse(base) for base in kind.bases):
            continue
        own = {node.name for node in kind.body if isinstance(node, ast.FunctionDef)}
        used = [
            node
            for node in ast.walk(kind)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == 'self'
        ]
        own |= {node.attr for node in used if isinstance(node.ctx, ast.Store)}
        for node in used:
            if private(node.attr) and node.attr not in own:
                yield node.lineno, f'{kind.name}: {ast.unparse(node)}'


def sleeps(node, polling=False):
    """Yield the lines of sleeps outside a loop that looks for something."""
    for child in ast.iter_child_nodes(node):
        if (
            isinstance(child, ast.Call)
            and ast.unparse(child.func) in ('time.sleep', 'asyncio.sleep', 'sleep')
            and ast.unparse(child.args[0]) != '0'
            and not polling
        ):
            yield child.lineno
        inside = not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        yield from sleeps(child, inside and (polling or isinstance(child, ast.While)))


@pytest.mark.parametrize('path', MODULES, ids=lambda path: path.relative_to(TESTS).as_posix())
def test_a_test_looks_from_outside_and_waits_for_what_it_waits_for(path):
    tree = ast.parse(path.read_text(encoding='utf-8'))
    assert [*of_others(tree), *inherited(tree)] == [], 'what others keep to themselves'
    if path.relative_to(TESTS).as_posix() not in LETS_TIME_PASS:
        assert list(sleeps(tree)) == [], 'use support.waiting, or an event'


@pytest.mark.parametrize(
    ('program', 'found'),
    [
        ('guard._audit', 1),
        ('self._audit', 0),
        ('from soul.guard import _audit', 1),
        ("monkeypatch.setattr(clean, '_seen', 1)", 1),
        ('usage._replace(free=1)', 0),
        ('import soul\ndef f(x):\n    return x.__name__', 0),
    ],
)
def test_it_finds_what_is_private(program, found):
    assert len(list(of_others(ast.parse(program)))) == found


@pytest.mark.parametrize(
    ('program', 'found'),
    [
        ('time.sleep(0.1)', 1),
        ('async def f():\n    await asyncio.sleep(1)', 1),
        ('async def f():\n    await asyncio.sleep(0)', 0),
        ('while not done():\n    time.sleep(0.1)', 0),
        ('while True:\n    def f():\n        time.sleep(0.1)', 1),
    ],
)
def test_it_finds_sleeps(program, found):
    assert len(list(sleeps(ast.parse(program)))) == found


def test_it_finds_what_a_class_uses_of_its_base():
    program = 'from soul.x import Organ\nclass Toy(Organ):\n    def f(self):\n        self._x()'
    assert len(list(inherited(ast.parse(program)))) == 1
