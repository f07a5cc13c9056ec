"""A year on disk beside a new home in the same run: start, message to request, memory.

Each home has a process of its own on a free ROS domain; the two are measured by turns, so that
whatever else the machine does hits both. `python -m bench.year HOME DOMAIN` is such a process: for
each line it is sent it measures one message, and writes seconds and resident megabytes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench import footprint, latency
from bench.domains import free_domain
from bench.figure import Figure
from bench.year_home import Size, make

#: For both homes: nothing is spent for the day, and the field has room for the items of a year.
PARAMETERS: dict[str, dict[str, Any]] = {
    'guard': {'daily_wakes': 0, 'daily_tokens': 0},
    'mind': {'requests_per_minute': 10_000},
    'field': {'capacity_chars': 40_000},
}
WARM_UP = 10


class Living:
    """She in a process of her own.

    Parameters
    ----------
    home
        Where she lives.
    """

    def __init__(self, home: Path) -> None:
        self.seconds: list[float] = []  # message -> request
        self.resident = 0.0  # MB
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'bench.year', str(home), str(free_domain())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ask()  # she is up, and her first view is over
        self.seconds.clear()

    def ask(self) -> None:
        """Measure one message."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write('\n')
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        self.seconds.append(answer['seconds'])
        self.resident = answer['resident']

    def close(self) -> None:
        """End."""
        self._process.communicate(timeout=60)


def live(home: str, domain: int) -> None:
    """Live, and measure a message for each line of the standard input."""
    with latency.graph(home=home, domain=domain, parameters=PARAMETERS) as side:
        for _ in sys.stdin:
            side.settle()
            seconds = latency.measure_one(side.send, side.arrived)
            side.settle()
            resident = footprint.resident(os.getpid())
            print(json.dumps({'seconds': seconds, 'resident': resident}), flush=True)


def starts(homes: Sequence[Path], times: int) -> list[list[float]]:
    """Start of the composition -> first view, by turns, s."""
    domain = free_domain()
    observer = footprint.Observer(domain)
    found: list[list[float]] = [[] for _ in homes]
    try:
        for _ in range(times):
            for seconds, home in zip(found, homes, strict=True):
                observer.forget()
                begun = time.perf_counter()
                process = footprint.composition(
                    str(home), '--no-mock', '--driver', 'none', domain=domain
                )
                if not observer.view.wait(60.0):
                    raise RuntimeError('no view within 60 s')
                seconds.append(time.perf_counter() - begun)
                process.terminate()
                process.wait(30)
    finally:
        observer.close()
    return found


@contextmanager
def homes(size: Size) -> Iterator[tuple[Path, Path]]:
    """A home of a year, and a new one that has been opened once."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder) / 'year', Path(folder) / 'new'
        make(old, size, PARAMETERS)
        make(new, Size(0, 0, 0, 0), PARAMETERS)
        yield old, new


def figures(samples: int = 60, times: int = 5) -> list[Figure]:
    """Measure."""
    median = statistics.median
    with homes(Size()) as (old, new), ExitStack() as stack:
        start_old, start_new = (median(seconds) for seconds in starts((old, new), times))
        year, young = Living(old), Living(new)
        stack.callback(year.close)
        stack.callback(young.close)
        for number in range(samples + WARM_UP):
            for living in (year, young):
                living.ask()
                if number < WARM_UP:
                    living.seconds.clear()
        request_old, request_new = median(year.seconds), median(young.seconds)
        resident_old, resident_new = year.resident, young.resident
    against = 'new home'
    return [
        Figure('start to first view', start_old, 's', start_new, against),
        Figure('ratio (goal 1.3)', start_old / start_new, 'times'),
        Figure('message to request, p50', 1e3 * request_old, 'ms', 1e3 * request_new, against),
        Figure('ratio (goal 1.3)', request_old / request_new, 'times'),
        Figure('resident memory', resident_old, 'MB', resident_new, against),
        Figure('ratio (goal 1.3)', resident_old / resident_new, 'times'),
    ]


if __name__ == '__main__':
    live(sys.argv[1], int(sys.argv[2]))
