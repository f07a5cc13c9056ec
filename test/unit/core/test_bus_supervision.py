"""On the bus, too, an organ that fails is begun anew, and the others go on."""

import asyncio
import math

import pytest

from soul.core.bus import Bus, Seat
from soul.core.keeper import Keeper
from soul.core.organ import Ask, Finish, Organ, Record, Save
from soul.core.supervision import RESTARTS
from soul.heart.heart import Heart
from soul.library import AnswersLater, Life
from soul.signals import (
    CaptureAnswer,
    CaptureRequest,
    Knock,
    MindState,
    NudgeAnswer,
    NudgeRequest,
    Reply,
)
from soul.store import Home
from support.worlds.library import QUIET, Model, run, until

pytestmark = pytest.mark.usefixtures('quick_disk')


class Weak(Organ):
    """Fails when it hears of a bug."""

    hears = {'door/knock': Knock, 'mind/state': MindState}
    says = {'door/reply': Reply}
    serves = {'heart/nudge': NudgeRequest}
    performs = {'body/capture': CaptureRequest}
    memory_file = 'weak.json'
    journals = ('weak',)

    def __init__(self, memory):
        self.count = (memory or {}).get('count', 0)
        self.states = []
        self.at = math.inf

    def memory(self):
        return {'count': self.count}

    def due(self):
        if self.at == -1.0:
            raise KeyError('due')
        return self.at

    def step(self, now):
        raise KeyError('step')

    def on_knock(self, knock, now):
        if knock.sender == 'bug':
            raise ZeroDivisionError('a bug')
        if knock.sender in ('step', 'due'):
            self.at = now if knock.sender == 'step' else -1.0
            return
        self.count += 1
        yield Record('weak', {'id': knock.message_id})
        yield Save()
        yield Reply(id=knock.message_id)

    def on_mind_state(self, state, now):
        self.states.append(state.phase)
        return ()

    def serve_nudge(self, request, now):
        if request.reason == 'bug':
            raise ZeroDivisionError('a bug')
        return NudgeAnswer(True), ()

    def perform_capture(self, request, handle, now):
        if request.question == 'later':
            return ()
        return [Finish(handle, CaptureAnswer(True))]


class Asker(Organ):
    """Asks and watches."""

    asks = {'body/capture': CaptureRequest}
    watches = ('door/reply',)

    def __init__(self):
        self.answers = []
        self.silences = []

    def on_answer(self, answer, now):
        self.answers.append(answer)
        return ()

    def on_silence(self, topic, now):
        self.silences.append(topic)
        return ()


class World:
    """The two of them on a supervised bus."""

    def __init__(self, home):
        self.now = 1000.0
        self.reports = []
        self.keeper = Keeper(Home(home), 'weak', 'weak.json', ('weak',))
        self.asker = Asker()
        self.weak = Seat('weak', Weak(None), self.keeper, lambda: Weak(self.keeper.load()))
        self.bus = Bus(
            [self.weak, Seat('asker', self.asker)],
            lambda: self.now,
            lambda *line: self.reports.append(line),
            supervised=True,
        )
        self.replies = []
        self.bus.listen('door/reply', self.replies.append)
        self.bus.start()

    def knock(self, sender='', number=''):
        self.bus.say('door/knock', Knock(sender=sender, message_id=number))
        self.bus.drain()

    def live(self, seconds):
        end = self.now + seconds
        while (due := self.bus.due()) <= end:
            self.now = max(self.now, due)
            self.bus.step()
        self.now = end

    def errors(self):
        return [text for _, level, text in self.reports if level == 'error']


@pytest.mark.parametrize('how', ['bug', 'step', 'due'])
def test_an_organ_that_fails_is_begun_anew_with_its_memory(home, how):
    """found 3: an exception in one organ ended the whole of a library life."""
    w = World(home)
    w.knock(number='m1')
    w.bus.say('mind/state', MindState(phase='idle'))
    w.bus.drain()
    first = w.weak.organ
    w.knock(how)
    w.live(5.0)
    assert w.weak.organ is not first
    assert w.weak.organ.count == 1
    assert w.weak.organ.states == ['idle'], 'what is latched is heard by whoever comes later'
    assert w.asker.silences == ['door/reply']
    w.knock(number='m2')
    assert [reply.id for reply in w.replies] == ['m1', 'm2']
    assert len(w.errors()) == 1


