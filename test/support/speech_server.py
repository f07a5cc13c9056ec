"""A server of OpenAI's audio functions on a real socket, with the quirks of real ones."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SpeechServer:
    """Answers `/audio/speech` and `/audio/transcriptions`.

    Parameters
    ----------
    behave
        Called with the raw handler and the body of the request.
    """

    def __init__(self, behave):
        self.requests = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
                outer.requests.append((self.path, dict(self.headers), body))
                behave(self, body)

            def answer(self, status, data, kind):
                self.send_response(status)
                self.send_header('Content-Type', kind)
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def tell(self, status, told):
                self.answer(status, json.dumps(told).encode(), 'application/json')

            def pieces(self, pieces, kind='audio/pcm'):
                self.send_response(200)
                self.send_header('Content-Type', kind)
                self.send_header('Transfer-Encoding', 'chunked')
                self.end_headers()
                for piece in pieces:
                    self.wfile.write(b'%x\r\n%s\r\n' % (len(piece), piece))
                    self.wfile.flush()
                self.wfile.write(b'0\r\n\r\n')

            def hang_up(self):
                self.close_connection = True
                self.connection.close()

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.server.server_port}/v1'
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
