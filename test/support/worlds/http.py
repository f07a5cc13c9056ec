"""The driver over HTTP, before an adapter of body protocol v1; the wire between can be cut."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from soul.stackchan.transports.http_body import HttpBody
from support.proxy import Proxy
from support.worlds.threaded import ThreadedWorld


class HttpWorld(ThreadedWorld):
    """A driver and an adapter that writes down what it is asked to say."""

    def __init__(self, driver: dict[str, Any] | None = None, seed: int = 1) -> None:
        super().__init__()
        self.spoken: list[str] = []
        world = self

        class Adapter(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers['Content-Length']))
                answer: dict[str, Any] = {}
                if self.path == '/status':
                    answer = {'online': True}
                elif self.path == '/speak' and body:
                    world.spoken.append(json.loads(body)['text'])
                data = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def handle(self) -> None:
                with contextlib.suppress(
                    OSError, ValueError, TypeError
                ):  # cut in the middle of it
                    super().handle()

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Adapter)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.proxy = Proxy(lambda: self.server.server_address[1])
        port = HttpBody(
            f'http://127.0.0.1:{self.proxy.port}', ('status', 'speak'), '', 5.0, 0.05,
            self.deliver,
        )  # fmt: skip
        self.make_driver({'transport': 'http'} | (driver or {}), port, seed)

    def up(self) -> HttpWorld:
        self.take(self.driver.configure(self.now))
        self.take(self.driver.activate(self.now))
        self.until(lambda: self.driver.port.joined)
        return self

    def due(self) -> float:
        return self.driver.due()

    def step(self) -> None:
        if self.now >= self.driver.due():
            self.take(self.driver.step(self.now))

    def close(self) -> None:
        self.take(self.driver.stop(self.now))
        self.port.shut_down()
        self.proxy.close()
        self.server.shutdown()
        self.server.server_close()
