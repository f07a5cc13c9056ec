"""Speech while the wire is cut, and many reconnects, over each transport's own sockets.

The same for soul-serial is in test_stackchan_transport_faults.py; there every byte is tried on a
virtual wire by test_stackchan_say.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from soul.signals import SayGoal, SayState
from support.worlds.dialled import DialledWorld
from support.worlds.http import HttpWorld

#: No polling: every byte belongs to the exchange.
QUIET = {'capabilities': ('face', 'tts')}


@pytest.fixture
def dialled(tmp_path: Path) -> Iterator[DialledWorld]:
    world = DialledWorld(tmp_path, mock=QUIET)
    world.take(world.driver.configure(world.now))
    world.take(world.driver.activate(world.now))
    world.until(lambda: world.driver.port.joined)
    yield world
    world.close()


@pytest.fixture
def http() -> Iterator[HttpWorld]:
    world = HttpWorld().up()
    yield world
    world.close()


def spoken(world: DialledWorld | HttpWorld) -> list[str]:
    """What the body has said or shown, in order."""
    if isinstance(world, HttpWorld):
        return list(world.spoken)
    return [entry['text'] for entry in world.log('say')]


def whole_exchange(world: DialledWorld | HttpWorld) -> int:
    """Say something without a cut; returns how many bytes that took."""
    before = world.proxy.carried
    assert world.ask('body/say', SayGoal('whole', 'whole text'), 'whole') == ''
    assert world.finish('whole').outcome == SayState.DONE
    assert spoken(world) == ['whole text'], 'exactly once'
    return world.proxy.carried - before


def cut_after(world: DialledWorld | HttpWorld, cut: int) -> str:
    """Say something while the wire is cut after so many bytes; returns how it ended."""
    act, handle, text = f'act{cut}', f'say{cut}', f'text{cut:04}..'[:10]
    joins = world.driver.port.joins
    world.proxy.cut_after = world.proxy.carried + cut
    assert world.ask('body/say', SayGoal(act, text), handle) == ''
    outcome = world.finish(handle).outcome
    played = spoken(world).count(text)
    assert outcome in (SayState.DONE, SayState.UNCERTAIN, SayState.ABORTED)
    assert played == 1 if outcome == SayState.DONE else played <= 1
    if outcome == SayState.ABORTED:
        assert played == 0, 'it is said that nothing happened'
    world.proxy.cut()
    world.until(lambda: not world.driver.port.joined)
    world.proxy.mend()
    world.until(lambda: world.driver.port.joins > joins and world.driver.port.joined)
    again = world.ask('body/say', SayGoal(act, text), f'again{cut}')
    assert again == ''
    assert world.finish(f'again{cut}').outcome == outcome
    assert spoken(world).count(text) == played, 'nothing is said in a later session'
    world.said.clear()
    return outcome


def cut_everywhere(world: DialledWorld | HttpWorld, step: int) -> None:
    whole = whole_exchange(world)
    outcomes = [cut_after(world, cut) for cut in range(0, whole, step)]
    assert outcomes.count(SayState.UNCERTAIN) >= 0.9 * len(outcomes)
    texts = spoken(world)
    assert len(texts) == len(set(texts)), 'never twice'


def test_fault_09_xiaozhi_is_cut_in_the_middle_of_a_say(dialled: DialledWorld):
    cut_everywhere(dialled, 71)


def test_fault_09_http_is_cut_in_the_middle_of_a_say(http: HttpWorld):
    cut_everywhere(http, 29)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_fault_09_xiaozhi_is_cut_at_every_byte_of_a_say(dialled: DialledWorld):
    cut_everywhere(dialled, 1)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_fault_09_http_is_cut_at_every_byte_of_a_say(http: HttpWorld):
    cut_everywhere(http, 1)


# --- reconnects -----------------------------------------------------------------------------


def reconnect(world: DialledWorld | HttpWorld, times: int) -> None:
    for _ in range(times):
        world.proxy.cut()
        world.until(lambda: not world.driver.port.joined)
        world.proxy.mend()
        world.until(lambda: world.driver.port.joined)
        world.said.clear()


def measure() -> tuple[int, int, int]:
    """Threads, descriptors and resident memory (bytes) of this process."""
    process = psutil.Process()
    return process.num_threads(), process.num_fds(), process.memory_info().rss


def leaves_nothing_behind(world: DialledWorld | HttpWorld, first: int, then: int) -> int:
    """Reconnect again and again; returns by how much memory grew, bytes."""
    reconnect(world, first)
    threads, files, memory = measure()
    reconnect(world, then)
    # What is just ending still counts for a moment.
    world.until(lambda: measure()[0] <= threads and measure()[1] <= files)
    return measure()[2] - memory


def test_fault_19_xiaozhi_reconnects_leave_nothing_behind(dialled: DialledWorld):
    leaves_nothing_behind(dialled, 3, 8)


def test_fault_19_http_reconnects_leave_nothing_behind(http: HttpWorld):
    leaves_nothing_behind(http, 3, 8)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_fault_19_a_thousand_reconnects_of_xiaozhi(dialled: DialledWorld):
    assert leaves_nothing_behind(dialled, 100, 900) <= 2_000_000


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_fault_19_a_thousand_reconnects_of_http(http: HttpWorld):
    assert leaves_nothing_behind(http, 100, 900) <= 2_000_000
