"""Programs in the documentation are programs."""

import ast
import re
import textwrap
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[3] / 'docs'
BLOCKS = [
    (path.name, number, code)
    for path in sorted(DOCS.glob('*.md'))
    for number, code in enumerate(re.findall(r'```python\n(.*?)```', path.read_text(), re.S))
]


@pytest.mark.parametrize(
    ('name', 'number', 'code'), BLOCKS, ids=[f'{name}-{number}' for name, number, _ in BLOCKS]
)
def test_it_is_a_program_whose_imports_exist(name, number, code):
    for node in ast.walk(ast.parse(textwrap.dedent(code))):
        if isinstance(node, ast.ImportFrom) and node.module.startswith('soul.'):
            if '.ros' in node.module:
                continue
            module = __import__(node.module, fromlist=[alias.name for alias in node.names])
            for alias in node.names:
                assert hasattr(module, alias.name), f'{node.module} has no {alias.name}'


ROOT = DOCS.parent
PAGES = [ROOT / 'README.md', *sorted(DOCS.rglob('*.md'))]


@pytest.mark.parametrize('page', PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_points_to_exists(page):
    text = re.sub(r'```.*?```', '', page.read_text(), flags=re.S)
    missing = [
        target
        for target in re.findall(r'\]\(([^)#]+)', text)
        if '://' not in target and not (page.parent / target).exists()
    ]
    files = re.findall(r'`(soul/[\w/]+\.py)`', text)
    missing += [file for file in files if not (ROOT / 'src' / file).exists()]
    assert not missing
