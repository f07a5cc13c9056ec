#!/usr/bin/env python3
"""A reference server of the exec contract: one bash command for each request.

    POST /exec    Authorization: Bearer <token>
    {"command": "uname -a", "cwd": "", "timeout": 60}
    -> {"exit": 0, "stdout": "...", "stderr": "...", "timed_out": false, "cwd": "/home/her"}

It is made for a machine that is hers alone, and keeps four rules: it listens on addresses only
that are not public; it refuses to run as root; what it runs never sees the token, also not
under /proc; time and output of each command are capped and each command is logged. Standard
library only, so that the file can be copied to any machine:

    SOUL_MACHINE_TOKEN=... python3 machine_server.py --port 8080
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hmac
import ipaddress
import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TOKEN = 'SOUL_MACHINE_TOKEN'
HANDED = 'SOUL_MACHINE_TOKEN_FD'
PR_SET_DUMPABLE = 4  # prctl(2): not dumpable means that /proc/<pid> is closed to others
LONGEST_REQUEST = 200_000
KILL_AFTER = 2.0  # s between the kind and the unkind end of a command


class Refused(Exception):
    """A request that is not carried out: the HTTP status and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Machine:
    """Runs commands.

    Parameters
    ----------
    most_seconds, most_output
        Caps of one command: s, and bytes of each of its outputs.
    """

    def __init__(self, cwd: Path, log: Path, most_seconds: float, most_output: int) -> None:
        self._cwd = cwd
        self._log = log
        self._most_seconds = most_seconds
        self._most_output = most_output
        self._lock = threading.Lock()

    def run(self, request: dict) -> dict:
        """Run one command.

        Raises
        ------
        Refused
            If the request is none.
        """
        command, cwd = request.get('command'), request.get('cwd') or str(self._cwd)
        seconds = request.get('timeout', 60)
        if not isinstance(command, str) or not command.strip():
            raise Refused(400, 'command is missing')
        if not isinstance(cwd, str) or not os.path.isdir(cwd):
            raise Refused(400, f'cwd: there is no folder {cwd!r}')
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
            raise Refused(400, f'timeout is {seconds!r}, it must be above 0')
        self._note({'command': command, 'cwd': cwd})
        begun = time.monotonic()
        answer = self._bash(command, cwd, min(float(seconds), self._most_seconds))
        self._note(
            {
                'exit': answer['exit'],
                'timed_out': answer['timed_out'],
                'seconds': round(time.monotonic() - begun, 3),
                'stdout': len(answer['stdout']),
                'stderr': len(answer['stderr']),
            }
        )
        return answer

    def _bash(self, command: str, cwd: str, seconds: float) -> dict:
        environment = {k: v for k, v in os.environ.items() if k != TOKEN}
        # Where the command ends up is told on a pipe of its own, so that `cd` lasts.
        read, write = os.pipe()
        script = f'trap "pwd >&{write}" EXIT\n{command}'
        process = subprocess.Popen(
            ['bash', '-c', script],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(write,),
            start_new_session=True,  # so that its children end with it
        )
        os.close(write)
        try:
            out, err, timed_out = self._collect(process, seconds)
        finally:
            _end(process)
        with os.fdopen(read, 'r', errors='replace') as where:
            os.set_blocking(where.fileno(), False)
            try:
                after = (where.read() or '').strip()
            except BlockingIOError:
                after = ''
        return {
            'exit': process.returncode,
            'stdout': self._text(out),
            'stderr': self._text(err),
            'timed_out': timed_out,
            'cwd': after or cwd,
        }

    def _collect(
        self, process: subprocess.Popen, seconds: float
    ) -> tuple[bytearray, bytearray, bool]:
        """Read both outputs until the command ends; beyond the cap they are thrown away."""
        end = time.monotonic() + seconds
        outputs = {process.stdout: bytearray(), process.stderr: bytearray()}
        with selectors.DefaultSelector() as selector:
            for stream in outputs:
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map():
                left = end - time.monotonic()
                if left <= 0:
                    return (*outputs.values(), True)
                for key, _ in selector.select(min(left, 0.2)):
                    piece = os.read(key.fd, 65536)
                    if not piece:
                        selector.unregister(key.fileobj)
                    held = outputs[key.fileobj]
                    held += piece[: max(0, self._most_output - len(held))]
                if process.poll() is not None and not selector.select(0):
                    break  # a child in the background still holds the output
        try:
            process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            return (*outputs.values(), True)
        return (*outputs.values(), False)

    def _text(self, output: bytearray) -> str:
        text = output.decode('utf-8', 'replace')
        return text + '\n… (cut)' if len(output) >= self._most_output else text

    def _note(self, entry: dict) -> None:
        with self._lock, self._log.open('a', encoding='utf-8') as log:
            log.write(json.dumps({'at': time.time(), **entry}, ensure_ascii=False) + '\n')


