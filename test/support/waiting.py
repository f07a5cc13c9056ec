"""Waits for what somebody else does."""

import asyncio
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


async def still(rounds=200):
    """Let the event loop do all it has to do: what has not happened then needs more than that."""
    for _ in range(rounds):
        await asyncio.sleep(0)


async def never():
    """Wait for what does not come; only a cancellation ends it."""
    await asyncio.Event().wait()
