"""What anybody said reaches a terminal as signs, never as markup or as an order to it."""

import ast
import io
import os
import pty
import time
from pathlib import Path

import pytest
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table
from typer.testing import CliRunner

import soul.cli
from soul.cli.main import app
from soul.cli.output import Output, styled, write
from soul.cli.status import Status
from soul.cli.talk import Talk
from soul.cli.up import Commentary
from soul.memory import Memory
from soul.printable import printable
from soul.signals import (
    Act,
    Connection,
    GuardState,
    MindState,
    Phase,
    PostAnswer,
    Reply,
    Thought,
    View,
    ViewMessage,
)
from soul.store import Home

HOSTILE = [
    '[/] and [bold]x[i] :smile:',
    '\x1b[2J\x1b[1;1Hgone',
    '\x1b]0;title\x07\x1b]52;c;aGVsbG8=\x1b\\',
    '\x9b31mred\x85\x90q\x9c',
    'over\rwritten\b\b\x7f\x00',
    '\u202egnihtemos\u2066',
    'half \ud83d of it',
    '\x1b[' + '1;' * 100_000,
]


def harmless(text):
    """Tell whether a terminal would only show it."""
    return not any(
        (ord(c) < 32 and c not in '\n\t') or 127 <= ord(c) < 160 or c in '\u202e\u2066'
        for c in text
    )


@pytest.mark.parametrize('text', HOSTILE)
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


class Screen:
    """A pseudo-terminal and what is shown on it."""

    def __init__(self):
        self.reader, writer = pty.openpty()
        self.file = os.fdopen(writer, 'w', encoding='utf-8')
        self.console = Output(file=self.file, force_terminal=True, width=200, color_system=None)

    def read(self):
        self.file.flush()
        self.file.close()
        data = b''
        while True:
            try:
                chunk = os.read(self.reader, 65536)
            except OSError:  # the other side is closed, and all was read
                break
            if not chunk:
                break
            data += chunk
        os.close(self.reader)
        return data.decode().replace('\r\n', '\n')


@pytest.fixture
def screen():
    return Screen()


class Line:
    """Stands for the link to her."""

    namespace = '/soul'

    def __init__(self):
        self.hear = {}
        self.answer = PostAnswer(True, 'm1', '')

    def listen(self, topic, kind, hear):
        self.hear[topic] = hear

    def listen_health(self, hear):
        self.hear['health'] = hear

    def post(self, message):
        return self.answer


# A pseudo-terminal holds 4 kB until somebody reads.
@pytest.mark.parametrize('text', HOSTILE[:-1])
def test_talk_shows_what_was_said_as_it_is(screen, text):
    """found 51: `[/]` in a reply killed the thread of soul talk, which then hung for ever."""
    line = Line()
    talk = Talk(line, screen.console, text, True)
    talk.say('hello')
    line.hear['door/reply'](Reply(in_reply_to='m1', text=f'<{text}>', final=True))
    line.hear['mind/thought'](Thought(kind='text', text=text))
    line.hear['mind/state'](MindState(phase=Phase.STOPPED))
    line.answer = PostAnswer(False, '', text)
    talk.say('hello')
    assert talk.wait(0.0), 'the reply was taken'
    shown = screen.read()
    assert harmless(shown)
    assert f'<{printable(text)}>'.split('\n')[0] in shown


@pytest.mark.parametrize('text', HOSTILE[:-1])
def test_status_shows_what_is_as_it_is(screen, text):
    """found 51: markup in a sender, session or reason killed soul status."""
    line = Line()
    status = Status(line)
    line.hear['mind/state'](MindState(phase='idle', model=text))
    line.hear['guard/state'](
        GuardState(stopped=True, stop_reason=text, recent=(Act(what=text, state='done'),))
    )
    line.hear['connection'](Connection(connected=False, detail=text))
    line.hear['field/view'](View(text=text, focus=text, mood=text, because=text))
    line.hear['health']('heart', 'error', text)
    screen.console.print(status.picture())
    shown = screen.read()
    assert harmless(shown)
    assert 'STOPPED' in shown


@pytest.mark.parametrize('text', HOSTILE[:-1])
def test_the_commentary_of_up_goes_on(screen, text):
    """found 51: markup in a message killed the thread of soul up."""
    commentary = Commentary(screen.console, '/soul', Home('/nowhere'), 'warn')
    commentary._on_mind(MindState(phase='idle', model=text))
    commentary._on_connection(Connection(connected=True, device=text, firmware=text))
    view = View(tick=1, messages=(ViewMessage(id='1', sender=text, text=text),), causes=(text,))
    commentary._on_view(view)
    commentary._on_view(View(tick=2, causes=(text,)))
    commentary._on_reply(Reply(text=f'<{text}>'))
    shown = screen.read()
    assert harmless(shown)
    assert f'<{printable(text)}>'.split('\n')[0] in shown


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


@pytest.mark.parametrize('text', HOSTILE)
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
                'typer.echo',
                'typer.secho',
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
