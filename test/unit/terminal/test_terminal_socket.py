"""The socket of a home: what is asked there is done as by any link, and nothing breaks it."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from soul.core.errors import StartRefused
from soul.signals import (
    Message,
    MindState,
    PostRequest,
    Reply,
    SpeakRequest,
    TriggerAnswer,
    TriggerRequest,
)
from soul.store.home import Home, HomeUnusable
from soul.terminal import listener as listeners
from soul.terminal import place, session
from soul.terminal.client import NoSocket, SocketLink
from soul.terminal.link import LinkLost, NobodyThere
from soul.terminal.listener import Listener, Occupied, make_private
from soul.terminal.protocol import LINE_LIMIT, PROTOCOL, Greeting, encode
from support.fake_link import FakeLink, scripted
from support.waiting import wait_until

GREETING = Greeting('/soul', 7, os.getpid())


@pytest.fixture
def folder():
    """A folder with a short path: pytest's own may be longer than a socket's may be."""
    with tempfile.TemporaryDirectory(prefix='soul-') as made:
        yield Path(made)


class Her:
    """Her end, with a link of the test for each terminal."""

    def __init__(self, path):
        self.links = []
        self.told = []
        self.listener = Listener(
            path, GREETING, self._open, lambda level, text: self.told.append((level, text))
        )

    def _open(self):
        self.links.append(FakeLink())
        return self.links[-1]


@pytest.fixture
def her(folder):
    made = Her(folder / 'soul.sock')
    yield made
    made.listener.close()


@pytest.fixture
def link(her):
    made = SocketLink(her.listener.path)
    yield made
    made.close()


@pytest.fixture
def raw(her):
    """A terminal that knows nothing of manners: its connection and a reader of lines."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(10)
    connection.connect(str(her.listener.path))
    with connection.makefile('rb') as reader:
        assert json.loads(reader.readline())['protocol'] == PROTOCOL
        yield connection, reader
    connection.close()


def rest(reader):
    """The lines until she hangs up."""
    try:
        return [json.loads(line) for line in reader]
    except ConnectionResetError:
        return []


# --- what it is for -----------------------------------------------------------------------------


def test_it_greets_and_is_for_its_owner_only(her, link):
    assert link.greeting == GREETING
    assert link.namespace == '/soul'
    assert stat.S_IMODE(her.listener.path.stat().st_mode) == 0o600


def test_calls_are_answered_by_the_link(her, link):
    link.start()
    assert link.call('stop', TriggerRequest()) == TriggerAnswer(True, 'stop done')
    link.call('speak', SpeakRequest(text='good morning', by='terminal'), 7.0)
    assert her.links[0].calls == [
        ('stop', TriggerRequest(), 5.0),
        ('speak', SpeakRequest(text='good morning', by='terminal'), 7.0),
    ]
    with pytest.raises(NobodyThere, match='nobody serves it'):
        link.call('nobody/serves', TriggerRequest())


def test_a_message_is_posted_with_its_proof(her, link, home):
    link.start()
    assert link.post(Message(sender='ann', text='hello \0')).accepted
    _, request, _ = her.links[0].calls[0]
    assert isinstance(request, PostRequest)
    assert request.message.text == 'hello \ufffd'
    assert request.message.id


def test_topics_are_heard_on_and_on(her, link):
    heard, states, health = [], [], []
    link.listen('door/reply', Reply, heard.append)
    link.listen('mind/state', MindState, states.append)
    link.listen_health(lambda *all_: health.append(all_))
    link.start()
    wait_until(lambda: states)
    assert states == [MindState(phase='idle', model='none')]
    wait_until(lambda: health)
    assert health == [('heart', 'warn', 'a [/] word')]
    for text in ('one', 'two'):
        her.links[0].say(text)
    wait_until(lambda: len(heard) == 2)
    assert [reply.text for reply in heard] == ['one', 'two']


