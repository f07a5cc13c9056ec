"""Waits for what another process does."""

import time


def wait_for(happened, seconds=20.0):
    """Wait until something is so.

    Raises
    ------
    AssertionError
        If it is not in time.
    """
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, 'it did not happen in time'
        time.sleep(0.01)
