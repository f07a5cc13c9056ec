"""Two organs for the contract: one does one of everything, the other hears and asks it."""

import math

from soul.core.organ import Ask, CancelAsk, Finish, Offer, Organ, Progress, Record, Save, SaveSoon
from soul.signals import (
    CaptureAnswer,
    CaptureRequest,
    Energy,
    Knock,
    NudgeAnswer,
    NudgeRequest,
    Reply,
    RestRequest,
    SayFeedback,
    SayGoal,
    SayResult,
    SenseEvent,
)


class Toy(Organ):
    """Does one of everything, and fails wherever it is told to."""

    hears = {'door/knock': Knock, 'guard/energy': Energy}
    says = {'door/reply': Reply, 'body/event': SenseEvent}
    perhaps = frozenset({'body/event'})
    serves = {'heart/nudge': NudgeRequest}
    performs = {'body/say': SayGoal, 'body/capture': CaptureRequest}
    asks = {'heart/rest': RestRequest}
    memory_file = 'toy.json'
    journals = ('toy',)

    def __init__(self, memory=None):
        self.count = (memory or {}).get('count', 0)
        self.started = self.stopped = 0
        self.at = math.inf
        self.steps = []
        self.handles = []
        self.canceled = []
        self.answers = []
        self.learnt = []
        self.levels = []
        self.takes = True

    def memory(self):
        return {'count': self.count}

    def start(self, now):
        self.started += 1
        return ()

    def stop(self, now):
        self.stopped += 1
        return ()

    def due(self):
        if self.at == -1.0:
            raise KeyError('a bug in due')
        return self.at

    def step(self, now):
        self.steps.append(now)
        if self.at == 0.0:
            raise KeyError('a bug in a step')
        yield Save()
        self.at = math.inf

    def on_energy(self, energy, now):
        self.levels.append(energy.level)
        return ()

    def on_knock(self, knock, now):
        word = knock.sender
        if word == 'bug':
            raise ZeroDivisionError('a bug')
        if word in ('due', 'step'):
            self.at = -1.0 if word == 'due' else 0.0
            return
        if word == 'alien':
            yield object()
        if word == 'later':
            self.at = now + knock.weight * 10.0
            return
        if word == 'unsaid':  # changed, and nothing told to be written
            self.count += 1
            return
        if word == 'soon':
            self.count += 1
            yield SaveSoon()
            yield Reply(id=knock.message_id, text=str(self.count))
            return
        if word == 'offer':
            yield Offer(('body/event',))
        if word in ('offer', 'not offered'):
            yield SenseEvent(kind='touched')
            return
        try:
            yield Record('toy', {'id': knock.message_id})
        except OSError as error:
            self.learnt.append(error.errno)
            if word != 'careful':
                raise
            yield Reply(id=knock.message_id, text='it could not be written')
            return
        self.count += 1
        yield Save()
        yield Reply(id=knock.message_id, text=str(self.count))

    def serve_nudge(self, request, now):
        if request.reason == 'bug':
            raise ZeroDivisionError('a bug in a service')
        if request.reason == 'nothing':
            return None, ()
        return NudgeAnswer(True), [Record('toy', {'nudge': request.reason})]

    @property
    def takes_goals(self):
        return self.takes

    def refuse(self, name, request, now):
        if request == SayGoal(text='bug in refuse'):
            raise ZeroDivisionError('a bug in a refusal')
        return 'nothing to say' if request in (SayGoal(), CaptureRequest()) else ''

    def perform_say(self, goal, handle, now):
        if goal.text == 'bug':
            raise ZeroDivisionError('a bug in an action')
        if goal.text == 'write':
            yield Record('toy', {'say': goal.text})
        self.handles.append(handle)
        yield Progress(handle, SayFeedback('playing', 0.0))
        if goal.text == 'now':
            yield Finish(handle, SayResult('done', '', 1.5))

    def perform_capture(self, request, handle, now):
        self.handles.append(handle)
        return [Finish(handle, CaptureAnswer(True, text='a cup'))] * (request.question == 'now')

    def cancel(self, handle, now):
        self.canceled.append(handle)
        return [Finish(handle, SayResult('aborted', 'canceled'), 'canceled')]

    def on_answer(self, answer, now):
        self.answers.append(answer)
        return ()


class Peer(Organ):
    """Hears what the toy says, and asks it."""

    hears = {'door/reply': Reply, 'body/event': SenseEvent}
    says = {'door/knock': Knock, 'guard/energy': Energy}
    asks = {
        'heart/nudge': NudgeRequest,
        'body/say': SayGoal,
        'body/capture': CaptureRequest,
        'heart/rest': RestRequest,
    }
    watches = ('door/reply',)

    def __init__(self, look=lambda: None):
        self.look = look
        self.replies = []
        self.seen = []
        self.events = []
        self.answers = []
        self.silences = []

    def on_reply(self, reply, now):
        self.replies.append(reply)
        self.seen.append(self.look())
        return ()

    def on_sense_event(self, event, now):
        self.events.append(event)
        return ()

    def on_answer(self, answer, now):
        self.answers.append(answer)
        return ()

    def on_silence(self, topic, now):
        self.silences.append(topic)
        return ()


def knock(word='', number='', weight=0.0):
    """What the peer says to the toy."""
    return Knock(sender=word, message_id=number, weight=weight)


def ask(request, token='t', **more):
    """What the peer asks the toy."""
    name = next(n for n, kind in Peer.asks.items() if isinstance(request, kind))
    return Ask(name, request, token, **more)


__all__ = ['CancelAsk', 'Peer', 'Toy', 'ask', 'knock']
