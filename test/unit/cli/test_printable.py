"""What anybody said reaches a terminal as signs, never as markup or as an order to it."""

import ast
import io
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table

import soul.cli
from soul.cli.main import app
from soul.cli.output import Output, styled, write
from soul.mind.memory import Memory
from soul.text.printable import printable
from support.terminals import HOSTILE, harmless

UNFINISHED = '\x1b[' + '1;' * 100_000


@pytest.mark.parametrize('text', [*HOSTILE, UNFINISHED])
def test_terminal_orders_are_taken_out_and_words_stay(text):
    """found 51: escapes of her replies and diary reached the terminal."""
    clean = printable(text)
    assert harmless(clean)
    clean.encode()
    assert printable('größer 大きい\n\tx') == 'größer 大きい\n\tx'
    assert 'gone' in printable(HOSTILE[1])
    assert '[/]' in printable(HOSTILE[0])


@pytest.mark.parametrize('text', ['\x1b[', '\x1b]', '\x9b', '\x1b', '\r', '\x1b]x\n', 'a\x1b[1'])
def test_it_takes_linear_time(text):
    """found 51: a border that can be held up is none."""
    hostile = text * (1_000_000 // len(text))
    start = time.process_time()
    printable(hostile)
    assert time.process_time() - start < 5.0


def test_a_long_text_is_cut_and_counted():
    """found 36: a refused message logged its sender whole."""
    assert printable('x' * 100_000, 10) == 'x' * 10 + ' ... (99990 more characters)'
    assert printable('x' * 10, 10) == 'x' * 10


def test_memory_search_and_pages_show_notes_as_they_are(tmp_path):
    """found 51: markup in a note killed soul memory search, and was eaten elsewhere."""
    memory = Memory(tmp_path / 'memory')
    memory.close()
    (tmp_path / 'memory' / 'notes').mkdir(exist_ok=True)
    note = 'the whale [/] sings x[i] [bold]loud[/bold] \x1b[31mred\x1b[0m'
    (tmp_path / 'memory' / 'notes' / 'sea.md').write_text(note + '\n')
    (tmp_path / 'soul').mkdir(exist_ok=True)
    (tmp_path / 'soul' / 'DIARY.md').write_text(f'{note} [link](http://a\x1bb)\n')
    for command in (['memory', 'search', 'whale'], ['life', 'show']):
        result = CliRunner().invoke(
            app, [*command, '--home', str(tmp_path)], env={'COLUMNS': '200'}
        )
        assert result.exit_code == 0, result.output
        assert harmless(result.output)
        assert 'x[i]' in result.output
        assert 'red' in result.output


def test_failures_and_orders_are_clean_too():
    """found 51: what a command fails with may quote anybody."""
    result = CliRunner().invoke(app, ['memory', 'search', '\x1b[2J[/]', '--home', '/nowhere/[/]'])
    assert harmless(result.output)
    assert '[/]' in result.output
    file = io.StringIO()
    write('a [/]\x1b[2J', file)
    assert file.getvalue() == 'a [/]\n'


@pytest.mark.parametrize('text', [*HOSTILE, UNFINISHED])
def test_every_kind_of_rendering_is_cleaned(text):
    """found 51: the border holds whatever is printed through it."""
    file = io.StringIO()
    console = Output(file=file, force_terminal=True, width=100, color_system=None)
    table = Table(text[:50])
    table.add_row(text[:500])
    for thing in (
        text,
        styled(('x', 'bold'), text),
        table,
        Panel(text[:500]),
        Markdown(text[:99]),
    ):
        console.print(thing)
    assert harmless(file.getvalue())


def modules():
    return sorted(Path(soul.cli.__file__).parent.glob('*.py'))


@pytest.mark.parametrize('path', modules(), ids=lambda path: path.stem)
def test_commands_print_through_the_one_border(path):
    """found 51: no command prints by itself, and no style stands within a text."""
    if path.stem == 'output':
        return
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ('print', 'Console'), f'{path.name}:{node.lineno}'
        if isinstance(node, ast.Attribute):
            dotted = ast.unparse(node)
            assert dotted not in (
                'click.echo',
                'click.secho',
                'sys.stdout.write',
                'Text.from_markup',
            )
        if isinstance(node, ast.keyword):
            assert node.arg not in ('markup', 'emoji'), f'{path.name}:{node.lineno}'
        if isinstance(node, ast.ImportFrom):
            assert node.module != 'rich.console' or all(
                name.name != 'Console' for name in node.names
            ), f'{path.name}:{node.lineno}'
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for mark in ('[/]', '[bold', '[dim', '[red', '[cyan', '[magenta', '[green'):
                assert mark not in node.value, f'{path.name}:{node.lineno}'