def test_whoever_waits_for_it_is_answered(home):
    """found 3: nobody waits for an organ that has failed."""
    w = World(home)
    answers = []
    w.bus.call('heart/nudge', NudgeRequest('bug', 'me'), answers.append)
    w.bus.drain()
    assert not answers[0].answer.accepted
    assert 'a bug' in answers[0].answer.reason
    w.bus.call('heart/nudge', NudgeRequest('x', 'me'), answers.append)
    w.bus.drain()
    assert answers[1].failure == 'absent'
    w.live(5.0)
    w.bus.inject('asker', lambda now: [Ask('body/capture', CaptureRequest('later'), 't')])
    w.bus.drain()
    w.knock('bug')
    assert not w.asker.answers[0].answer.ok
    assert 'a bug' in w.asker.answers[0].answer.reason


def test_one_that_keeps_failing_stays_down(home):
    """found 3: three times, then it stays down and the others live."""
    w = World(home)
    for _ in range(RESTARTS + 1):
        w.knock('bug')
        w.live(5.0)
    assert w.bus.supervisors['weak'].down
    assert 'stays down' in w.errors()[-1]
    w.bus.inject('asker', lambda now: [Ask('body/capture', CaptureRequest('x'), 't')])
    w.bus.drain()
    assert w.asker.answers[0].failure == 'absent'
    w.bus.stop()


def test_without_supervision_a_bug_reaches_the_test():
    bus = Bus([Seat('weak', Weak(None))], lambda: 1.0)
    bus.start()
    bus.say('door/knock', Knock(sender='bug'))
    with pytest.raises(ZeroDivisionError):
        bus.drain()


def test_a_listener_that_fails_is_no_fault_of_the_organ(home):
    w = World(home)

    def fail(reply):
        raise ValueError('mine')

    w.bus.listen('door/reply', fail)
    w.knock(number='m1')
    w.knock(number='m2')
    assert len(w.replies) == 2
    assert 'the program' in w.errors()[0]


def test_a_library_life_outlives_a_bug_of_hers_and_of_the_programs(tmp_path, monkeypatch):
    """found 3: the life ended without a word, and whoever waited for a reply waited for ever."""
    reports, failing = [], [True]
    real = Heart.on_knock

    def on_knock(self, knock, now):
        if failing:
            failing.pop()
            raise ZeroDivisionError('a bug in the heart')
        return real(self, knock, now)

    monkeypatch.setattr(Heart, 'on_knock', on_knock)

    def tasks():
        raise ValueError('a bug of the program')

    async def live():
        life = Life(
            str(tmp_path),
            QUIET,
            provider=Model(),
            tasks=tasks,
            report=lambda *line: reports.append(line),
        )
        async with life:
            await life.post('hello', 'Trent')
            await until(lambda: any('begun anew' in text for _, _, text in reports))
            replies = []
            life.listen('door/reply', replies.append)
            await life.post('again', 'Trent')
            await until(lambda: replies)

    run(live())
    errors = [text for _, level, text in reports if level == 'error']
    assert any('a bug in the heart' in text for text in errors)
    assert any('a bug of the program' in text for text in errors)


def test_a_life_that_ends_by_itself_says_so(tmp_path, monkeypatch):
    """found 3: nobody waits for the replies of a life that has ended."""
    reports = []

    async def live():
        life = Life(
            str(tmp_path), QUIET, provider=Model(), report=lambda *line: reports.append(line)
        )
        async with life:
            asking = asyncio.ensure_future(life.ask('hello', 'Trent', seconds=60))
            monkeypatch.setattr(Bus, 'due', None)  # the loop itself breaks
            with pytest.raises(AnswersLater):
                await asking

    run(live())
    assert any('she has ended' in text for _, _, text in reports)