def _end(process: subprocess.Popen) -> None:
    """End a command and all that it started."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, kind)
        try:
            process.wait(KILL_AFTER)
            if kind == signal.SIGTERM:
                continue  # the group may have others in it
        except subprocess.TimeoutExpired:
            continue
    for stream in (process.stdout, process.stderr):
        stream.close()


def handler(machine: Machine, token: str) -> type[BaseHTTPRequestHandler]:
    """Make the HTTP side."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'

        def do_POST(self) -> None:
            try:
                self._answer(200, machine.run(self._request()))
            except Refused as refused:
                self._answer(refused.status, {'error': str(refused)})

        def _request(self) -> dict:
            length = int(self.headers.get('Content-Length') or 0)
            if length > LONGEST_REQUEST:
                self.close_connection = True
                raise Refused(413, 'the request is too long')
            body = self.rfile.read(length)
            given = (self.headers.get('Authorization') or '').removeprefix('Bearer ')
            if not hmac.compare_digest(given.encode(), token.encode()):
                raise Refused(401, 'wrong token')
            if self.path != '/exec':
                raise Refused(404, 'there is only /exec')
            try:
                request = json.loads(body)
            except ValueError:
                raise Refused(400, 'the request is not JSON') from None
            if not isinstance(request, dict):
                raise Refused(400, 'the request is no object')
            return request

        def _answer(self, status: int, answer: dict) -> None:
            body = json.dumps(answer, ensure_ascii=False).encode()
            self.send_response(status)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The commands are logged; requests are not."""

    return Handler


def _token() -> str:
    """Take the token from where nobody else can read it.

    The environment of a process can be read under /proc by every process of the same user, for
    as long as it lives. So a server that finds the token there begins anew without it and hands
    it to itself through a pipe; and it lets nobody look into it.
    """
    if TOKEN in os.environ:
        read, write = os.pipe()
        os.write(write, os.environ.pop(TOKEN).encode())
        os.close(write)
        os.set_inheritable(read, True)
        os.environ[HANDED] = str(read)
        os.execv(sys.executable, [sys.executable, *sys.argv])
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)
    handed = os.environ.pop(HANDED, '')
    if handed:
        with os.fdopen(int(handed)) as pipe:
            return pipe.read()
    token = secrets.token_urlsafe(24)
    print(f'{TOKEN}={token}')
    return token


def main() -> int:
    """Run the server."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--host', default='127.0.0.1', help='address; never a public one')
    parser.add_argument('--port', type=int, default=8080, help='0: any that is free')
    parser.add_argument('--cwd', type=Path, default=Path.home(), help='where commands begin')
    parser.add_argument('--log', type=Path, default=Path.home() / 'commands.log')
    parser.add_argument('--seconds', type=float, default=600.0, help='cap of one command')
    parser.add_argument('--output', type=int, default=100_000, help='cap of each output, bytes')
    parser.add_argument('--allow-root', action='store_true', help='only inside a container')
    given = parser.parse_args()
    if os.geteuid() == 0 and not given.allow_root:
        print('run this as a user without rights (or in a container, with --allow-root)')
        return 2
    try:
        address = ipaddress.ip_address(given.host)
    except ValueError:
        print(f'--host {given.host}: give an address, not a name')
        return 2
    if address.is_global or address.is_unspecified:
        print(f'--host {given.host}: it would stand in public; use 127.0.0.1 or a private address')
        return 2
    token = _token()
    machine = Machine(given.cwd, given.log, given.seconds, given.output)
    server = ThreadingHTTPServer((given.host, given.port), handler(machine, token))
    server.daemon_threads = True
    print(f'her machine listens at http://{given.host}:{server.server_port}', flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
    return 0


if __name__ == '__main__':
    sys.exit(main())
