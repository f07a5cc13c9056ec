"""Goals of an action server that is not ours, whose answers the middleware drops."""

import threading
import time

import pytest
import rclpy
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.impl.implementation_singleton import rclpy_implementation as bindings
from soul_msgs.action import Say

from soul.core.organ import Ask
from soul.ros.clients import Clients
from soul.ros.executor import WaitSetExecutor
from soul.signals import SayGoal
from support.waiting import wait_until

pytestmark = pytest.mark.ros


class Robot:
    """A node of somebody else, and its server; some of its first answers are lost."""

    def __init__(self, context, monkeypatch, accept=True):
        self.node = rclpy.create_node('robot', context=context)
        self.accept = accept
        self.asked = 0
        self.said = []
        self.lose = {'send_goal_response': 0, 'send_result_response': 0}
        self.over = threading.Event()
        self.begin()
        for name in self.lose:
            self._lossy(monkeypatch, name)

    def begin(self):
        self.server = ActionServer(
            self.node, Say, '/soul/body/say', self.say, goal_callback=self.may,
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )  # fmt: skip

    def start_anew(self):
        self.server.destroy()
        self.begin()

    def _lossy(self, monkeypatch, name):
        send = getattr(bindings.ActionServer, name)

        def lossy(handle, header, response):
            if self.lose[name] > 0:
                self.lose[name] -= 1
            else:
                send(handle, header, response)

        monkeypatch.setattr(bindings.ActionServer, name, lossy)

    def may(self, goal):
        self.asked += 1
        return GoalResponse.ACCEPT if self.accept else GoalResponse.REJECT

    def say(self, handle):
        self.said.append(handle.request.text)
        self.over.wait(20)
        if handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.succeed()
        return Say.Result(outcome='done')


@pytest.fixture
def spun(domain):
    """A context, and what spins a node of it on a thread of its own."""
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    ended, executors, threads = threading.Event(), [], []

    def spin(node, executor):
        executor.add_node(node)
        executors.append(executor)

        def run():
            while not ended.is_set():
                executor.spin_once(0.05)

        threads.append(threading.Thread(target=run, daemon=True))
        threads[-1].start()
        return executor

    yield context, spin
    ended.set()
    for thread in threads:
        thread.join(5)
    for executor in executors:
        executor.shutdown(2)
    rclpy.try_shutdown(context=context)


class Soul:
    """The clients of an organ of hers, and what they hear."""

    def __init__(self, context, spin):
        node = rclpy.create_node('guard', namespace='/soul', context=context)
        self.heard = []
        self.clients = Clients(node, {'body/say': SayGoal}, self.heard.append)
        self.executor = spin(node, WaitSetExecutor(context=context))

    def ask(self, deadline=15.0):
        ask = Ask('body/say', SayGoal(act_id='a1', text='hello'), 'a1', deadline)
        self.executor.create_task(lambda: self.clients.send(ask))

    def cancel(self):
        self.executor.create_task(lambda: self.clients.cancel('a1'))

    def answer(self):
        wait_until(lambda: self.heard)
        (answer,) = self.heard
        return answer


@pytest.fixture
def robot(spun, monkeypatch):
    context, spin = spun
    robot = Robot(context, monkeypatch)
    spin(robot.node, MultiThreadedExecutor(2, context=context))
    yield robot
    robot.over.set()


@pytest.fixture
def soul(spun, robot):
    return Soul(*spun)


@pytest.mark.parametrize('lost', [0, 1, 3])
def test_a_yes_that_was_dropped_is_no_doubt(robot, soul, lost):
    robot.lose['send_goal_response'] = lost
    robot.over.set()
    soul.ask()
    answer = soul.answer()
    assert (answer.failure, answer.answer.outcome) == ('', 'done')
    assert robot.said == ['hello'], 'and nothing is said twice'


@pytest.mark.parametrize('lost', [0, 1, 2])
def test_a_no_that_was_dropped_is_a_no(robot, soul, lost):
    robot.accept = False
    robot.lose['send_goal_response'] = lost
    soul.ask()
    assert soul.answer().failure == 'refused'
    assert robot.asked == lost + 1
    assert robot.said == []


def test_an_end_that_was_dropped_is_asked_for_again(robot, soul):
    robot.lose['send_goal_response'] = 1
    robot.lose['send_result_response'] = 2
    robot.over.set()
    soul.ask()
    assert soul.answer().failure == ''
    assert robot.said == ['hello']


def test_it_may_be_called_off_while_nobody_knows_whether_it_began(robot, soul):
    robot.accept = False
    robot.lose['send_goal_response'] = 1
    soul.ask()
    wait_until(lambda: robot.asked)
    robot.accept = True
    soul.cancel()
    assert soul.answer().failure == 'canceled'
    assert (robot.asked, robot.said) == (1, []), 'it is not sent again'


def test_a_server_that_was_started_anew_is_not_asked_to_do_it_again(robot, soul):
    """The one before may have said it: nobody knows, and it is not said twice."""
    robot.lose['send_goal_response'] = 1
    soul.ask()
    wait_until(lambda: robot.said)
    robot.start_anew()
    assert soul.answer().failure == 'lost'
    assert robot.said == ['hello']


def test_a_server_that_says_nothing_at_all_is_waited_for_no_longer_than_that(robot, soul):
    robot.lose = dict.fromkeys(robot.lose, 10**6)
    begun = time.monotonic()
    soul.ask(deadline=60.0)
    assert soul.answer().failure == 'lost'
    assert time.monotonic() - begun < 30.0
