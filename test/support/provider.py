"""An OpenAI-compatible server on a real socket that plays a given behaviour."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def call(name, arguments, number=0):
    """One tool call of an answer."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {
        'index': number,
        'id': f'call_{name}_{number}',
        'type': 'function',
        'function': {'name': name, 'arguments': text},
    }


class FakeServer:
    """Answers chat completions.

    Parameters
    ----------
    behave
        Called with the request's body; returns a message (content, tool_calls), or a
        (status, text) pair for an error, or a callable that gets the raw handler.
    """

    def __init__(self, behave):
        self.requests = []
        self.headers = []
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                length = int(self.headers['Content-Length'])
                body = json.loads(self.rfile.read(length))
                with outer.lock:
                    outer.requests.append(body)
                    outer.headers.append(dict(self.headers))
                answer = behave(body)
                if callable(answer):
                    answer(self)
                elif isinstance(answer, tuple):
                    self.send(answer[0], answer[1].encode())
                elif body.get('stream'):
                    self.stream(answer)
                else:
                    message = {'role': 'assistant', 'content': '', **answer}
                    whole = {
                        'choices': [{'message': message, 'finish_reason': 'stop'}],
                        'usage': USAGE,
                    }
                    self.send(200, json.dumps(whole).encode(), 'application/json')

            def send(self, status, data, kind='text/plain'):
                self.send_response(status)
                self.send_header('Content-Type', kind)
                self.send_header('Content-Length', str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def begin_stream(self):
                self.send_response(200)
                self.send_header('Content-Type', 'text/event-stream')
                self.send_header('Transfer-Encoding', 'chunked')
                self.end_headers()

            def event(self, data):
                data = f'data: {data}\n\n'.encode()
                self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
                self.wfile.flush()

            def end_stream(self):
                self.wfile.write(b'0\r\n\r\n')

            def stream(self, answer):
                self.begin_stream()
                for chunk in chunks(answer):
                    self.event(json.dumps(chunk))
                self.event(json.dumps({'choices': [], 'usage': USAGE}))
                self.event('[DONE]')
                self.end_stream()

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self):
        return f'http://127.0.0.1:{self.server.server_port}/v1'

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


USAGE = {
    'prompt_tokens': 120,
    'completion_tokens': 30,
    'prompt_tokens_details': {'cached_tokens': 100},
}


def chunks(answer):
    """Cut an answer into the pieces a server would stream."""
    text = answer.get('content') or ''
    for start in range(0, len(text), 5):
        yield {'choices': [{'delta': {'content': text[start : start + 5]}}]}
    for tool_call in answer.get('tool_calls') or ():
        head = {**tool_call, 'function': {'name': tool_call['function']['name'], 'arguments': ''}}
        yield {'choices': [{'delta': {'tool_calls': [head]}}]}
        arguments = tool_call['function']['arguments']
        for start in range(0, len(arguments), 7):
            piece = {
                'index': tool_call['index'],
                'function': {'arguments': arguments[start : start + 7]},
            }
            yield {'choices': [{'delta': {'tool_calls': [piece]}}]}
    yield {'choices': [{'delta': {}, 'finish_reason': 'stop'}]}
