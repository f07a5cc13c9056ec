"""Waits for what somebody else does."""

import time


def wait_until(condition, seconds=20.0, pause=0.01):
    """Wait until a condition holds; fail if it does not in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(pause)
    raise AssertionError(f'did not hold within {seconds} s')
