"""What setup says when it cannot go on, and what it writes down when it can."""

import subprocess

import pytest

from soulenv import machine, shell, venv
from soulenv.report import SetupError, Ticker


@pytest.mark.parametrize(
    ('output', 'word'),
    [
        ('ERROR: [Errno 28] No space left on device', 'disk is full'),
        ('Failed to establish a new connection: [Errno 101]', 'cannot be reached'),
        ('NameResolutionError\nERROR: Could not find a version', 'cannot be reached'),
        ('SSLError(SSLCertVerificationError(CERTIFICATE_VERIFY_FAILED', 'certificate'),
        ('ERROR: No matching distribution found for ros-x', 'no fitting version'),
        ('ERROR: Could not find a version of x (from versions: none)', 'or does not have'),
        ('ERROR: ResolutionImpossible', 'contradict'),
        ('a traceback', 'could not be installed'),
    ],
)
def test_explains_why_pip_failed(output, word):
    what, next_step = venv.explain(output)

    assert word in what
    assert next_step


def test_another_architecture_is_told_to_source_an_installation():
    with pytest.raises(SetupError, match='source it'):
        machine.require_architecture('aarch64', 'Linux')
    machine.require_architecture('x86_64', 'Linux')


def test_names_the_missing_tools(monkeypatch, tmp_path):
    (tmp_path / 'gcc').write_text('')
    (tmp_path / 'gcc').chmod(0o755)
    monkeypatch.setenv('PATH', str(tmp_path))

    with pytest.raises(SetupError, match=r'g\+\+, cmake, make\.'):
        machine.require_tools()


def test_says_how_much_room_is_missing(tmp_path):
    with pytest.raises(SetupError, match='MB needed'):
        machine.require_room(tmp_path, needed=10**18)
    machine.require_room(tmp_path, needed=1)


def test_an_error_ends_with_what_to_do():
    assert str(SetupError('It broke.', 'mend it')) == 'It broke.\n  What to do: mend it'


def test_a_list_gains_only_what_is_new():
    assert shell.added('/a:/b', '/x:/y:/x:/a::/b') == ['/x', '/y']


def test_the_frozen_environment_survives_odd_directory_names():
    text = shell.render(
        {'A_LIST': ["/it's here/lib", '/$HOME/lib'], 'EMPTY': []}, {'ROS_DISTRO': 'a b'}
    )
    script = '_soul_prepend() { export "$1=$2"; }\n' + text + 'printf %s "$A_LIST|$ROS_DISTRO"'

    answer = subprocess.run(['sh', '-c', script], capture_output=True, text=True, check=True)

    assert answer.stdout == "/it's here/lib:/$HOME/lib|a b"
    assert 'EMPTY' not in text


class Stream:
    """A pipe that remembers."""

    def __init__(self, terminal):
        self.text = ''
        self.terminal = terminal

    def isatty(self):
        return self.terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def test_through_a_pipe_progress_is_shown_now_and_then():
    now = [0.0]
    stream = Stream(terminal=False)
    ticker = Ticker(stream, clock=lambda: now[0])
    for seconds in (1, 19, 21, 22, 43):
        now[0] = float(seconds)
        ticker.show(f'line {seconds}\n')
    ticker.clear()

    assert stream.text == '    ... line 21\n    ... line 43\n'


def test_on_a_terminal_each_line_overwrites_the_last():
    stream = Stream(terminal=True)
    ticker = Ticker(stream)
    ticker.show('one\n')
    ticker.clear()

    assert stream.text == '\r\033[K    one\r\033[K'
