"""Her in a program, with a model by rule."""

import asyncio

from support.minds import calls


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 30))


QUIET = {'field': {'embedder': 'hash', 'channels': ('time', 'body', 'door')},
         'mind': {'settle_seconds': 0.0}}  # fmt: skip


class Model:
    """A model that answers each message and notes what it was asked."""

    name = 'model'

    def __init__(self, *first):
        self.first = list(first)
        self.requests = []

    async def complete(self, request, heard):
        self.requests.append(request)
        if self.first:
            return self.first.pop(0)
        if request.step == 0 and request.view.messages:
            message = request.view.messages[-1]
            return calls(('reply', f'{{"text": "you said {message.text}"}}'))
        return calls(('sleep', '{}'))

    async def close(self):
        pass

    def read(self, number):
        return '\n'.join(str(m.text) for m in self.requests[number].messages)


def latest(life, topic):
    """What was said last on a topic."""
    heard = []
    life.listen(topic, heard.append)
    return heard[0]


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)
