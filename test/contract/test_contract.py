"""What every organ is promised (:mod:`soul.core.organ`), over both transports alike."""

import threading

import pytest
from toys import CancelAsk, ask, knock

from soul.core.organ import Answer, Ask, Finish
from soul.core.supervision import RESTARTS
from soul.signals import (
    CaptureRequest,
    Energy,
    NudgeAnswer,
    NudgeRequest,
    RestRequest,
    SayGoal,
    SayResult,
)

# --- saying, hearing and time -----------------------------------------------------------------


def test_what_is_returned_is_written_first_and_then_said(world):
    reply = world.reply(knock(number='m1'))
    assert (reply.id, reply.text) == ('m1', '1')
    assert reply.stamp == pytest.approx(world.now(), abs=20.0), 'stamped'
    seen = world.peer.seen[0]
    assert '"id":"m1"' in seen
    assert '"count":1' in seen
    assert world.toy.started == 1


def test_the_step_comes_when_it_is_due_and_not_before(world):
    world.reply(knock(number='m1'))
    world.say(knock('later', weight=10.0))
    world.reply(knock(number='m2'))
    assert world.toy.steps == []
    wanted = world.toy.at
    world.pass_time(100.0)
    world.wait(lambda: world.toy.steps)
    assert world.toy.steps[0] >= wanted
    world.reply(knock(number='m3'))
    assert len(world.toy.steps) == 1


def test_any_thread_may_let_it_do_something(world):
    done = []
    other = threading.Thread(
        target=lambda: world.inject('toy', lambda now: done.append(now) or ()), daemon=True
    )
    other.start()
    world.wait(lambda: done)
    other.join(10)
    assert done[0] >= 1000.0


def test_what_does_not_fit_is_brought_to_fit_and_told(world):
    world.say(Energy(level=-1e300))
    world.wait(lambda: world.toy.levels)
    assert world.toy.levels == [0.0]
    assert '-1e+300' in world.health().values['border guard/energy.level']
    assert any('guard/energy: level' in text for _, _, text in world.reports)


def test_a_topic_that_exists_at_times_is_said_only_while_it_is_offered(world):
    world.say(knock('offer'))
    world.reply(knock(number='m1'))
    first = world.toy
    world.say(knock('not offered'))  # it has been offered meanwhile
    world.reply(knock(number='m2'))
    assert world.toy is first


def test_what_is_not_offered_is_a_bug(world):
    first = world.toy
    world.say(knock('not offered'))
    world.wait(lambda: world.toy is not first)
    assert any('body/event' in text for text in world.errors())


# --- being asked ------------------------------------------------------------------------------


def test_a_request_is_served_and_written_before_it_is_answered(world):
    answer = world.answer(ask(NudgeRequest('hello', 'me'), 'q'))
    assert answer == Answer('heart/nudge', 'q', answer.request, NudgeAnswer(True))
    assert '"nudge":"hello"' in world.stored()


def test_a_request_that_comes_again_is_answered_as_before_and_does_nothing(world):
    """What the middleware drops is an answer, never a deed."""
    request = NudgeRequest('hello', 'me', 'r1')
    first = world.answer(ask(request, 'q1'))
    again = world.answer(ask(request, 'q2'))
    other = world.answer(ask(NudgeRequest('hello', 'me', 'r2'), 'q3'))
    assert first.answer == again.answer == other.answer == NudgeAnswer(True)
    assert world.stored().count('"nudge":"hello"') == 2


def test_a_service_that_takes_time_is_answered_when_it_is_finished(world):
    assert world.answer(ask(CaptureRequest('now'))).answer.text == 'a cup'
    world.say(ask(CaptureRequest('what?'), deadline=30.0))
    world.wait(lambda: len(world.toy.handles) == 2)
    assert world.answer(ask(NudgeRequest('meanwhile', 'me'))).answer.accepted


def test_a_goal_ends_with_its_result(world):
    answer = world.answer(ask(SayGoal(text='now')))
    assert (answer.failure, answer.answer) == ('', SayResult('done', '', 1.5))
    world.say(ask(SayGoal(text='later'), 'b'))
    world.wait(lambda: len(world.toy.handles) == 2)
    end = Finish(world.toy.handles[1], SayResult('aborted', 'a cough'), 'aborted')
    world.inject('toy', lambda now: [end, end])  # only the first end counts
    world.wait(lambda: len(world.peer.answers) == 2)
    assert world.peer.answers[1].failure == 'aborted'
    assert world.peer.answers[1].answer.reason == 'a cough'


@pytest.mark.parametrize('request_', [SayGoal(), CaptureRequest()], ids=['goal', 'service'])
def test_the_reason_of_a_refusal_reaches_whoever_asked(world, request_):
    """A body on the bus refused, and she read that it gave no reason."""
    answer = world.answer(ask(request_))
    assert answer.answer.reason == 'nothing to say'
    assert answer.failure == ('aborted' if isinstance(request_, SayGoal) else '')
    assert world.toy.handles == []


def test_one_that_takes_no_goals_rejects_them(world):
    world.toy.takes = False
    answer = world.answer(ask(SayGoal(text='hello')))
    assert (answer.failure, answer.answer) == ('refused', None)


def test_a_goal_can_be_cancelled(world):
    world.say(ask(SayGoal(text='hello'), 'c'))
    world.wait(lambda: world.toy.handles)
    answer = world.answer(CancelAsk('c'))
    assert answer.failure == 'canceled'
    assert answer.answer == SayResult('aborted', 'canceled')
    assert world.toy.canceled == world.toy.handles


def test_a_deadline_answers_the_asker_and_ends_the_goal(world):
    """On the bus the body went on with what nobody waited for any more."""
    answer = world.answer(ask(SayGoal(text='hello'), deadline=0.5))
    assert (answer.failure, answer.answer) == ('lost', None)
    world.wait(lambda: world.toy.canceled)
    assert world.toy.canceled == world.toy.handles
    world.reply(knock(number='m1'))
    assert len(world.peer.answers) == 1, 'answered once'


def test_nobody_waits_for_one_that_is_not_there(world):
    asked = Ask('heart/rest', RestRequest(60.0 * 5.0), 'q', deadline=1.0, patience=0.3)
    assert world.answer(asked) == Answer('heart/rest', 'q', asked.request, None, 'absent')


# --- a disk that is full ----------------------------------------------------------------------


def test_a_full_disk_refuses_with_the_reason_and_is_tried_again(world):
    world.reply(knock(number='m1'))
    world.full = True
    answer = world.answer(ask(NudgeRequest('hello', 'me')))
    assert not answer.answer.accepted
    assert 'No space left' in answer.answer.reason
    said = world.answer(ask(SayGoal(text='write')))
    assert said.failure == 'aborted'
    assert 'No space left' in said.answer.reason
    world.say(knock(number='m2'))
    world.wait(lambda: world.toy.learnt)
    world.wait(lambda: world.health().level == 'error')
    assert 'No space left' in world.health().message
    assert len(world.errors()) == 1, 'said once'
    assert len(world.peer.replies) == 1, 'what could not be written is not said'
    world.full = False
    world.pass_time(5.0)
    world.wait(lambda: world.health().level == 'ok')
    assert world.reply(knock(number='m3')).text == '2'


def test_at_its_yield_an_organ_learns_what_could_not_be_written(world):
    world.full = True
    assert world.reply(knock('careful', 'm1')).text == 'it could not be written'
    assert world.toy.learnt == [28]


def test_a_step_that_cannot_write_is_tried_again_and_does_not_spin(world):
    world.reply(knock(number='m1'))
    world.full = True
    world.say(knock('unsaid'), knock('later', weight=0.01))
    world.wait(lambda: world.toy.steps)
    world.wait(lambda: len(world.toy.steps) >= 2)
    first, second = world.toy.steps[:2]
    assert second - first >= 1.0
    world.full = False
    world.wait(lambda: world.toy.at == float('inf'))


def test_a_change_is_saved_within_a_minute_though_nothing_says_so(world):
    """On the bus what was perceived 80 s before a kill was lost."""
    world.reply(knock(number='m1'))
    world.say(knock('unsaid'))
    world.wait(lambda: world.toy.count == 2)
    world.pass_time(80.0)
    world.wait(lambda: '"count":2' in world.stored())


