"""A server of models on a real socket that sends given bytes, in any pieces, or breaks."""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support import protocols

#: Among the pieces of an answer: the connection is cut, or nothing comes any more.
CUT, STALL = object(), object()
SSE, JSON = 'text/event-stream', 'application/json'


@dataclass(frozen=True)
class Sends:
    """What is sent: the pieces of the body go out one by one."""

    pieces: list
    kind: str = SSE
    status: int = 200
    headers: dict = field(default_factory=dict)


def answering(protocol, said=protocols.ANSWER, streamed=True):
    """An answer as a protocol sends it."""
    if streamed:
        return Sends(protocols.stream(protocol, said))
    return Sends([protocols.whole(protocol, said)], JSON)


def split(sends, size):
    """The same bytes in pieces of a size, also inside a character."""
    data = b''.join(sends.pieces)
    cut = [data[n : n + size] for n in range(0, len(data), size)]
    return Sends(cut, sends.kind, sends.status, sends.headers)


class ModelServer:
    """Sends what `behave(body, number)` returns, for the nth request from 0 on."""

    def __init__(self, behave):
        self.requests = []  # (path, headers, body)
        self.closing = threading.Event()
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                data = self.rfile.read(int(self.headers['Content-Length']))
                body = json.loads(data)
                with lock:
                    number = len(outer.requests)
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    outer.requests.append((self.path, headers, body))
                try:
                    self._send(behave(body, number))
                except OSError:  # whoever asked has gone
                    self.close_connection = True

            def _send(self, sends):
                self.send_response_only(sends.status)
                self.send_header('Content-Type', sends.kind)
                for name, value in sends.headers.items():
                    self.send_header(name, value)
                self.send_header('Transfer-Encoding', 'chunked')
                self.end_headers()
                for piece in sends.pieces:
                    if piece is CUT:
                        self.close_connection = True
                        return
                    if piece is STALL:
                        outer.closing.wait(20)
                        self.close_connection = True
                        return
                    self.wfile.write(b'%x\r\n%s\r\n' % (len(piece), piece))
                    self.wfile.flush()
                self.wfile.write(b'0\r\n\r\n')

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )
        self._thread.start()

    @property
    def url(self):
        """Its address; each protocol's version may stand behind it."""
        return f'http://127.0.0.1:{self._server.server_port}'

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
