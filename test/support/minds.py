"""A mind without ROS: its ports are lists, its event loop is the test's."""

import asyncio
import random

from soul.mind.compose import compose
from soul.mind.config import MindConfig
from soul.mind.ports import NoAnswer, Ports
from soul.mind.providers.base import Completion, ToolCall
from soul.signals import (
    Act,
    AttendAnswer,
    Message,
    MindState,
    Reply,
    SpeakAnswer,
    Turn,
    View,
    WakeId,
)
from soul.store import Home


class World:
    """What the mind meets: it says yes to everything, and acts are done at once."""

    def __init__(self):
        self.said = []
        self.asked = []
        self.saved = []
        self.now = 1000.0
        self.mind = None
        self.act_state = 'done'
        self.answer = None  # called with (to, request) instead, if set
        self.save = self.saved.append

    def of(self, kind):
        return [signal for signal in self.said if isinstance(signal, kind)]

    @property
    def turns(self):
        return self.of(Turn)

    @property
    def replies(self):
        return self.of(Reply)

    @property
    def state(self):
        return self.of(MindState)[-1]

    async def ask(self, to, request, seconds):
        self.asked.append((to, request))
        if self.answer is not None:
            return self.answer(to, request)
        if to == 'speak':
            act_id = f'act-{len(self.asked)}'
            asyncio.get_running_loop().call_soon(
                self.mind.on_act, Act(id=act_id, state=self.act_state, receipt=act_id)
            )
            return SpeakAnswer(True, act_id)
        if to == 'field/attend':
            return AttendAnswer(True, '', View())
        raise NoAnswer(to, lost=False)

    async def sleep(self, seconds):
        """Time passes when a test moves it."""
        end = self.now + seconds
        while self.now < end:
            await asyncio.sleep(0)

    def ports(self):
        return Ports(
            now=lambda: self.now,
            sleep=self.sleep,
            emit=self.said.append,
            ask=self.ask,
            lost=lambda servers: None,
            save=self.save,
        )


def view(sequence, *messages, tick=1, render=0, text='', epoch=7):
    return View(
        wake=WakeId(epoch, sequence),
        tick=tick,
        render=render,
        text=text or ' / '.join(m.text for m in messages) or 'quiet',
        messages=tuple(messages),
        message_ids=tuple(m.id for m in messages),
        causes=('message',) if messages else ('spontaneous',),
    )


def message(number, text='hello', **more):
    return Message(id=f'm{number}', sender='ann', text=text, **more)


class Player:
    """A provider that plays completions; a callable is awaited."""

    name = 'player'

    def __init__(self, *completions):
        self.completions = list(completions)
        self.requests = []
        self.closed = False

    async def complete(self, request, heard):
        self.requests.append(request)
        step = self.completions.pop(0) if self.completions else calls(('sleep', '{}'))
        if callable(step):
            return await step(request, heard)
        if step.text:
            heard('text', step.text)
        return step

    async def close(self):
        self.closed = True


def calls(*wanted, text=''):
    return Completion(
        text=text,
        calls=tuple(ToolCall(f'c{n}', name, args) for n, (name, args) in enumerate(wanted)),
    )


def make(tmp_path, provider, world, memory=None, **config):
    """A mind with its files under tmp_path."""
    config.setdefault('settle_seconds', 0.0)
    config.setdefault('requests_per_minute', 10_000)  # time is real here
    made = compose(
        MindConfig(**config),
        world.ports(),
        Home(tmp_path).ensure(),
        random.Random(1),
        memory,
        provider,
    )
    world.mind, world.made = made.mind, made
    return made.mind


async def until(condition, seconds=5.0):
    """Let the loop run until a condition holds."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end, 'did not hold in time'
        await asyncio.sleep(0)
