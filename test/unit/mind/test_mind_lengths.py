"""Estimates of requests that share a beginning are those of each request alone."""

import random

from hypothesis import given
from hypothesis import strategies as st

from soul.mind import tokens
from soul.mind.messages import SystemMessage, UserMessage
from soul.mind.providers.base import Request
from soul.signals import View


@given(st.integers(0, 2**32))
def test_what_is_kept_from_the_request_before_changes_no_estimate(seed):
    rng = random.Random(seed)
    lengths, history = tokens.Lengths(), []
    tools = [{'name': 'reply'}]
    for _ in range(12):
        kind = rng.random()
        if kind < 0.2 and history:  # the oldest became an account
            history = [UserMessage('before: '), *history[rng.randrange(3) :]]
        elif kind < 0.4:  # the view of the last waking shrank
            history = [*history[:-1], UserMessage('a line')]
        else:
            history = [*history, UserMessage('word ' * rng.randrange(50))]
        messages = [SystemMessage('who she is'), *history]
        request = Request(messages, tools, View(), 0)
        alone = tokens.of_messages(messages) + tokens.of_tools(tools)
        assert lengths.of_request(request) == alone
