"""Answers that the middleware drops are sent again until whoever asked is found."""

import threading

import pytest
import rclpy
from rclpy.context import Context
from rclpy.impl.implementation_singleton import rclpy_implementation as bindings

from soul.ros.delivery import Delivery
from soul.ros.executor import WaitSetExecutor
from support.waiting import wait_until

pytestmark = pytest.mark.ros


@pytest.fixture
def server(domain):
    """A node on a thread of its own, and the delivery of its answers."""
    context = Context()
    rclpy.init(context=context, domain_id=domain, args=[])
    node = rclpy.create_node('server', context=context)
    delivery = Delivery(node)
    executor = WaitSetExecutor(context=context)
    executor.add_node(node)
    over = threading.Event()

    def spin():
        while not over.is_set():
            executor.spin_once(0.05)

    thread = threading.Thread(target=spin, daemon=True)
    thread.start()
    yield executor, delivery
    over.set()
    thread.join(5)
    executor.shutdown()
    node.destroy_node()
    rclpy.try_shutdown(context=context)


class Answer:
    """What is to be sent; the first attempts end as rclpy's bindings do when nothing was sent."""

    def __init__(self, dropped, error=None):
        self.dropped = dropped
        self.error = error
        self.attempts = 0

    def __call__(self):
        self.attempts += 1
        if self.attempts <= self.dropped:
            raise SystemError('returned a result with an exception set') from RuntimeWarning(
                'failed to send response (timeout): client will not receive response'
            )
        if self.error is not None:
            raise self.error

    def over(self):
        return self.attempts > self.dropped


def test_what_was_dropped_is_sent_again_and_once(server):
    executor, delivery = server
    answer, other = Answer(3), Answer(1)
    executor.create_task(lambda: [delivery.send('speak', answer), delivery.send('look', other)])
    wait_until(lambda: answer.over() and other.over())
    third = Answer(0)
    executor.create_task(lambda: delivery.send('speak', third))
    wait_until(third.over)
    assert (answer.attempts, other.attempts, third.attempts) == (4, 2, 1)


def test_nobody_is_looked_for_for_ever(server, monkeypatch, capfd):
    monkeypatch.setattr('soul.ros.delivery.FIND_SECONDS', 0.2)
    executor, delivery = server
    answer, last = Answer(1_000), Answer(0)
    executor.create_task(lambda: delivery.send('speak', answer))
    said = []
    wait_until(lambda: said.append(capfd.readouterr().err) or 'is not found' in ''.join(said))
    attempts = answer.attempts
    executor.create_task(lambda: delivery.send('speak', last))
    wait_until(last.over)
    assert answer.attempts == attempts


def test_a_server_that_has_ended_meanwhile_ends_nothing_else(server):
    executor, delivery = server
    answer, next_one = Answer(1, bindings.InvalidHandle('it was destroyed')), Answer(1)
    executor.create_task(lambda: [delivery.send('speak', answer), delivery.send('look', next_one)])
    wait_until(lambda: answer.over() and next_one.over())


def test_other_errors_are_not_taken_for_it(server):
    _, delivery = server
    with pytest.raises(SystemError, match='something else'):
        delivery.send('speak', Answer(0, SystemError('something else')))
