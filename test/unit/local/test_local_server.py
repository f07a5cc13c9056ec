"""The life cycle of the model server, with a tiny server in its place."""

import os
import signal
import subprocess
import sys
import textwrap

import psutil
import pytest

from soul.local import server as served
from soul.local.errors import LocalModelError
from soul.local.server import ModelServer
from soul.local.settings import settings
from soul.mind.config import MindConfig
from support.waiting import wait_until

HEALTHY = """
    import http.server, json, sys, threading
    class Handler(http.server.BaseHTTPRequestHandler):
        asked = 0
        def do_GET(self):
            Handler.asked += 1
            self.send_response(200 if Handler.asked > 2 else 503)
            self.end_headers()
        def log_message(self, *args):
            pass
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print('a line of some library', flush=True)
    print(json.dumps({'address': f'http://127.0.0.1:{server.server_port}'}), flush=True)
    sys.stdin.buffer.read()
"""


def program(text):
    return [sys.executable, '-c', textwrap.dedent(text)]


def test_it_is_ready_once_it_is_healthy_and_ends_when_it_is_closed():
    with ModelServer(program(HEALTHY)).ready() as server:
        assert server.base_url.startswith('http://127.0.0.1:')
        assert server.base_url.endswith('/v1')
        process = psutil.Process(server.pid)
    assert not process.is_running()


def test_a_server_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(served, 'END_SECONDS', 0.1)
    stubborn = HEALTHY + '    import time\n    time.sleep(600)\n'
    with ModelServer(program(stubborn)).ready() as server:
        process = psutil.Process(server.pid)
    assert not process.is_running()


def test_it_ends_with_a_parent_that_was_killed(tmp_path):
    fake = tmp_path / 'fake.py'
    fake.write_text(textwrap.dedent(HEALTHY))
    parent = subprocess.Popen(
        program(f"""
            import sys, time
            from soul.local.server import ModelServer
            print(ModelServer([sys.executable, {str(fake)!r}]).ready().pid, flush=True)
            time.sleep(600)
        """),
        stdout=subprocess.PIPE,
    )
    child = psutil.Process(int(parent.stdout.readline()))
    assert child.is_running()
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


@pytest.mark.parametrize(
    ('text', 'said'),
    [
        ('import json; print(json.dumps({"error": "no such model"}))', 'no such model'),
        ('import sys; sys.exit("out of luck")', 'code 1.*out of luck'),
        ('import os; os.kill(os.getpid(), 4)', 'processor.*AVX2'),
        ('import os; os.kill(os.getpid(), 9)', 'memory'),
    ],
    ids=['said', 'code', 'instruction', 'killed'],
)
def test_why_it_does_not_start_is_said(text, said):
    with pytest.raises(LocalModelError, match=said):
        ModelServer(program(text)).ready()


@pytest.mark.parametrize(
    'text',
    [
        'import sys; sys.stdin.read()',
        'import sys; print(\'{"address": "http://127.0.0.1:9"}\', flush=True); sys.stdin.read()',
    ],
    ids=['silent', 'deaf'],
)
def test_one_that_never_answers_is_ended(text):
    server = ModelServer(program(text))
    with pytest.raises(LocalModelError, match='in time'):
        server.ready(0.3)
    assert not psutil.pid_exists(server.pid)


def test_the_real_command_says_what_is_wrong_with_the_weights(tmp_path):
    pytest.importorskip('xllamacpp', reason='the extra local is not installed')
    bad = tmp_path / 'bad.gguf'
    bad.write_bytes(b'GGUF, but not really')
    with pytest.raises(LocalModelError, match='does not start'):
        ModelServer(served.command(bad)).ready()


def test_the_mind_takes_its_settings():
    config = MindConfig(**settings('http://127.0.0.1:1/v1'))
    assert config.compact
    assert config.warm_up
    assert config.ceiling_tokens < config.context_window
