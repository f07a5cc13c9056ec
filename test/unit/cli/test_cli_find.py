"""How a command finds her, what it loads for that, and what it says if she is lost."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from soul.cli import find as finding
from soul.cli.main import app
from soul.signals import Act, SpeakAnswer, SpeakRequest
from soul.store.home import Home
from soul.store.lock import InstanceLock, LockFile
from soul.terminal import place
from soul.terminal.client import SocketLink
from soul.terminal.link import NobodyThere
from soul.terminal.listener import Listener
from soul.terminal.protocol import Greeting
from support.fake_link import FakeLink, scripted
from support.waiting import wait_until

DOMAIN = 7
#: What takes long to load and is not needed to speak over a socket or to show a help text.
HEAVY = ('rclpy', 'pydantic', 'numpy', 'asyncio', 'yaml', 'PIL')


@pytest.fixture
def world(monkeypatch):
    """A machine of its own: no soul lives on it."""
    with tempfile.TemporaryDirectory(prefix='soul-') as made:
        folder = Path(made)
        monkeypatch.setenv('XDG_RUNTIME_DIR', str(folder))
        monkeypatch.setenv('SOUL_HOME', str(folder / 'home'))
        monkeypatch.setenv('ROS_DOMAIN_ID', str(DOMAIN))
        monkeypatch.setattr(finding, 'by_ros', lambda space, here: f'ROS at {space}, {here}')
        yield folder


class Her:
    """Who lives in a home, as far as terminals can tell."""

    def __init__(self, home, namespace='/soul', domain=DOMAIN, **greeting):
        self.home = Home(home).ensure()
        self.links = []
        self.lock = InstanceLock(self.home.run / 'guard.lock', f'{namespace}/guard').acquire()
        self.name = LockFile(place.name_lock(f'{namespace}/guard', domain), str(self.home))
        self.name.take()
        self.listener = Listener(
            place.chosen(self.home),
            Greeting(namespace, domain, os.getpid(), **greeting),
            self._open,
            lambda level, text: None,
        )

    def _open(self):
        self.links.append(FakeLink())
        return self.links[-1]

    def end(self):
        self.listener.close()
        self.lock.release()
        self.name.release()


@pytest.fixture
def lives(world):
    """Let somebody live; all end with the test."""
    made = []

    def live(home='home', **options):
        made.append(Her(world / home, **options))
        return made[-1]

    yield live
    for her in made:
        her.end()


def found(*arguments):
    """Where a link leads."""
    link = finding.find(*arguments)
    if isinstance(link, SocketLink):
        link.close()
        return str(link.path.parent.parent)
    return link


def test_in_the_home_that_is_hers_by_default(world, lives):
    lives()
    assert found() == str(world / 'home')
    assert found('/soul/') == str(world / 'home')


def test_in_whatever_home_the_one_of_a_namespace_lives(world, lives):
    lives('elsewhere', namespace='/robot1')
    lives('home')
    assert found('robot1') == str(world / 'elsewhere')
    assert found('/soul') == str(world / 'home')


def test_in_a_home_that_is_named_under_whatever_namespace(world, lives):
    lives('elsewhere', namespace='/robot1', domain=3)
    assert found('', str(world / 'elsewhere')) == str(world / 'elsewhere')
    assert found('/robot1', str(world / 'elsewhere')) == str(world / 'elsewhere')
    assert found('/soul', str(world / 'elsewhere')) == 'ROS at /soul, True'


def test_nobody_known_is_looked_for_over_ros(world, lives, monkeypatch):
    assert found() == 'ROS at /soul, False'
    lives()
    assert found('/robot1') == 'ROS at /robot1, False', 'another namespace is somebody else'
    monkeypatch.setenv('ROS_DOMAIN_ID', '8')
    assert found() == 'ROS at /soul, False', 'another domain, too'
    monkeypatch.setenv('ROS_DOMAIN_ID', 'eight')
    assert found() == 'ROS at /soul, False'


def test_a_named_home_in_which_nobody_lives(world):
    with pytest.raises(NobodyThere, match='nobody lives in'):
        finding.find('', str(world / 'empty'))
    assert found('', str(world / 'empty'), '/soul') == 'ROS at /soul, True'
    assert found('/robot1', str(world / 'empty')) == 'ROS at /robot1, True'


def test_one_that_lives_without_a_socket(world, lives, capsys):
    her = lives()
    her.listener.path.unlink()
    assert found() == 'ROS at /soul, True'
    assert found('', str(world / 'home')) == 'ROS at /soul, True'
    assert capsys.readouterr().err == ''


@pytest.mark.parametrize(
    ('greeting', 'said'),
    [({'protocol': 99, 'soul': '9.0'}, 'she is soul 9.0'), ({'full': True}, 'too many terminals')],
)
def test_one_that_cannot_be_spoken_to_so_is_met_over_ros(lives, capsys, greeting, said):
    lives(**greeting)
    assert found() == 'ROS at /soul, True'
    assert said in capsys.readouterr().err


def test_somebody_else_at_her_socket_is_named(world, lives, capsys):
    her = lives()
    her.listener.path.unlink()
    thread = scripted(her.listener.path, b'HTTP/1.1 200 OK\n')
    assert found() == 'ROS at /soul, True'
    assert str(her.listener.path) in capsys.readouterr().err
    thread.join(10)
    her.listener.path.unlink()


# --- the commands -------------------------------------------------------------------------------


def run(*arguments):
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, ' '.join(result.output.split())


def test_an_act_is_waited_for_until_she_goes(lives):
    """Whoever waits for an act is not left waiting, and knows what to do."""
    her = lives()

    def let_her_go():
        wait_until(lambda: her.links and her.links[0].calls)
        her.links[0].gate.set()
        wait_until(lambda: 'guard/act' in her.links[0].hearers)
        her.listener.close()
        her.listener.close = lambda: None

    going = threading.Thread(target=let_her_go, daemon=True)
    going.start()
    answers = FakeLink.call

    def accept(self, name, request, seconds=5.0):
        answers(self, name, request, seconds)
        return SpeakAnswer(accepted=True, act_id='a1', longest=60.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FakeLink, 'call', accept)
        code, told = run('say', 'good morning')
    going.join(10)
    assert code == 1
    assert 'she has gone while this command waited' in told
    assert '`soul status`' in told


def test_an_act_and_its_outcome(lives, monkeypatch):
    her = lives()

    def accept(self, name, request, seconds=5.0):
        assert (name, request) == ('speak', SpeakRequest(text='good morning', by='terminal'))
        self.hearers['guard/act'](Act(id='a1', state='executing'))
        self.hearers['guard/act'](Act(id='a1', state='failed', detail='the body is mute'))
        return SpeakAnswer(accepted=True, act_id='a1', longest=60.0)

    monkeypatch.setattr(FakeLink, 'call', accept)
    assert run('say', 'good morning') == (1, 'failed: the body is mute')
    assert her.links[0].closed.wait(10)


def test_status_does_not_wait_for_a_body_that_is_not_there(lives):
    lives()
    code, told = run('status')
    assert code == 0
    assert 'mind idle' in told
    assert 'body none' in told


def test_talk_ends_when_she_does(lives):
    her = lives()

    def let_her_go():
        wait_until(lambda: her.links and her.links[0].calls)
        her.listener.close()
        her.listener.close = lambda: None

    going = threading.Thread(target=let_her_go, daemon=True)
    going.start()
    result = CliRunner().invoke(app, ['talk', '--name', 'ann'], input='hello\n')
    going.join(10)
    assert result.exit_code == 1
    assert 'she has gone' in result.output


LOADED = f"""
import sys
from soul.cli.main import app
try:
    app(sys.argv[1:])
finally:
    print('loaded', *(name for name in {HEAVY} if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ('command', 'more'),
    [
        (['--help'], ('rich',)),
        (['status', '--help'], ('rich',)),
        (['status'], ()),
        (['talk', '--name', 'ann'], ()),
        (['stop'], ()),
        (['topics'], ()),
    ],
    ids=' '.join,
)
def test_a_command_loads_only_what_it_needs(lives, command, more):
    lives()
    code = LOADED.replace(repr(HEAVY), repr(HEAVY + more))
    done = subprocess.run(
        [sys.executable, '-c', code, *command],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == 'loaded'
