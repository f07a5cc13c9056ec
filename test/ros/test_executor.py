"""The executor that keeps its wait set does what rclpy's own does."""

import threading

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException
from std_msgs.msg import String
from std_srvs.srv import Trigger

from soul.ros.executor import WaitSetExecutor
from soul.ros.params import CommonConfig, ParameterRefused, declare
from support.waiting import wait_until

SECONDS = 20.0


@pytest.fixture
def node(domain):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    made = rclpy.create_node('toy', context=context)
    try:
        yield made
    finally:
        made.destroy_node()
        rclpy.try_shutdown(context=context)


@pytest.fixture
def executor(node):
    made = WaitSetExecutor(context=node.context)
    made.add_node(node)
    try:
        yield made
    finally:
        assert made.shutdown(SECONDS)


def spin(executor, condition):
    """Let it run until a condition holds."""
    return wait_until(lambda: executor.spin_once(0.05) or condition(), SECONDS)


def test_what_is_made_and_destroyed_while_it_lives_is_heard_and_forgotten(node, executor):
    heard = []
    publisher = node.create_publisher(String, 'word', 10)
    executor.spin_once(0.0)
    first = node.create_subscription(String, 'word', lambda m: heard.append(('1', m.data)), 10)
    executor.spin_once(0.0)
    second = node.create_subscription(String, 'word', lambda m: heard.append(('2', m.data)), 10)
    wait_until(lambda: publisher.get_subscription_count() == 2)
    publisher.publish(String(data='a'))
    spin(executor, lambda: len(heard) == 2)
    assert sorted(heard) == [('1', 'a'), ('2', 'a')]
    node.destroy_subscription(first)
    spin(executor, lambda: publisher.get_subscription_count() == 1)
    publisher.publish(String(data='b'))
    spin(executor, lambda: len(heard) == 3)
    assert heard[2] == ('2', 'b')
    node.destroy_subscription(second)


def test_a_message_that_waits_is_not_given_to_a_reader_that_has_gone(node, executor):
    """The first of two callbacks destroys what the second one belongs to."""
    heard = []
    publisher = node.create_publisher(String, 'word', 10)
    ends = {}

    def hear(name, message):
        heard.append(name)
        other = ends.pop('second' if name == 'first' else 'first')
        node.destroy_subscription(other)

    for name in ('first', 'second'):
        ends[name] = node.create_subscription(String, 'word', lambda m, n=name: hear(n, m), 10)
    wait_until(lambda: publisher.get_subscription_count() == 2)
    publisher.publish(String(data='a'))
    spin(executor, lambda: heard)
    for _ in range(5):
        executor.spin_once(0.02)
    assert len(heard) == 1


def test_one_callback_that_fails_costs_none_of_the_others(node, executor):
    heard = []
    publisher = node.create_publisher(String, 'word', 10)

    def fail(message):
        raise ZeroDivisionError('a bug')

    node.create_subscription(String, 'word', fail, 10)
    node.create_subscription(String, 'word', heard.append, 10)
    guard = node.create_guard_condition(lambda: heard.append('guard'))
    wait_until(lambda: publisher.get_subscription_count() == 2)
    publisher.publish(String(data='a'))
    guard.trigger()
    failures = []

    def lived():
        try:
            executor.spin_once(0.05)
        except ZeroDivisionError as error:
            failures.append(error)
        return len(heard) == 2 and failures

    wait_until(lived, SECONDS)
    assert len(failures) == 1


def test_timers_run_at_their_time_can_be_set_anew_and_cancelled(node, executor):
    fired = []
    timer = node.create_timer(0.01, lambda: fired.append(1))
    other = node.create_timer(0.01, lambda: fired.append(2))
    other.cancel()
    spin(executor, lambda: len(fired) >= 3)
    timer.cancel()
    executor.spin_once(0.05)
    seen = len(fired)
    executor.spin_once(0.05)
    assert len(fired) == seen
    assert 2 not in fired
    other.reset()
    spin(executor, lambda: 2 in fired)


def test_a_service_is_served_and_its_answer_heard(node, executor):
    def serve(request, response):
        response.success, response.message = True, 'yes'
        return response

    node.create_service(Trigger, 'ask', serve)
    client = node.create_client(Trigger, 'ask')
    assert client.wait_for_service(SECONDS)
    answered = []
    client.call_async(Trigger.Request()).add_done_callback(lambda f: answered.append(f.result()))
    spin(executor, lambda: answered)
    assert answered[0].message == 'yes'


def test_a_coroutine_goes_on_when_what_it_waits_for_has_come(node, executor):
    steps = []
    wanted = executor.create_future()

    async def hear(message):
        steps.append('heard')
        steps.append(await wanted)

    publisher = node.create_publisher(String, 'word', 10)
    node.create_subscription(String, 'word', hear, 10)
    wait_until(lambda: publisher.get_subscription_count() == 1)
    publisher.publish(String(data='a'))
    spin(executor, lambda: steps)
    executor.spin_once(0.02)
    assert steps == ['heard']
    wanted.set_result('went on')
    executor.wake()
    spin(executor, lambda: len(steps) == 2)
    assert steps[1] == 'went on'


def test_a_guard_condition_of_another_thread_ends_the_wait(node, executor):
    called = threading.Event()
    guard = node.create_guard_condition(called.set)

    def live():
        while not called.is_set():
            executor.spin_once()

    waiting = threading.Thread(target=live, daemon=True)
    waiting.start()
    guard.trigger()
    assert called.wait(SECONDS)
    waiting.join(SECONDS)
    assert not waiting.is_alive()


def test_it_can_be_ended_from_another_thread_while_it_waits(node):
    executor = WaitSetExecutor(context=node.context)
    executor.add_node(node)
    ended = threading.Event()

    def live():
        executor.spin_once()
        ended.set()

    threading.Thread(target=live, daemon=True).start()
    assert executor.shutdown(SECONDS)
    assert ended.wait(SECONDS)


def test_it_says_when_the_context_is_over(node, executor):
    rclpy.shutdown(context=node.context)
    with pytest.raises(ExternalShutdownException):
        executor.spin_once(1.0)


def test_another_kind_is_refused_by_name(domain):
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    node = rclpy.create_node(
        'toy',
        context=context,
        parameter_overrides=[rclpy.parameter.Parameter('executor', value='events')],
    )
    try:
        with pytest.raises(ParameterRefused, match=r"executor is 'events'.*wait_set"):
            declare(node, CommonConfig)
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)
