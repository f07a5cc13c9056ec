"""A busy life in virtual time whose disk forgets, and what the outside was told of it."""

import asyncio
import dataclasses
import json
import random

from soul.core.clock import VirtualClock
from soul.core.organ import Finish
from soul.mind.providers.base import Completion, ToolCall, Usage
from soul.signals import (
    Message,
    NudgeRequest,
    PostRequest,
    RestRequest,
    SayResult,
    SayState,
    SenseEvent,
)
from soul.sim.drive import VirtualLife
from soul.sim.graph import Graph
from soul.store import Home
from support.worlds.fortnight import BIRTH, PlainBody

MINUTE = 60.0
PARAMETERS = {
    'mind': {'settle_seconds': 0.0},
    'field': {'embedder': 'hash', 'channels': ('time', 'body', 'door')},
    'guard': {'timezone': 'UTC'},
    'heart': {'timezone': 'UTC'},
}
#: What a call of this model costs.
CALL = Usage(400, 300, 50)


@dataclasses.dataclass(frozen=True)
class Told:
    """Something the outside was told, or saw her do."""

    kind: str
    what: object
    at: float
    more: object = None


class Outside(list):
    """All of it, in order."""

    def __init__(self, told=()):
        super().__init__(told)
        self.now = lambda: BIRTH
        self.on_note = lambda kind: None

    def note(self, kind, what, more=None):
        self.append(Told(kind, what, self.now(), more))
        self.on_note(kind)

    def of(self, kind):
        return [told.what for told in self if told.kind == kind]

    def read(self):
        """What she saw each time the model was asked: (wake, text)."""
        return [(told.what, told.more.view.text) for told in self if told.kind == 'asked']


class Body(PlainBody):
    """Says what it is to say after a moment, and the outside hears it."""

    def __init__(self, outside):
        super().__init__()
        self._outside = outside

    def perform_say(self, goal, handle, now):
        self._outside.note('spoken', (goal.act_id, goal.text))
        yield Finish(handle, SayResult(SayState.DONE))


class Model:
    """Does in each waking a bit of everything, in words that no other waking has."""

    name = 'model'

    def __init__(self, outside, seconds):
        self._outside = outside
        self._seconds = seconds
        self.sleep = asyncio.sleep
        self._asked = {}  # id of a call -> its wake, tool and arguments
        self._plans = {}  # wake -> what is done in it, step by step

    async def complete(self, request, heard):
        self._read(request)
        self._outside.note('asked', request.view.wake, request)
        await self.sleep(self._seconds)
        if request.purpose != 'waking':
            return Completion('This and that.', usage=CALL)
        wake = request.view.wake
        if request.step == 0:
            self._plans[wake] = self._plan(request.view)
        wanted = self._plans[wake](request)
        calls = []
        for number, (name, arguments) in enumerate(wanted):
            call_id = f'{wake.sequence}-{request.step}-{number}'
            self._asked[call_id] = (wake, (name, arguments))
            calls.append(ToolCall(call_id, name, json.dumps(arguments)))
        return Completion(f'thinking of {wake.sequence}', '', tuple(calls), CALL)

    def _read(self, request):
        """Note which deeds have been acknowledged to her."""
        for message in request.messages:
            asked = self._asked.pop(getattr(message, 'call_id', ''), None)
            if asked is not None and not str(message.text).startswith('It did not work'):
                self._outside.note('kept', asked)

    def _plan(self, view):
        label = f'w{view.wake.sequence}'
        busy = {'message', 'operator'} & set(view.causes)
        messages = [m.id for m in view.messages]
        steps = [
            [('diary', {'text': f'{label} was a day of its own, {view.wake.sequence * 7919}'})],
            [('remember', {'text': f'{label} is a number like {view.wake.sequence * 104729}'}),
             ('attend', {'action': 'note', 'text': f'a note of {label}'})],
            [('attend', {'action': 'intend', 'text': f'to think of {label}'}),
             ('keep', {'text': f'{label} is still open'})],
            [('speak', {'text': f'{label} aloud'})] if messages else [],
            [('reply', {'text': f'{label} for {m}', 'message': m}) for m in messages],
            'hold',
        ]  # fmt: skip
        if not busy:
            steps = steps[:1]
        steps = [step for step in steps if step]

        def plan(request):
            if request.step >= len(steps):
                return [('sleep', {})]
            if steps[request.step] == 'hold':
                seen = request.view
                noted = [i.id for i in (*seen.close, *seen.around) if label in i.text and i.id]
                return [('attend', {'action': 'hold', 'item': noted[0]})] if noted else [
                    ('body_status', {})
                ]  # fmt: skip
            return steps[request.step]

        return plan

    async def close(self):
        pass


