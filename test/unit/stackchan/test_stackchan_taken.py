"""A port that somebody else has: said once, tried again, and taken back when it is free."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from soul.core.organ import Report
from soul.signals import Connection, PairRequest
from soul.stackchan.pairing.desk import PairingDesk
from soul.stackchan.pairing.register import Register
from soul.stackchan.transports.link import LinkNews, Lost
from soul.stackchan.transports.xiaozhi import port as ports
from support.worlds.dialled import DEVICE, DialledWorld

#: An address of this machine that is not the usual one, and is nobody else's either.
FURTHER = '127.0.0.2'


@pytest.fixture
def taken() -> Iterator[Callable[[str], socket.socket]]:
    """Takes a free port of an address."""
    held = []

    def take(host: str, number: int = 0) -> socket.socket:
        held.append(socket.create_server((host, number)))
        return held[-1]

    yield take
    for one in held:
        one.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., DialledWorld]]:
    made = []

    def build(number: int) -> DialledWorld:
        made.append(DialledWorld(tmp_path, {'backoff_min': 0.05, 'backoff_max': 0.2}, port=number))
        world = made[-1]
        world.take(world.driver.configure(world.now))
        world.take(world.driver.activate(world.now))
        return world

    yield build
    for one in made:
        one.close()


def warnings(world: DialledWorld) -> list[str]:
    return [one.text for one in world.said if isinstance(one, Report) and one.level == 'warning']


def connection(world: DialledWorld) -> Connection:
    return [one for one in world.said if isinstance(one, Connection)][-1]


def count_losses(world: DialledWorld) -> list[Lost]:
    """What is told from now on of openings that came to nothing."""
    lost: list[Lost] = []
    take = world.driver.on_news

    def on_news(news: LinkNews, now: float) -> Any:
        if isinstance(news, Lost):
            lost.append(news)
        return take(news, now)

    world.driver.on_news = on_news  # type: ignore[method-assign]
    return lost


def pair(world: DialledWorld, address: str = '') -> Any:
    return PairingDesk(world.admission, world.port).answer(PairRequest('begin', address))


def test_a_port_that_is_taken_is_said_once_and_taken_back(make: Any, taken: Any):
    other = taken('127.0.0.1')
    number = other.getsockname()[1]
    world = make(number)
    told = f'port {number} of 127.0.0.1 is taken by another program (`ss -ltnp` names it)'
    world.until(lambda: connection(world).detail == told)
    assert world.driver.health(world.now).level == 'warn'
    assert world.driver.health(world.now).message == told
    answer = pair(world)
    assert not answer.ok
    assert told in answer.reason
    assert 'tried again' in answer.reason
    lost = count_losses(world)
    world.until(lambda: len(lost) >= 3)  # it is tried again and again
    assert warnings(world) == [told]
    other.close()
    world.until(lambda: world.listens)
    world.until(lambda: world.driver.port.joined)
    assert connection(world).connected
    assert world.driver.link.trouble == ''
    assert 'taken' not in world.driver.health(world.now).message
    assert any(isinstance(one, Report) and one.text == f'over: {told}' for one in world.said)
    details = [one.detail for one in world.said if isinstance(one, Connection)]
    assert details[-3:] == [told, 'waiting for a device to dial', 'a body is connected']
    assert pair(world).ok


def test_the_address_of_the_local_network_is_tried_again(
    make: Any, taken: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ports, 'PAUSES', (0.05, 0.2))
    Register(tmp_path / 'paired.json').add(DEVICE, 'token', FURTHER)
    other = taken(FURTHER)
    number = other.getsockname()[1]
    world = make(number)
    world.until(lambda: world.driver.port.joined)
    world.until(lambda: warnings(world))
    (told,) = warnings(world)
    assert f'port {number} of {FURTHER} is taken' in told
    assert 'soul body pair' in told
    assert world.driver.health(world.now).message == told
    other.close()
    world.until(lambda: not world.driver.link.trouble)
    socket.create_connection((FURTHER, number), timeout=5.0).close()
    assert connection(world).connected, 'the body was there all the time'


def test_an_address_that_is_not_ours_is_refused_with_those_that_are(make: Any):
    world = make(0)
    world.until(lambda: world.listens)
    answer = pair(world, '10.254.253.252')
    assert not answer.ok
    assert '10.254.253.252 is no address of this machine; its addresses are' in answer.reason


def test_the_address_of_this_machine_alone_is_refused_with_what_to_say(make: Any):
    world = make(0)
    world.until(lambda: world.listens)
    answer = pair(world, '127.0.0.1')
    assert not answer.ok
    assert '`soul body pair --here`' in answer.reason