def test_the_graph_is_shown(her, link):
    link.start()
    assert link.topics(False) == [('/soul/mind/state', 'state', 'soul_msgs/msg/MindState')]
    assert len(link.topics(True)) == 2
    assert link.is_said('mind/state', 'mind')
    assert not link.is_said('connection', 'stackchan')
    messages = link.echo('mind/state', '', 5.0)
    first = threading.Timer(0.0, lambda: her.links[0].echoes.put({'phase': 'idle'}))
    first.start()
    assert next(messages) == {'phase': 'idle'}
    with pytest.raises(StartRefused, match='no field wrong'):
        next(link.echo('mind/state', 'wrong', 5.0))


def test_the_border_is_that_of_everybody(her, link):
    """What an organ would refuse is refused with its answer, and told in the log."""
    link.start()
    answer = link.call('door/post', PostRequest(Message(id='x' * 300, sender='ann', text='hi')))
    assert not answer.accepted
    assert 'message.id' in answer.reason
    assert her.links == [] or her.links[0].calls == []
    link.call('speak', SpeakRequest(text='x', by='y' * 5000))
    assert len(her.links[0].calls[-1][1].by) < 5000
    assert any('by cut to' in text for level, text in her.told if level == 'warning')


def test_terminals_do_not_wait_for_each_other(her):
    slow, quick = SocketLink(her.listener.path).start(), SocketLink(her.listener.path).start()
    try:
        quick.call('stop', TriggerRequest())
        slow.call('stop', TriggerRequest())
        her.links[1].gate.clear()
        ask = SpeakRequest(text='...')
        waiting = threading.Thread(target=slow.call, args=('speak', ask), daemon=True)
        waiting.start()
        wait_until(lambda: len(her.links[1].calls) == 2)
        assert quick.call('stop', TriggerRequest()).success
        her.links[1].gate.set()
        waiting.join(10)
        assert not waiting.is_alive()
    finally:
        slow.close()
        quick.close()


# --- terminals that do not behave ---------------------------------------------------------------


@pytest.mark.parametrize(
    ('sent', 'why'),
    [
        (b'\xff\xfe\x00garbage\n', 'is no JSON'),
        (b'[1, 2]\n', 'is no JSON object'),
        (b'{"call": "stop"}\n', 'number'),
        (b'{"id": true, "call": "stop"}\n', 'number'),
        (b'{"id": 1, "sing": "loud"}\n', 'nothing known'),
        (b'{"id": 1, "call": "stop", "kind": "os"}\n', 'no type of signal'),
        (b'{"id": 1, "call": "stop", "kind": "Message", "seconds": 1}\n', 'no request'),
        (b'{"id": 1, "call": "../x", "kind": "TriggerRequest", "seconds": 1}\n', 'no name'),
        (b'{"id": 1, "call": "stop", "kind": "TriggerRequest"}\n', 'TriggerRequest'),
        (
            b'{"id": 1, "call": "a", "kind": "TriggerRequest", "request": {}, "seconds": NaN}\n',
            'seconds',
        ),
        (b'{"id": 1, "hear": "a b", "kind": "Reply"}\n', 'no name'),
        (b'{"id": 1, "hear": "stop", "kind": "TriggerRequest"}\n', 'on no topic'),
        (b'{"id": 1, "echo": "a", "field": 3, "seconds": 1}\n', 'field'),
        (b'[' * 100_000 + b'\n', 'no JSON'),
        (b'{"id": 1, "health": 1}\n' * (session.MOST_HEARD + 1), 'listened to'),
    ],
)
def test_nonsense_ends_its_own_connection_with_the_reason(her, raw, link, sent, why):
    connection, reader = raw
    connection.sendall(sent)
    last = rest(reader)[-1]
    assert why in last['error']
    assert link.start().call('stop', TriggerRequest()).success, 'the others go on'


def test_megabytes_without_an_end_are_not_kept(her, raw, link):
    connection, reader = raw
    sent = 0
    try:
        while sent <= 2 * LINE_LIMIT:
            sent += connection.send(b'x' * 65536)
    except ConnectionError:
        pass
    assert sent < 2 * LINE_LIMIT, 'she hung up'
    told = rest(reader)
    assert told == [] or 'longer than' in told[-1]['error']
    assert link.start().call('stop', TriggerRequest()).success


