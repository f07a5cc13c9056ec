"""`soul up` under a supervisor: ready, alive, and going to rest."""

import os
import signal
import socket
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.e2e]


def test_she_tells_her_supervisor_how_far_she_is(domain, home, tmp_path):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(str(tmp_path / 'notify'))
    listener.settimeout(60.0)
    soul = subprocess.Popen(
        [sys.executable, '-m', 'soul.cli.main', 'up', '--home', str(home)],
        env={
            **os.environ, 'ROS_DOMAIN_ID': str(domain), 'WATCHDOG_USEC': '1500000',
            'NOTIFY_SOCKET': str(tmp_path / 'notify'),
        },
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert listener.recv(1000).startswith(b'READY=1')
        for _ in range(3):
            assert listener.recv(1000) == b'WATCHDOG=1'
        soul.send_signal(signal.SIGTERM)
        while (told := listener.recv(1000)) == b'WATCHDOG=1':
            pass
        assert told.startswith(b'STOPPING=1')
        assert soul.wait(30) == 0
    finally:
        soul.kill()
        soul.wait()
        listener.close()
