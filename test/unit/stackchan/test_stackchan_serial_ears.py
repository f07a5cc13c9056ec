"""The microphone of a body on soul-serial as her ears, which live in a process of their own."""

import base64
import contextlib
import queue

import pytest

from soul.core.organ import Ask
from soul.stackchan.config import StackChanConfig
from soul.stackchan.voicing import connect_voice
from soul.wire import encode
from support import voice_process
from support.opus import tone
from support.waiting import wait_until
from support.worlds.wire import World

CAPABILITIES = ('head', 'face', 'spk', 'mic')
CONFIG = {'voice': True, 'port': 'mock', 'first_move': 0.0}


class Hearing:
    """A body that hears; its line lives on a virtual clock, the ears on the real one."""

    def __init__(self, home, **driver):
        self.world = World(home, driver=CONFIG | driver, mock={'capabilities': CAPABILITIES})
        self._work = queue.SimpleQueue()
        self._sent = 0
        config = StackChanConfig(**CONFIG | driver)
        words = voice_process.command('--text', 'good morning')
        self.client = connect_voice(config, self.world.driver, words, self._work.put)
        self.world.up()
        self.until(lambda: self.client.engines.ear)

    def carry(self):
        """Let what the process has made reach the driver."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.world.take(self._work.get_nowait()(self.world.now))

    def until(self, done):
        wait_until(lambda: (self.carry(), done())[1])

    def hear(self, samples, rate=16_000):
        """Let the microphone hear something: 60 ms in each piece."""
        size = 2 * rate * 60 // 1000
        for at in range(0, len(samples), size):
            self.piece(samples[at : at + size].ljust(size, b'\0'), rate)

    def piece(self, samples, rate=16_000):
        self.world.run(len(samples) / 2 / rate)
        self._sent += 1
        told = {
            't': 'pcm', 'q': 5000 + self._sent, 'sid': self.world.driver.port.sid,
            'up': int(1000 * self.world.now), 'st': 1, 'n': self._sent,
            'b64': base64.b64encode(samples).decode(),
        }  # fmt: skip
        self.world.arrive(encode(told if rate == 16_000 else told | {'rate': rate}))
        self.carry()

    @property
    def posts(self):
        return [one.request for one in self.world.heard(Ask) if one.to == 'door/post']


@pytest.fixture
def make(tmp_path):
    made = []

    def build(**driver):
        made.append(Hearing(tmp_path / str(len(made)), **driver))
        return made[-1]

    yield build
    for one in made:
        one.client.close()


@pytest.mark.parametrize('rate', [8_000, 16_000, 24_000])
def test_what_somebody_says_to_it_comes_to_her_door(make, rate):
    body = make()
    assert b'"t":"mic"' in body.world.cable.sent
    body.hear(tone(300.0, 0.6, rate).tobytes() + bytes(2 * rate), rate)
    body.until(lambda: body.posts)
    (post,) = body.posts
    assert (post.message.text, post.message.channel) == ('good morning', 'voice')
    assert not post.message.trusted
    body.world.until(lambda: body.world.mock.device.face == 'doubt')


def test_silence_is_no_message_and_speech_after_it_is_one(make):
    body = make()
    body.hear(bytes(2 * 16_000 * 3))
    body.hear(tone(300.0, 0.6).tobytes() + bytes(2 * 16_000))
    body.until(lambda: body.posts)
    assert len(body.posts) == 1


def test_with_its_microphone_switched_off_it_is_told_so(make):
    body = make(microphone=False)
    assert b'"on":false' in body.world.cable.sent
