"""What she tells systemd, over a real socket of its kind."""

import os
import socket
import uuid

import pytest

from soul.service.notify import Notifier


@pytest.fixture(params=['path', 'abstract'])
def listener(request, tmp_path):
    name = str(tmp_path / 'notify') if request.param == 'path' else f'@soul-{uuid.uuid4().hex}'
    made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    made.bind(name if request.param == 'path' else f'\0{name[1:]}')
    made.settimeout(10.0)
    yield made, name
    made.close()


def test_it_is_told_in_order(listener):
    heard, name = listener
    notifier = Notifier({'NOTIFY_SOCKET': name, 'WATCHDOG_USEC': '60000000'})
    assert notifier.watchdog_seconds == 60.0
    notifier.ready()
    notifier.alive()
    notifier.stopping()
    told = [heard.recv(1000).decode().splitlines()[0] for _ in range(3)]
    assert told == ['READY=1', 'WATCHDOG=1', 'STOPPING=1']


@pytest.mark.parametrize(
    'environment',
    [
        {},
        {'NOTIFY_SOCKET': '/nowhere/at/all', 'WATCHDOG_USEC': 'soon'},
        {'WATCHDOG_USEC': '1000000'},
        {'NOTIFY_SOCKET': '/nowhere', 'WATCHDOG_USEC': '1000000', 'WATCHDOG_PID': '1'},
    ],
)
def test_without_anybody_who_listens_nothing_happens(environment):
    notifier = Notifier(environment)
    notifier.ready()
    notifier.alive()
    assert notifier.watchdog_seconds == 0.0


def test_a_watchdog_for_this_process_is_ours(listener):
    _, name = listener
    ours = {'NOTIFY_SOCKET': name, 'WATCHDOG_USEC': '2000000', 'WATCHDOG_PID': str(os.getpid())}
    assert Notifier(ours).watchdog_seconds == 2.0


def test_a_socket_that_is_full_blocks_nobody(tmp_path):
    full = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    full.bind(str(tmp_path / 'notify'))
    notifier = Notifier({'NOTIFY_SOCKET': str(tmp_path / 'notify')})
    for _ in range(1000):
        notifier.alive()
    full.close()
