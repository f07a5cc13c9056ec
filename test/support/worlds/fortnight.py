"""A life in virtual time: her real organs on a bus, a body of a few lines, a model by rule."""

import asyncio
import collections
import json
import random
from datetime import datetime, timezone

from soul.core.clock import VirtualClock
from soul.core.organ import Finish, Organ
from soul.mind.providers.base import Completion, ToolCall, Usage
from soul.signals import (
    BodyState,
    CaptureAnswer,
    CaptureRequest,
    HeartState,
    LookAtGoal,
    LookAtResult,
    Message,
    PostRequest,
    SayGoal,
    SayResult,
    SayState,
    Turn,
)
from soul.sim.drive import VirtualLife
from soul.sim.graph import Graph
from soul.store import Home

HOUR, DAY = 3600.0, 86400.0
#: A Monday morning.
BIRTH = datetime(2026, 3, 2, 8, 0, tzinfo=timezone.utc).timestamp()


class PlainBody(Organ):
    """Says and looks at once; while `broken` nothing works."""

    says = {'body/state': BodyState}
    performs = {'body/say': SayGoal, 'body/look_at': LookAtGoal, 'body/capture': CaptureRequest}

    def __init__(self):
        self.broken = False
        self.said = []

    def start(self, now):
        yield BodyState(connected=1)

    def refuse(self, name, request, now):
        return 'the body is broken' if self.broken else ''

    def perform_say(self, goal, handle, now):
        self.said.append(goal.text)
        yield Finish(handle, SayResult(SayState.DONE))

    def perform_look_at(self, goal, handle, now):
        yield Finish(handle, LookAtResult(True, yaw=goal.yaw, pitch=goal.pitch))

    def perform_capture(self, request, handle, now):
        yield Finish(handle, CaptureAnswer(True, text='a window with rain'))


class ByRule:
    """A model whose wakings a test decides: `plan(request) -> [(tool, arguments), ...]`."""

    name = 'by rule'

    def __init__(self, plan):
        self.plan = plan
        self.views = []  # (time, what she read of the moment) of each waking
        self.read = []  # all she read, of each call
        self.now = lambda: 0.0
        self.dreams = 0
        self.calls = collections.Counter()

    async def complete(self, request, heard):
        await asyncio.sleep(0)
        self.read.append([str(m.text) for m in request.messages])
        if request.purpose != 'waking':
            self.dreams += request.purpose == 'dream'
            # an echo is of no use: she dreams by rule
            said = str(request.messages[-1].text)
            return Completion(said, usage=Usage(500, 0, 100))
        if request.step == 0:
            self.views.append((self.now(), request.messages[-1].text))
            wanted = self.plan(self.now(), request)
        else:
            wanted = []
        wanted = [*wanted, ('sleep', {})] if request.step == 0 else [('sleep', {})]
        self.calls.update(name for name, _ in wanted)
        calls = tuple(
            ToolCall(f'{len(self.views)}-{request.step}-{n}', name, json.dumps(arguments))
            for n, (name, arguments) in enumerate(wanted)
        )
        return Completion('', '', calls, Usage(4000, 3500, 120))

    async def close(self):
        pass


class Lived:
    """What was seen of a life from outside."""

    def __init__(self):
        self.turns = []
        self.hearts = []

    def level(self, name, at):
        """Level of a drive at a time."""
        heart = [h for h in self.hearts if h.stamp <= at][-1]
        return next(d.level for d in heart.drives if d.name == name)


def live(tmp_path, plan, days, *, seed=1, parameters=None, during=None, begin=BIRTH):
    """Live some days; returns what was seen, the model, and the body."""

    async def life():
        clock = VirtualClock(begin)
        model, body, lived = ByRule(plan), PlainBody(), Lived()
        model.now = clock.now
        given = {
            'mind': {'settle_seconds': 0.0},
            'field': {'embedder': 'hash', 'channels': ('time', 'body', 'door')},
            'guard': {'timezone': 'UTC'},
            'heart': {'timezone': 'UTC'},
            **(parameters or {}),
        }
        graph = Graph(
            Home(tmp_path), clock, random.Random(seed), given, {'body': body}, model,
            report=lambda organ, level, text: lived.turns.append(text) if level == 'error' else 0,
        )  # fmt: skip
        virtual = VirtualLife(graph.bus, clock)
        graph.bus.listen('mind/turn', lambda t: lived.turns.append(t))
        graph.bus.listen('heart/state', lambda h: lived.hearts.append(h))
        graph.start()
        await virtual.settle()
        for hour in range(int(days * 24)):
            await virtual.until(begin + hour * HOUR)
            if during is not None:
                during(hour, graph.bus, body)
        await virtual.until(begin + days * DAY)
        await graph.close()
        lived.turns = [t for t in lived.turns if isinstance(t, Turn)]
        lived.hearts = [h for h in lived.hearts if isinstance(h, HeartState)]
        return lived, model, body

    return asyncio.run(life())


def post(bus, text, sender='anna', message_id=''):
    """Put a message at her door."""
    message = Message(id=message_id, sender=sender, text=text)
    bus.call('door/post', PostRequest(message), lambda answer: None)
