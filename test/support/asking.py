"""Asks a model server once, through the client of its protocol."""

import asyncio

from soul.mind.messages import SystemMessage, UserMessage
from soul.mind.providers.adapter import ANSWER_TOKENS
from soul.mind.providers.anthropic import Anthropic
from soul.mind.providers.base import ProviderError, Request
from soul.mind.providers.chat import Chat
from soul.mind.providers.clients import client_of
from soul.mind.providers.gemini import Gemini
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.responses import Responses
from soul.signals import View
from support.model_server import ModelServer

TOOLS = [
    {
        'type': 'function',
        'function': {
            'name': name,
            'description': f'To {name}.',
            'parameters': {'type': 'object', 'properties': {'text': {'type': 'string'}}},
        },
    }
    for name in ('reply', 'look')
]


ADAPTERS = {'chat': Chat, 'responses': Responses, 'anthropic': Anthropic, 'gemini': Gemini}
SYSTEM = SystemMessage('who she is')


def entry(protocol, url, **more):
    """A model at an address."""
    given = {'name': 'm', 'provider': 'p', 'model': 'm', 'pictures': True, **more}
    return ModelEntry(protocol=protocol, base_url=url, **given)


def adapter(protocol, **more):
    return ADAPTERS[protocol](entry(protocol, 'http://127.0.0.1:9', **more), ANSWER_TOKENS)


def request(*messages, tools=TOOLS, **more):
    """A request of a waking."""
    history = messages or (UserMessage('hi'),)
    return Request([SYSTEM, *history], tools, View(), 0, **more)


def ask(protocol, behave, *messages, **options):
    """Ask once; returns what came (or the error), and the requests that the server got."""
    came, requests = ask_often(protocol, behave, 1, *messages, **options)
    return came[0], requests


def ask_often(
    protocol,
    behave,
    times,
    *messages,
    stream=True,
    seconds=5.0,
    heard=None,
    key='sk-secret',
    more=None,
    **options,
):
    """Ask again and again; returns what came each time (or the error), and the requests."""

    async def asking(url):
        client = client_of(entry(protocol, url, **options), stream, seconds)
        came = []
        for _ in range(times):
            wanted = request(*messages, **(more or {}))
            try:
                came.append(await client.complete(wanted, heard or (lambda *piece: None), key))
            except ProviderError as error:
                came.append(error)
        await client.close()
        return came

    with ModelServer(behave) as server:
        came = asyncio.run(asyncio.wait_for(asking(server.url), 60))
    return came, server.requests
