"""What tells one waking from another."""

import json

import pytest

from soul.mind.providers.base import Completion, ToolCall
from soul.mind.tools.base import Result
from soul.mind.turn_record import ARGUMENT, WORDS, TurnRecord
from soul.signals import View


def turn(words='', **arguments):
    record = TurnRecord(View(), 1, 1, '', 0.0)
    if words:
        record.thought(Completion(words), 1.0)
    call = ToolCall('c1', 'diary', json.dumps(arguments))
    record.acted(call, None, Result('written'), 1.0)
    return record.turn('slept', 2.0)


@pytest.mark.parametrize(
    ('one', 'other', 'same'),
    [
        ('a' * WORDS, 'a' * WORDS + ' and a tail', True),
        ('a' * (WORDS - 1), 'a' * (WORDS - 1) + 'b', False),
        ('Still  waiting.', 'still waiting.', True),
    ],
)
def test_a_tail_of_a_reply_is_no_other_reply(one, other, same):
    """found 19: what differs past 500 characters of a reply does not count."""
    assert (turn(one).reply_digest == turn(other).reply_digest) == same


@pytest.mark.parametrize(
    ('one', 'other', 'same'),
    [
        ({'text': 'a' * ARGUMENT}, {'text': 'a' * ARGUMENT + '!'}, True),
        ({'text': 'a' * (ARGUMENT - 1)}, {'text': 'a' * (ARGUMENT - 1) + '!'}, False),
        ({'text': 'x', 'n': 1}, {'n': 1, 'text': 'x'}, True),
        ({'n': 1}, {'n': 2}, False),
        ({'list': ['a' * 200, 1]}, {'list': ['a' * 200, 2]}, True),
    ],
)
def test_a_tail_of_an_argument_is_no_other_act(one, other, same):
    """found 19: nor past 80 characters of an argument."""
    assert (turn(**one).calls[0].args_digest == turn(**other).calls[0].args_digest) == same