def test_half_a_line_is_nothing(her, raw):
    connection, reader = raw
    connection.sendall(b'{"id": 1, "call": "stop", "kind": "Trig')
    connection.shutdown(socket.SHUT_WR)
    assert rest(reader) == []
    assert her.links == []


def test_one_that_hangs_up_in_mid_answer_is_forgotten(her, raw, link):
    connection, _ = raw
    ask = {'call': 'stop', 'kind': 'TriggerRequest', 'request': {}, 'seconds': 5}
    connection.sendall(encode({'id': 1, **ask}))
    wait_until(lambda: her.links and her.links[0].calls)
    her.links[0].gate.clear()
    connection.sendall(encode({'id': 2, **ask}))
    wait_until(lambda: len(her.links[0].calls) == 2)
    connection.shutdown(socket.SHUT_RDWR)
    her.links[0].gate.set()
    assert her.links[0].closed.wait(10)
    assert link.start().call('stop', TriggerRequest()).success


def test_one_that_hangs_up_while_it_listens_is_forgotten(her, link):
    link.start()
    link.call('stop', TriggerRequest())
    messages = link.echo('mind/state', '', 5.0)
    her.links[0].echoes.put({'phase': 'idle'})
    next(messages)
    link.close()
    assert her.links[0].closed.wait(10)


def test_one_that_says_nothing_holds_no_place(folder, monkeypatch):
    monkeypatch.setattr(session, 'FIRST_SECONDS', 0.05)
    her = Her(folder / 'soul.sock')
    try:
        link = SocketLink(her.listener.path).start()
        wait_until(lambda: link.lost)
        assert 'no line came' in link.lost
        link.close()
    finally:
        her.listener.close()


def test_too_many_are_told_so(folder, monkeypatch):
    monkeypatch.setattr(listeners, 'MOST', 1)
    her = Her(folder / 'soul.sock')
    try:
        first = SocketLink(her.listener.path)
        second = SocketLink(her.listener.path)
        assert not first.greeting.full
        assert second.greeting.full
        first.close()
        second.close()
    finally:
        her.listener.close()


# --- she does not behave ------------------------------------------------------------------------


def test_whoever_waits_learns_that_she_has_gone(her, link):
    link.start()
    link.call('stop', TriggerRequest())
    her.links[0].gate.clear()
    raised = []

    def ask():
        try:
            link.call('speak', SpeakRequest(text='...'))
        except LinkLost as lost:
            raised.append(str(lost))

    gone = threading.Event()
    link.on_lost = gone.set
    waiting = threading.Thread(target=ask, daemon=True)
    waiting.start()
    wait_until(lambda: len(her.links[0].calls) == 2)
    ending = threading.Thread(target=her.listener.close, daemon=True)
    ending.start()
    waiting.join(10)
    assert not waiting.is_alive()
    assert '`soul up`' in raised[0]
    assert gone.wait(10)
    with pytest.raises(LinkLost):
        link.call('stop', TriggerRequest())
    her.links[0].gate.set()
    ending.join(10)
    her.listener.close = lambda: None


@pytest.mark.parametrize('first', [b'HTTP/1.1 200 OK\n', b'{"soul": 1}\n', b'7\n'])
def test_somebody_else_at_the_socket_is_noticed(folder, first):
    thread = scripted(folder / 'soul.sock', first)
    with pytest.raises(NoSocket, match=r'greeting|JSON'):
        SocketLink(folder / 'soul.sock')
    thread.join(10)


def test_one_that_never_greets_is_not_waited_for(folder, monkeypatch):
    monkeypatch.setattr('soul.terminal.client.GREET_SECONDS', 0.05)
    thread = scripted(folder / 'soul.sock')
    with pytest.raises(NoSocket, match='no line came'):
        SocketLink(folder / 'soul.sock')
    thread.join(10)


