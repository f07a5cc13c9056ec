"""A model server that dies is started again, where it was."""

import os
import signal
import sys
import textwrap

import httpx
import psutil
import pytest

from soul.local import KeptServer, LocalModelError
from support.waiting import wait_until

#: Serves where it is told, and fails to start while the file `broken` is there.
SERVER = """
    import http.server, json, pathlib, sys, threading
    if pathlib.Path(sys.argv[1]).exists():
        print(json.dumps({'error': 'the disk is gone'}), flush=True)
        sys.exit(1)
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
        def log_message(self, *args):
            pass
    port = int(sys.argv[3]) if len(sys.argv) > 2 else 0
    server = http.server.ThreadingHTTPServer(('127.0.0.1', port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({'address': f'http://127.0.0.1:{server.server_port}'}), flush=True)
    sys.stdin.buffer.read()
"""


@pytest.fixture
def kept(tmp_path):
    made = []

    def begin():
        words = [sys.executable, '-c', textwrap.dedent(SERVER), str(tmp_path / 'broken')]
        told = []
        made.append(KeptServer(words, told.append, (0.05, 0.2)))
        return made[-1], told

    yield begin
    for one in made:
        one.close()


def alive(server):
    try:
        return httpx.get(f'{server.base_url}/x', trust_env=False).is_success
    except httpx.HTTPError:
        return False


def test_it_comes_back_at_the_same_address(kept):
    server, told = kept()
    for _ in range(2):
        before = server.pid
        os.kill(before, signal.SIGKILL)
        wait_until(lambda before=before: server.pid != before and alive(server))
    assert 'it was killed' in told[0]
    assert told.count('the local model is back') == 2


def test_one_that_cannot_start_is_tried_until_it_can(kept, tmp_path):
    server, told = kept()
    (tmp_path / 'broken').touch()
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: sum('the disk is gone' in line for line in told) >= 2)
    (tmp_path / 'broken').unlink()
    wait_until(lambda: alive(server))


def test_nothing_is_left_when_it_is_closed_while_it_is_started(kept, tmp_path):
    server, told = kept()
    (tmp_path / 'broken').touch()
    os.kill(server.pid, signal.SIGKILL)
    wait_until(lambda: told)
    server.close()
    assert not psutil.Process().children(recursive=True)


def test_the_first_start_is_a_start_or_an_error(kept, tmp_path):
    (tmp_path / 'broken').touch()
    with pytest.raises(LocalModelError, match='the disk is gone'):
        kept()