class PowerLife:
    """A life on a home; use it as an asynchronous context.

    Parameters
    ----------
    seconds
        How long the model thinks.
    """

    def __init__(self, path, outside, begin, seconds, seed=1):
        self.clock = VirtualClock(begin)
        self.outside, self.errors = outside, []
        outside.now = self.clock.now
        self.model = Model(outside, seconds)
        self.model.sleep = self.clock.sleep
        self.graph = Graph(
            Home(path), self.clock, random.Random(seed), PARAMETERS, {'body': Body(outside)},
            self.model, report=self._report,
        )  # fmt: skip
        self.bus = self.graph.bus
        self.virtual = VirtualLife(self.bus, self.clock)

    def _report(self, organ, level, text):
        if level in ('error', 'warning'):
            self.errors.append(f'{organ}: {text}')

    async def __aenter__(self):
        for kind, topic in (
            ('reply', 'door/reply'), ('turn', 'mind/turn'), ('mind', 'mind/state'),
            ('act', 'guard/act'), ('heart', 'heart/state'), ('view', 'field/view'),
        ):  # fmt: skip
            self.bus.listen(topic, lambda signal, kind=kind: self.outside.note(kind, signal))
        self.graph.start()
        await self.virtual.settle()
        return self

    async def __aexit__(self, *error):
        await self.graph.close()

    async def go_on(self, seconds):
        await self.virtual.until(self.clock.now() + seconds)

    async def ask(self, to, request, kind='', what=None):
        """Ask; at the moment it is acknowledged the outside notes that."""
        answers = []

        def done(answer):
            answers.append(answer.answer)
            if kind and answer.answer.accepted:
                self.outside.note(kind, what)

        self.bus.call(to, request, done)
        await self.virtual.settle()
        return answers[0]

    async def post(self, message_id, kind='post', **more):
        message = Message(id=message_id, sender='anna', text=f'this is {message_id}', **more)
        return await self.ask('door/post', PostRequest(message), kind, message)

    async def nudge(self, reason):
        return await self.ask('heart/nudge', NudgeRequest(reason, 'test'), 'nudge', reason)

    async def rest(self, minutes):
        until = self.clock.now() + MINUTE * minutes
        return await self.ask('heart/rest', RestRequest(MINUTE * minutes), 'rest', until)


async def busy_life(path, outside, seconds):
    """Live through a bit of everything."""
    async with PowerLife(path, outside, BIRTH, seconds) as life:
        await life.go_on(5)
        await life.post('m1')
        await life.go_on(3)
        await life.post('m2')  # while she is at it
        await life.go_on(MINUTE)
        await life.nudge('the kettle sings')
        await life.go_on(4)
        life.bus.say('body/event', SenseEvent(id='e1', kind='picked_up', magnitude=1.0))
        await life.go_on(MINUTE)
        await life.rest(90)
        await life.go_on(20 * MINUTE)
        await life.post('m3', mode='queue')
        await life.nudge('it rains in')
        await life.go_on(5 * MINUTE)
    life.outside.note('end', 0)
    return life
