"""What anybody said, on the screens of `soul talk`, `soul status` and `soul up`."""

import os
import pty

import pytest

from soul.cli.output import Output
from soul.cli.status import Status
from soul.cli.talk import Talk
from soul.cli.up import Commentary
from soul.signals import (
    Act,
    Connection,
    GuardState,
    Message,
    MindState,
    Phase,
    PostAnswer,
    Reply,
    Thought,
    View,
)
from soul.store import Home
from soul.text.printable import printable
from support.terminals import HOSTILE, harmless

pytestmark = pytest.mark.ros


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

    def post(self, message, home=None):
        return self.answer


# Each shows less than a pseudo-terminal holds until somebody reads.
@pytest.mark.parametrize('text', HOSTILE)
def test_talk_shows_what_was_said_as_it_is(screen, text):
    """found 51: `[/]` in a reply killed the thread of soul talk, which then hung for ever."""
    line = Line()
    talk = Talk(line, screen.console, text, True, Home('/nowhere'))
    talk.say('hello')
    line.hear['door/reply'](Reply(in_reply_to='m1', text=f'<{text}>', is_final=True))
    line.hear['mind/thought'](Thought(kind='text', text=text))
    line.hear['mind/state'](MindState(phase=Phase.STOPPED))
    line.answer = PostAnswer(False, '', text)
    talk.say('hello')
    assert talk.wait(0.0), 'the reply was taken'
    shown = screen.read()
    assert harmless(shown)
    assert f'<{printable(text)}>'.split('\n')[0] in shown


@pytest.mark.parametrize('text', HOSTILE)
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


@pytest.mark.parametrize('text', HOSTILE)
def test_the_commentary_of_up_goes_on(screen, text):
    """found 51: markup in a message killed the thread of soul up."""
    commentary = Commentary(screen.console, '/soul', Home('/nowhere'), 'warn')
    commentary.on_mind(MindState(phase='idle', model=text))
    commentary.on_connection(Connection(connected=True, device=text, firmware=text))
    view = View(tick=1, messages=(Message(id='1', sender=text, text=text),), causes=(text,))
    commentary.on_view(view)
    commentary.on_view(View(tick=2, causes=(text,)))
    commentary.on_reply(Reply(text=f'<{text}>'))
    shown = screen.read()
    assert harmless(shown)
    assert f'<{printable(text)}>'.split('\n')[0] in shown
