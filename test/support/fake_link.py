"""A link to nobody in particular: for tests of what carries links and of commands."""

import queue
import socket
import threading

from soul.core.errors import StartRefused
from soul.signals import MindState, PostAnswer, Reply, TriggerAnswer
from soul.terminal.link import Link, NobodyThere


class FakeLink(Link):
    """Answers as the test says, and says what the test wants heard."""

    namespace = '/soul'

    def __init__(self):
        super().__init__()
        self.calls = []
        self.hearers = {}
        self.answers = {'door/post': PostAnswer(True, 'm1', '')}
        self.started = False
        self.closed = threading.Event()
        self.echoes = queue.SimpleQueue()
        self.gate = threading.Event()
        self.gate.set()

    def start(self):
        self.started = True
        return self

    def listen(self, topic, kind, hear):
        self.hearers[topic] = hear
        if topic == 'mind/state':
            hear(MindState(phase='idle', model='none'))
        elif topic in ('heart/state', 'guard/state', 'guard/energy', 'body/state', 'field/view'):
            hear(kind())

    def listen_health(self, hear):
        hear('heart', 'warn', 'a [/] word')

    def say(self, text):
        self.hearers['door/reply'](Reply(in_reply_to='m1', text=text))

    def call(self, name, request, seconds=5.0):
        self.calls.append((name, request, seconds))
        self.gate.wait(10)
        if name == 'nobody/serves':
            raise NobodyThere('nobody serves it')
        return self.answers.get(name, TriggerAnswer(True, f'{name} done'))

    def is_said(self, topic, by):
        return topic != 'connection'

    def topics(self, everything):
        return [('/soul/mind/state', 'state', 'soul_msgs/msg/MindState')] * (1 + everything)

    def echo(self, topic, field, seconds):
        if field == 'wrong':
            raise StartRefused('there is no field wrong')
        while (message := self.echoes.get()) is not None:
            yield message

    def close(self):
        self.closed.set()
        self.echoes.put(None)


def scripted(path, *lines):
    """Somebody who takes one terminal in, says lines and then waits until it leaves."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(path))
    server.listen(1)

    def serve():
        connection, _ = server.accept()
        with server, connection:
            connection.sendall(b''.join(lines))
            while connection.recv(65536):
                pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread
