"""The shell that turns an organ into a node: what it promises to every organ."""

import dataclasses
import threading
import time

import pytest
import rclpy
from rclpy.context import Context
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from soul_msgs.action import Say

from soul.core.organ import Answer, Ask, Finish, Organ, OrganConfig, Progress, Record, Save
from soul.graph import OrganSpec
from soul.ros import convert, qos
from soul.ros.organ import OrganNode
from soul.ros.runner import Runner
from soul.signals import (
    CaptureAnswer,
    CaptureRequest,
    Knock,
    NudgeAnswer,
    NudgeRequest,
    Reply,
    RestAnswer,
    RestRequest,
    SayFeedback,
    SayGoal,
    SayResult,
    TriggerAnswer,
    TriggerRequest,
)
from support.actions import ActionClient
from support.waiting import wait_until
from support.witness import Witness

pytestmark = pytest.mark.ros


class Toy(Organ):
    """Does one of everything."""

    hears = {'door/knock': Knock}
    says = {'door/reply': Reply}
    serves = {'heart/nudge': NudgeRequest, 'stop': TriggerRequest}
    performs = {'body/say': SayGoal, 'body/capture': CaptureRequest}
    asks = {'heart/rest': RestRequest, 'body/say': SayGoal}
    memory_file = 'toy.json'
    journals = ('toy',)

    def __init__(self, birth):
        self.birth = birth
        self.heard = []
        self.handles = []
        self.canceled = []
        self.answers = []
        self.started = []
        self.stopped = 0
        self.at = float('inf')
        self.steps = []
        self.count = (birth.memory or {}).get('count', 0)

    def start(self, now):
        self.started.append(now)
        return ()

    def due(self):
        return self.at

    def step(self, now):
        self.steps.append(now)
        self.at = float('inf')
        return ()

    def memory(self):
        return {'count': self.count}

    def on_knock(self, knock, now):
        self.heard.append(knock)
        if knock.sender == 'bug':
            raise ZeroDivisionError('a bug')
        if knock.sender == 'later':
            self.at = now + knock.weight
            return
        self.count += 1
        yield Record('toy', {'id': knock.message_id})
        yield Save()
        yield Reply(id=knock.message_id, text='heard')

    def serve_nudge(self, request, now):
        return NudgeAnswer(True), [Record('toy', {'nudge': request.reason})]

    def serve_stop(self, request, now):
        return TriggerAnswer(True, 'stopped'), ()

    def refuse(self, name, request, now):
        return 'nothing to say' if name == 'body/say' and not request.text else ''

    def perform_say(self, goal, handle, now):
        self.handles.append(handle)
        return [Progress(handle, SayFeedback('accepted', 0.0))]

    def perform_capture(self, request, handle, now):
        self.handles.append(handle)
        return ()

    def cancel(self, handle, now):
        self.canceled.append(handle)
        return [Finish(handle, SayResult('aborted', 'canceled'), 'canceled')]

    def on_answer(self, answer, now):
        self.answers.append(answer)
        return ()

    def stop(self, now):
        self.stopped += 1
        return ()


class ToyConfig(OrganConfig):
    """No parameters."""


SPEC = OrganSpec(name='toy', organ=Toy, config=ToyConfig, make=Toy)


@pytest.fixture
def toy(domain, home):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    runner = Runner([SPEC], context, '/soul', {'toy': {'soul_home': str(home)}}, []).start()
    try:
        yield runner.organs[0]
    finally:
        runner.stop()
        rclpy.shutdown(context=context)


def on_thread(shell, outputs):
    shell.inject(lambda now: outputs)


def knock(witness, **values):
    publisher = witness.node.create_publisher(convert.ros_class(Knock), 'door/knock', 10)
    wait_until(lambda: publisher.get_subscription_count() > 1)  # the organ and the witness
    publisher.publish(convert.to_ros(Knock(**values)))


def test_what_is_returned_is_written_first_and_then_said(toy, witness, home):
    wait_until(lambda: toy.transport.reaches('door/reply'))
    knock(witness, message_id='m1')
    reply = witness.wait('door/reply')
    assert reply.id == 'm1'
    assert reply.stamp > 0.0, 'stamped by the shell'
    assert '"id":"m1"' in (home / 'toy.jsonl').read_text()
    assert '"count":1' in (home / 'toy.json').read_text()


def test_the_timer_comes_when_the_organ_is_due_and_not_before(toy, witness):
    knock(witness, sender='later', weight=0.3)
    wait_until(lambda: toy.organ.steps)
    wanted = toy.organ.heard[0]
    assert wanted.weight == pytest.approx(0.3)
    assert len(toy.organ.steps) == 1


def test_a_service_that_takes_time_is_answered_when_it_is_finished(toy, witness):
    answers = []
    caller = threading.Thread(
        target=lambda: answers.append(witness.call('body/capture', CaptureRequest('what?'))),
        daemon=True,
    )
    caller.start()
    wait_until(lambda: toy.organ.handles)
    assert not answers
    # meanwhile the organ goes on
    assert witness.call('stop', TriggerRequest()).success
    on_thread(toy, [Finish(toy.organ.handles[0], CaptureAnswer(True, text='a cup'))])
    caller.join(10)
    assert answers[0].text == 'a cup'


def test_waiting_burns_no_core(toy, witness):
    client = ActionClient(witness.node, Say, 'body/say')
    assert client.wait_for_server(10)
    client.send_goal_async(Say.Goal(text='hello'))
    wait_until(lambda: toy.organ.handles)
    cpu, wall = time.process_time(), time.monotonic()
    wait_until(lambda: time.monotonic() - wall > 0.8)
    used = (time.process_time() - cpu) / (time.monotonic() - wall)
    assert used < 0.5, 'a pending goal must not keep an executor spinning'
    on_thread(toy, [Finish(toy.organ.handles[0], SayResult('done'))])


#: A server that was found a moment ago may not have found us: then it hears nothing, s.
PATIENCE = 8.0


def send_goal(witness, text):
    client = ActionClient(witness.node, Say, 'body/say')
    assert client.wait_for_server(10)
    feedback = []
    sent = []

    def answered():
        """Whether a goal was answered; one whose request was lost is sent again."""
        if not sent or time.monotonic() > sent[-1][0] + PATIENCE:
            future = client.send_goal_async(
                Say.Goal(text=text), feedback_callback=lambda f: feedback.append(f.feedback.state)
            )
            sent.append((time.monotonic(), future))
        return next((future for _, future in sent if future.done()), None)

    return wait_until(answered).result(), feedback


def test_a_goal_is_accepted_reports_and_ends(toy, witness):
    goal, feedback = send_goal(witness, 'hello')
    assert goal.accepted
    result = goal.get_result_async()
    wait_until(lambda: toy.organ.handles)
    on_thread(
        toy,
        [
            Progress(toy.organ.handles[0], SayFeedback('playing', 0.5)),
            Finish(toy.organ.handles[0], SayResult('done', '', 1.5)),
        ],
    )
    wait_until(result.done)
    assert result.result().status == 4  # succeeded
    assert result.result().result.outcome == 'done'
    wait_until(lambda: 'playing' in feedback)


def test_a_goal_can_be_refused_and_canceled(toy, witness):
    refused, _ = send_goal(witness, '')
    result = refused.get_result_async()
    wait_until(result.done)
    assert result.result().status == 6  # aborted: a rejected goal could not carry the reason
    assert result.result().result.outcome == 'aborted'
    assert result.result().result.reason == 'nothing to say'
    assert toy.organ.handles == []
    goal, _ = send_goal(witness, 'hello')
    result = goal.get_result_async()
    wait_until(lambda: toy.organ.handles)
    goal.cancel_goal_async()
    wait_until(result.done)
    assert result.result().status == 5  # canceled
    assert toy.organ.canceled == toy.organ.handles


def test_an_organ_that_takes_no_goals_rejects_them(toy, witness, monkeypatch):
    monkeypatch.setattr(Toy, 'takes_goals', False)
    assert not send_goal(witness, 'hello')[0].accepted


def test_however_many_ask_at_once_everybody_is_answered(toy, witness, domain):
    """The default of ten requests would let the others wait for ever."""
    others = [Witness(domain) for _ in range(3)]
    try:
        kind = convert.service_class(NudgeRequest)
        clients = [
            one.node.create_client(kind, 'heart/nudge', qos_profile=qos.service())
            for one in (witness, *others)
        ]
        assert all(client.wait_for_service(10) for client in clients)
        held, go_on = threading.Event(), threading.Event()
        toy.inject(lambda now: held.set() or (go_on.wait(20) and ()))
        assert held.wait(10)  # they pile up while the organ is busy
        futures = [
            client.call_async(convert.to_ros(NudgeRequest(f'{n}/{m}', 'me')))
            for n, client in enumerate(clients)
            for m in range(100)
        ]
        go_on.set()
        wait_until(lambda: all(future.done() for future in futures))
        assert all(future.result().accepted for future in futures)
        lines = [e['nudge'] for e in toy.keeper.past()['toy']]
        assert sorted(lines) == sorted(f'{n}/{m}' for n in range(4) for m in range(100))
    finally:
        for one in others:
            one.close()


def test_nobody_waits_for_ever(toy):
    ask = Ask('heart/rest', RestRequest(60.0 * 5.0), 'q', deadline=1.0, patience=0.3)
    on_thread(toy, [ask])
    wait_until(lambda: toy.organ.answers)
    assert toy.organ.answers == [Answer('heart/rest', 'q', ask.request, None, 'absent')]


def test_a_server_that_is_there_answers(toy, witness):
    def rest(request, response):
        convert.fill(RestAnswer(True, 'good night'), response)
        return response

    witness.node.create_service(convert.service_class(RestRequest), 'heart/rest', rest)
    on_thread(toy, [Ask('heart/rest', RestRequest(60.0 * 5.0), 'q')])
    wait_until(lambda: toy.organ.answers)
    assert toy.organ.answers[-1].answer == RestAnswer(True, 'good night')


def test_an_answer_that_the_middleware_drops_is_asked_for_again(toy, witness):
    """A fact of DDS: "failed to send response (timeout): client will not receive response"."""
    heard, drops = [], [2]

    def rest(request, response):
        heard.append(request.request_id)
        convert.fill(RestAnswer(True, 'good night'), response)
        return response

    service = witness.node.create_service(
        convert.service_class(RestRequest), 'heart/rest', rest, qos_profile=qos.service()
    )
    send = service.send_response

    def dropped(response, header):
        if drops[0]:
            drops[0] -= 1
        else:
            send(response, header)

    service.send_response = dropped
    on_thread(toy, [Ask('heart/rest', RestRequest(300.0), 'q', deadline=20.0)])
    wait_until(lambda: toy.organ.answers)
    assert toy.organ.answers[-1].answer == RestAnswer(True, 'good night')
    assert len(heard) >= 3
    assert len(set(heard)) == 1, 'the same request each time'
    assert heard[0]


def test_what_cannot_be_written_is_refused_and_reported(toy, witness, monkeypatch):
    def full(journal, entry, durable):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(toy.keeper, 'record', full)
    answer = witness.call('heart/nudge', NudgeRequest('hello', 'me'))
    assert not answer.accepted
    assert 'No space left' in answer.reason
    knock(witness, message_id='m2')
    wait_until(lambda: toy.health().level == 'error')
    assert not witness.of('door/reply'), 'what could not be written is not said'


def test_at_its_yield_an_organ_learns_what_could_not_be_written(toy, witness, monkeypatch):
    learnt = []

    def work(now):
        try:
            yield Record('toy', {'id': 'm1'})
        except OSError as error:
            learnt.append(error.errno)
            yield Reply(id='m1', text='it could not be written')

    def full(journal, entry, durable):
        raise OSError(28, 'No space left on device')

    with monkeypatch.context() as patch:
        patch.setattr(toy.keeper, 'record', full)
        wait_until(lambda: toy.transport.reaches('door/reply'))
        toy.inject(work)
        assert witness.wait('door/reply').text == 'it could not be written'
    assert learnt == [28]
    assert toy.health().level == 'error'
    wait_until(lambda: toy.health().level == 'ok', 20)  # tried again, without anybody's help


def test_a_failed_step_is_tried_again_and_burns_no_core(toy, witness, monkeypatch):
    """An organ that stays due because it cannot write must not spin."""
    organ, steps = toy.organ, []

    def step(now):
        steps.append(now)
        yield Save()
        organ.at = float('inf')

    def full(memory):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr(organ, 'step', step)
    with monkeypatch.context() as patch:
        patch.setattr(toy.keeper, 'save', full)
        toy.inject(lambda now: setattr(organ, 'at', now) or setattr(organ, 'count', 7) or ())
        wait_until(lambda: len(steps) >= 2)
        assert steps[1] - steps[0] >= 1.0
    wait_until(lambda: organ.at == float('inf'), 20)
    assert len(steps) < 10


def test_no_behaviour_before_simulated_time_and_nothing_heard_is_lost(domain, home):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    given = {'toy': {'soul_home': str(home), 'use_sim_time': True}}
    runner = Runner([SPEC], context, '/soul', given, []).start()
    seen = Witness(domain)
    try:
        toy = runner.organs[0]
        knock(seen, message_id='early')
        answer = seen.call('heart/nudge', NudgeRequest('x', 'me'))
        assert 'no clock' in answer.reason
        assert toy.organ.started == []
        clock = seen.node.create_publisher(Clock, '/clock', 10)
        wait_until(lambda: clock.get_subscription_count())

        def tick(time):
            clock.publish(Clock(clock=convert.time_to_ros(time)))

        # the clock is heard best effort: it is told again until it was
        wait_until(lambda: tick(0.25) or toy.organ.started)
        assert seen.wait('door/reply').id == 'early'
        assert toy.organ.started == [pytest.approx(0.25)]
        # a timer of simulated time waits for simulated time, and a jump is noticed
        knock(seen, sender='later', weight=100.0)
        wait_until(lambda: toy.organ.at < 1000.0)
        assert not toy.organ.steps
        wait_until(lambda: tick(500.0) or toy.organ.steps)
        assert toy.organ.steps == [pytest.approx(500.0)]
    finally:
        seen.close()
        runner.stop()
        rclpy.shutdown(context=context)


def test_a_steady_organ_goes_on_whatever_the_nodes_clock_does(domain, home):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    spec = dataclasses.replace(SPEC, steady=lambda config: True)
    given = {'toy': {'soul_home': str(home), 'use_sim_time': True}}
    runner = Runner([spec], context, '/soul', given, []).start()
    seen = Witness(domain)
    try:
        toy = runner.organs[0]
        knock(seen, message_id='early')
        clock = seen.node.create_publisher(Clock, '/clock', 10)
        wait_until(lambda: clock.get_subscription_count())
        assert toy.organ.started == [], 'it waits for the clock like all the others'

        def shows(time):
            """The clock is heard best effort: it is told again until it was."""
            clock.publish(Clock(clock=convert.time_to_ros(time)))
            # between its two looks at the clock, another thread may have its turn
            return toy.organ.birth.stamped(toy.now()) == pytest.approx(time, abs=0.2)

        wait_until(lambda: shows(500.0))
        seen.wait('door/reply')
        for paused in (500.0, 20.0):  # set back, and standing still
            wait_until(lambda at=paused: shows(at))
            before = time.monotonic()
            steps = len(toy.organ.steps)
            knock(seen, sender='later', weight=0.2)
            wait_until(lambda n=steps: len(toy.organ.steps) > n)
            assert time.monotonic() - before >= 0.2
        assert toy.organ.birth.stamped(toy.now() - 2.0) == pytest.approx(18.0, abs=0.2)
    finally:
        seen.close()
        runner.stop()
        rclpy.shutdown(context=context)


def test_it_stops_once_remembers_and_leaves_the_home(domain, home, witness):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    runner = Runner([SPEC], context, '/soul', {'toy': {'soul_home': str(home)}}, []).start()
    shell = runner.organs[0]
    wait_until(lambda: shell.transport.reaches('door/reply'))
    knock(witness, message_id='m1')
    witness.wait('door/reply')
    runner.stop()
    assert shell.organ.stopped == 1
    again = OrganNode(
        SPEC, context, '/soul', [Parameter('soul_home', value=str(home))], arguments=[]
    )
    assert again.organ.count == 1
    assert again.organ.birth.past['toy'] == [{'id': 'm1'}]
    again.destroy()
    rclpy.shutdown(context=context)
