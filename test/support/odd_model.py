"""A chat-completions server that answers oddly, in one process and on a virtual clock.

Its bytes go through the real client: requests and answers are HTTP, only the socket is left out.
"""

import gzip
import json

import httpx

from soul.mind.providers.openai import OpenAI


def chunk(delta=None, **more):
    """One event of a stream."""
    choice = {'delta': delta or {}, **more}
    return 'data: ' + json.dumps({'choices': [choice]}) + '\n\n'


def usage(read=4000, cached=0, out=60):
    """The event that tells what was used."""
    told = {
        'prompt_tokens': read,
        'completion_tokens': out,
        'prompt_tokens_details': {'cached_tokens': cached},
    }
    return 'data: ' + json.dumps({'choices': [], 'usage': told}) + '\n\n'


END = 'data: [DONE]\n\n'


def call(name, arguments, index=0, call_id=None):
    """A whole call as a fragment."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    fragment = {'index': index, 'function': {'name': name, 'arguments': text}}
    if call_id is not None:
        fragment['id'] = call_id
    return fragment


def calls(*fragments):
    """The events of an answer with calls."""
    return [chunk({'tool_calls': [f]}) for f in fragments] + [chunk(finish_reason='tool_calls')]


class Broken(httpx.AsyncByteStream):
    """Bytes of a stream; a number among them lets seconds pass, an exception is raised."""

    def __init__(self, pieces, sleep):
        self._pieces, self._sleep = pieces, sleep

    async def __aiter__(self):
        for piece in self._pieces:
            if isinstance(piece, (int, float)):
                await self._sleep(piece)
            elif isinstance(piece, Exception):
                raise piece
            else:
                yield piece if isinstance(piece, bytes) else piece.encode('utf-8', 'surrogatepass')

    async def aclose(self):
        pass


class OddModel(OpenAI):
    """The real client, in front of `behave(view, body) -> (status, headers, pieces)`.

    An exception instead of that triple is raised by the connection.
    """

    def __init__(self, behave, clock, **more):
        self.behave, self.clock = behave, clock
        self.requests = []  # (time, body)
        self.view = None
        outer = self

        class Transport(httpx.AsyncBaseTransport):
            async def handle_async_request(self, request):
                body = json.loads(await request.aread())
                outer.requests.append((clock.now(), body))
                answer = outer.behave(outer.view, body)
                if isinstance(answer, Exception):
                    raise answer
                status, headers, pieces = answer
                return httpx.Response(
                    status, headers=headers, stream=Broken(pieces, clock.sleep), request=request
                )

        super().__init__('http://127.0.0.1:9/v1', 'odd', transport=Transport(), **more)

    async def complete(self, request, heard):
        self.view = request.view
        return await super().complete(request, heard)


STREAM = {'content-type': 'text/event-stream'}


def stream(*pieces):
    """An answer that is streamed."""
    return 200, STREAM, list(pieces)


def error(status, message, **headers):
    """An error of the server."""
    return status, headers, [json.dumps({'error': {'message': message}})]


def good(view, body):
    """Answer everybody who waits, then sleep."""
    wanted = [
        call('reply', {'text': f'to {m.id}', 'message': m.id}, n, f'r{n}')
        for n, m in enumerate(view.messages)
    ]
    return stream(*calls(*wanted, call('sleep', {}, len(wanted), 's')), usage(), END)


def _bomb():
    return gzip.compress(gzip.compress(b'\0' * 20_000_000))


#: Every odd answer that was met, by name: `odd(view, body)`. None of them lets her sleep and
#: leave somebody standing.
ODD = {
    'refused': lambda v, b: stream(*calls(call('sleep', {'minutes': ''})), usage(), END),
    'refused, not counted': lambda v, b: stream(*calls(call('sleep', {'minutes': 'x'})), END),
    'unknown tool': lambda v, b: stream(*calls(call('fly', {})), usage(), END),
    'bad arguments': lambda v, b: stream(*calls(call('reply', '{"text": "a]')), usage(), END),
    'no arguments': lambda v, b: stream(*calls(call('reply', 'null')), usage(), END),
    'zero': lambda v, b: stream(*calls(call('sleep', '0')), usage(), END),
    'empty': lambda v, b: stream(chunk(finish_reason='stop'), usage(36000), END),
    'empty, not counted': lambda v, b: stream(END),
    'nothing at all': lambda v, b: stream(),
    'only thinking': lambda v, b: stream(
        chunk({'reasoning_content': 'hm'}), chunk(finish_reason='stop'), usage(), END
    ),
    'thinking in the text': lambda v, b: stream(
        chunk({'content': 'I should… </think>'}), chunk(finish_reason='stop'), usage(), END
    ),
    'cut in a call': lambda v, b: stream(
        chunk({'tool_calls': [call('sleep', '{"min')]}), chunk(finish_reason='length'), END
    ),
    'cut before the arguments': lambda v, b: stream(
        chunk({'tool_calls': [call('sleep', '')]}), chunk(finish_reason='length'), usage(), END
    ),
    'broken off': lambda v, b: stream(chunk({'content': 'half'})),
    'connection lost': lambda v, b: stream(
        chunk({'content': 'half'}), httpx.RemoteProtocolError('peer closed connection')
    ),
    'garbled': lambda v, b: stream('data: {"choices": [\n\n', END),
    'html': lambda v, b: (200, {'content-type': 'text/html'}, ['<html>busy</html>']),
    'deep': lambda v, b: stream('data: ' + '[' * 100_000 + '\n\n', END),
    'surrogates': lambda v, b: stream(
        *calls(
            *(
                call('reply', f'{{"text": "\ud83d", "message": "{m.id}"}}', n, f'u{n}')
                for n, m in enumerate(v.messages)
            )
        ),
        'data: {"choices": [{"delta": {"content": "\\ud83d"}}]}\n\n',
        usage(),
        END,
    ),
    'all index 0': lambda v, b: stream(
        *calls(
            *(
                call('reply', {'text': 'x', 'message': m.id}, 0, f'i{n}')
                for n, m in enumerate(v.messages)
            ),
            call('sleep', {}, 0, 'i-'),
        ),
        usage(),
        END,
    ),
    'parts': lambda v, b: stream(
        chunk({'content': [{'type': 'thinking', 'thinking': [{'type': 'text', 'text': 'hm'}]}]}),
        chunk(finish_reason='stop'),
        usage(),
        END,
    ),
    'odd usage': lambda v, b: stream(
        'data: {"choices": [], "usage": {"prompt_tokens": 1e308, "completion_tokens": -5}}\n\n',
        *calls(call('diary', {'text': 'x'})),
        END,
    ),
    'too long in the stream': lambda v, b: stream(
        'data: {"error": {"message": "the context is longer than n_ctx"}}\n\n'
    ),
    '400': lambda v, b: error(400, 'something is wrong'),
    '400 too long': lambda v, b: error(400, "this model's maximum context length is exceeded"),
    '401': lambda v, b: error(401, 'no such key'),
    '404': lambda v, b: error(404, 'model not found'),
    '413': lambda v, b: (413, {}, ['<html>too large</html>']),
    '429': lambda v, b: error(429, 'slow down'),
    '429 for a while': lambda v, b: error(429, 'slow down', **{'retry-after': '40'}),
    '500': lambda v, b: error(500, 'boom'),
    '529': lambda v, b: error(529, 'overloaded'),
    'error with 200': lambda v, b: (
        200,
        {'content-type': 'application/json'},
        ['{"error": {"message": "no"}}'],
    ),
    'slow': lambda v, b: stream(20.0, chunk({'content': 'I'}), 20.0, *good(v, b)[2]),
    'silent': lambda v, b: stream(90.0, httpx.ReadTimeout('')),
    'nobody there': lambda v, b: httpx.ConnectError('refused'),
    'packed twice': lambda v, b: (200, {'content-encoding': 'gzip, gzip', **STREAM}, [_bomb()]),
    'line breaks': lambda v, b: stream(
        'data: {"choices": [{"delta": {"content": "a\u2028b\u0085c"}}]}\r\n\r\n', *good(v, b)[2]
    ),
}