def test_what_she_says_is_checked_too(folder):
    thread = scripted(
        folder / 'soul.sock', encode(GREETING.to_line()), b'{"id": 1, "heard": {"text": 7}}\n'
    )
    link = SocketLink(folder / 'soul.sock')
    link.listen('door/reply', Reply, lambda reply: None)
    link.start()
    wait_until(lambda: link.lost)
    assert 'text is a int' in link.lost
    link.close()
    thread.join(10)


def test_a_greeting_of_another_version_can_be_read(folder):
    newer = {**GREETING.to_line(), 'protocol': 99, 'soul': '9.0', 'mood': 'new'}
    thread = scripted(folder / 'soul.sock', encode(newer))
    link = SocketLink(folder / 'soul.sock')
    assert (link.greeting.protocol, link.greeting.soul) == (99, '9.0')
    link.close()
    thread.join(10)


# --- the place ----------------------------------------------------------------------------------

DIES_LISTENING = """
import os, socket, sys
made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
made.bind(sys.argv[1])
made.listen()
os.kill(os.getpid(), 9)
"""


def test_what_a_dead_process_left_is_replaced(folder):
    path = folder / 'soul.sock'
    died = subprocess.run([sys.executable, '-c', DIES_LISTENING, str(path)], timeout=30)
    assert died.returncode == -signal.SIGKILL
    assert path.is_socket()
    with pytest.raises(NoSocket):
        SocketLink(path)
    her = Her(path)
    try:
        SocketLink(path).close()
    finally:
        her.listener.close()
    assert not path.exists()


def test_a_living_one_is_respected(her, link):
    with pytest.raises(Occupied, match='another process'):
        Her(her.listener.path)
    assert link.start().call('stop', TriggerRequest()).success


@pytest.mark.parametrize('make', [Path.touch, Path.mkdir, lambda path: path.symlink_to('/x')])
def test_what_is_no_socket_is_left_alone(folder, make):
    path = folder / 'soul.sock'
    make(path)
    with pytest.raises(Occupied, match='no socket'):
        Her(path)
    assert os.path.lexists(path)


def test_a_removed_socket_comes_back(folder, monkeypatch):
    monkeypatch.setattr(listeners, 'LOOK_SECONDS', 0.02)
    path = folder / 'soul.sock'
    her = Her(path)
    try:
        path.unlink()
        wait_until(lambda: path.exists() and any(level == 'warning' for level, _ in her.told))
        SocketLink(path).close()
    finally:
        her.listener.close()
    assert not path.exists()


def test_one_who_took_the_place_keeps_it(folder, monkeypatch):
    monkeypatch.setattr(listeners, 'LOOK_SECONDS', 0.02)
    path = folder / 'soul.sock'
    old = Her(path)
    path.rename(folder / 'away')
    new = Her(path)
    wait_until(lambda: old.told)
    old.listener.close()
    SocketLink(path).close()
    new.listener.close()


def test_its_folder_is_made_private(folder):
    folder.chmod(0o755)
    assert 'now they cannot' in make_private(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert make_private(folder) == ''


def test_a_long_path_goes_to_the_runtime_folder(folder, monkeypatch):
    monkeypatch.setenv('XDG_RUNTIME_DIR', str(folder))
    short = Home(folder / 'home').ensure()
    assert place.chosen(short) == short.run / 'soul.sock'
    long = Home(folder / ('long' * 30)).ensure()
    path = place.chosen(long)
    assert path.parent.parent.parent == folder / 'soul'
    assert place.fits(path)
    assert list(place.candidates(long)) == [path], 'a terminal finds it there'
    her = Her(path)
    SocketLink(path).close()
    her.listener.close()
    deep = folder / ('r' * 90)
    deep.mkdir(mode=0o700)
    monkeypatch.setenv('XDG_RUNTIME_DIR', str(deep))
    with pytest.raises(HomeUnusable, match='107 bytes'):
        place.chosen(long)
