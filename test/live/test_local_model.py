"""The small model of this machine lives: what it says is its own affair, that it acts is not."""

import asyncio
import importlib.util
import time

import pytest
import yaml

from soul.library import Life
from soul.local import ModelServer, Weights, server, settings
from soul.local.settings import WINDOW
from soul.mind.providers.base import Purpose
from soul.mind.providers.openai import OpenAI
from soul.signals import Outcome, Turn

pytestmark = pytest.mark.live

#: A busy machine with two cores reads 10 tokens a second.
SECONDS = 600


class Listening(OpenAI):
    """The backend, which remembers how much of each request came from the server's cache."""

    usages = ()

    async def complete(self, request, heard):
        completion = await super().complete(request, heard)
        if request.purpose == Purpose.WAKING:
            self.usages = (*self.usages, completion.usage)
        return completion


@pytest.fixture(scope='module')
def model():
    if importlib.util.find_spec('xllamacpp') is None:
        pytest.skip('the extra local is not installed')
    weights = Weights()
    if not weights.here:
        pytest.skip(f'the model is not in {weights.path.parent}: `make up MODEL=local` fetches it')
    with ModelServer(server.command(weights.path)).ready() as running:
        yield running


def test_a_message_is_answered_with_tools_and_the_waking_ends_in_sleep(model, home):
    async def live():
        chosen = settings(model.base_url)
        thinks = Listening(
            chosen['base_url'], chosen['model'], '', True, chosen['temperature'], SECONDS
        )
        turns = asyncio.Queue()
        begun = time.monotonic()
        async with Life(str(home), {'mind': chosen}, provider=thinks) as life:
            life.listen('mind/turn', lambda signal: turns.put_nowait(signal))
            for text in ('Hello! Who are you?', 'What do you like to do?'):
                posted = await life.post(text, sender='ann')
                turn = Turn()
                while posted not in turn.messages_seen:
                    turn = await asyncio.wait_for(turns.get(), SECONDS)
                print(f'{time.monotonic() - begun:.0f} s: {text}')
                check(turn, posted)
        return thinks.usages

    usages = asyncio.run(live())
    for usage in usages:
        print(usage)
        assert usage.cached > usage.tokens_in / 3, 'the beginning was in the cache'


def check(turn, posted):
    assert turn.outcome == Outcome.SLEPT
    assert posted in turn.messages_answered
    assert turn.calls[-1].name == 'sleep' or 'put to rest' in turn.detail
    well_formed = [call for call in turn.calls if call.ok]
    assert 'reply' in {call.name for call in well_formed}
    assert turn.steps <= 6


def test_it_answers_where_the_first_model_is_gone(model, home):
    """The router over a server that is not there and the one that is."""
    chosen = settings(model.base_url)
    here = {'base_url': chosen['base_url'], 'model': chosen['model'], 'window': WINDOW}
    models = [
        {'provider': 'gone', 'model': 'x', 'base_url': 'http://127.0.0.1:9/v1'},
        {'provider': 'here', 'temperature': chosen['temperature'], **here},
    ]
    home.mkdir(mode=0o700)
    (home / 'models.yaml').write_text(yaml.safe_dump({'models': models}))
    ours = ('base_url', 'model', 'api_key_env', 'temperature', 'context_window')
    mind = {name: value for name, value in chosen.items() if name not in ours}

    async def live():
        turns, calls = asyncio.Queue(), []
        async with Life(str(home), {'mind': {**mind, 'backend': 'models'}}) as life:
            life.listen('mind/turn', lambda signal: turns.put_nowait(signal))
            life.listen('mind/call', calls.append)
            posted = await life.post('Hello! Who are you?', sender='ann')
            turn = Turn()
            while posted not in turn.messages_seen:
                turn = await asyncio.wait_for(turns.get(), SECONDS)
            check(turn, posted)
        return calls

    calls = asyncio.run(live())
    assert calls[0].model == 'x'
    assert calls[0].failure
    assert {call.model for call in calls if call.status == 200} == {chosen['model']}
