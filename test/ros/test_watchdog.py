"""A supervisor hears that she lives only while every organ gives a sign."""

import threading

import pytest
from rclpy.task import Task

from soul.ros.watchdog import Watchdog
from support.waiting import wait_until

pytestmark = pytest.mark.ros


class Organ:
    """An executor that does what it is given, unless it hangs."""

    def __init__(self):
        self.hangs = False

    def create_task(self, work):
        task = Task(work)
        if not self.hangs:
            task()
        return task


class Runner:
    def __init__(self):
        self.organs = [Organ(), Organ()]

    def living(self):
        return list(self.organs)


class Told:
    watchdog_seconds = 0.03

    def __init__(self):
        self.signs, self.told = 0, []
        self.more = threading.Semaphore(0)

    def ready(self):
        self.told.append('ready')

    def alive(self):
        self.signs += 1
        self.more.release()

    def stopping(self):
        self.told.append('stopping')


@pytest.fixture
def watched():
    runner, told = Runner(), Told()
    watchdog = Watchdog(runner, told).start()
    yield runner, told
    watchdog.close()
    assert told.told == ['ready', 'stopping']


def test_it_is_told_as_long_as_all_give_a_sign(watched):
    runner, told = watched
    wait_until(lambda: told.signs > 5)
    runner.organs[1].hangs = True
    while told.more.acquire(timeout=1.0):  # until nothing comes any more
        pass
    silent = told.signs
    runner.organs[1].hangs = False
    assert not told.more.acquire(timeout=0.3), 'what it was asked for is still not done'
    assert told.signs == silent


def test_one_that_is_begun_anew_is_her_own_affair(watched):
    runner, told = watched
    wait_until(lambda: told.signs > 2)
    runner.organs[1].hangs = True
    while told.more.acquire(timeout=1.0):
        pass
    runner.organs[1] = Organ()
    assert told.more.acquire(timeout=20.0)