def test_what_may_wait_is_saved_once_nothing_happens(world):
    """Nothing is written between a message and what it leads to."""
    world.reply(knock(number='m1'))
    world.hold_clock()
    for number in range(3):
        assert world.reply(knock('soon', number=f's{number}')).text == str(2 + number)
        assert '"count":1}' in world.peer.seen[-1], 'not written when it was said'
        world.pass_time(1.0)
    world.pass_time(2.5)
    world.wait(lambda: '"count":4}' in world.stored())


def test_what_may_wait_does_not_wait_for_ever(world):
    world.reply(knock(number='m1'))
    for number in range(70):
        world.reply(knock('soon', number=f's{number}'))
        world.pass_time(1.0)
    assert '"count":1}' not in world.stored()


# --- a bug ------------------------------------------------------------------------------------


@pytest.mark.parametrize('word', ['bug', 'due', 'step', 'alien'])
def test_a_bug_begins_that_organ_anew_with_its_memory_and_no_other(world, word):
    world.reply(knock(number='m1'))
    first, peer = world.toy, world.peer
    world.say(knock(word))
    world.wait(lambda: world.toy is not first and world.toy.started)
    assert world.toy.count == 1
    assert world.peer is peer
    world.wait(lambda: peer.silences == ['door/reply'])
    assert world.reply(knock(number='m2')).text == '2'
    assert 'begun anew' in world.health().message
    assert len(world.errors()) == 1
    assert first.stopped == 1, 'it may end quietly'


@pytest.mark.parametrize('reason', ['bug', 'nothing'])
def test_whoever_asks_one_that_fails_reads_why(world, reason):
    answer = world.answer(ask(NudgeRequest(reason, 'me')))
    assert not answer.answer.accepted
    assert 'failed' in answer.answer.reason


@pytest.mark.parametrize('text', ['bug', 'bug in refuse'])
def test_a_goal_that_makes_it_fail_ends(world, text):
    answer = world.answer(ask(SayGoal(text=text)))
    assert answer.failure == 'aborted'
    assert 'failed' in answer.answer.reason


def test_what_is_under_way_when_it_fails_is_uncertain(world):
    world.say(ask(SayGoal(text='hello')), ask(CaptureRequest('what?'), 'c', deadline=30.0))
    world.wait(lambda: len(world.toy.handles) == 2)
    world.say(knock('bug'))
    world.wait(lambda: len(world.peer.answers) == 2)
    answers = {answer.to: answer.answer for answer in world.peer.answers}
    assert answers['body/say'].outcome == 'uncertain'
    assert 'a bug' in answers['body/say'].reason
    assert not answers['body/capture'].ok


def test_one_that_keeps_failing_stays_down(world, monkeypatch):
    monkeypatch.setattr('soul.core.supervision.PAUSE_SECONDS', 0.01)
    for _ in range(RESTARTS):
        first = world.toy
        world.say(knock('bug'))
        world.wait(lambda f=first: world.toy is not f and world.toy.started)
    world.say(knock('bug'))
    world.wait(world.down)
    world.wait(lambda: any('stays down' in text for text in world.errors()))


# --- the end ----------------------------------------------------------------------------------


def test_it_stops_once_and_remembers(world):
    world.reply(knock(number='m1'))
    world.say(knock('unsaid'))
    world.wait(lambda: world.toy.count == 2)
    toy = world.toy
    world.stop()
    assert toy.stopped == 1
    assert '"count":2' in world.stored()


def test_what_it_waits_for_at_the_end_is_answered(world):
    world.say(ask(SayGoal(text='hello')))
    world.wait(lambda: world.toy.handles)
    peer = world.peer
    world.stop()
    assert [answer.failure for answer in peer.answers] == ['lost']


def test_it_can_be_put_to_rest_without_room(world):
    world.reply(knock(number='m1'))
    world.full = True
    world.say(knock('unsaid'))
    world.wait(lambda: world.toy.count == 2)
    toy = world.toy
    world.stop()
    assert toy.stopped == 1
