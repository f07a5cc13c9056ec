"""Arguments that are almost JSON: mended where the schema takes it, and else an error to read."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from soul.mind.messages import ToolCall
from soul.mind.tools.base import Arguments, Free, Result, Tool, parse
from soul.mind.tools.mending import candidates, mended


class Words(Arguments):
    text: str = Field(min_length=1)
    loud: bool = False
    to: list[str] = []


class Rest(Arguments):
    minutes: float | None = None


async def nothing(given, context):
    return Result('done')


SPEAK = Tool('speak', 'Say it.', Words, nothing, routine=False)
SLEEP = Tool('sleep', 'Rest.', Rest, nothing, routine=True)


def mend(arguments, tool=SPEAK, cut=False):
    return asyncio.run(mended(ToolCall('a', tool.name, arguments, cut), tool)).arguments


@pytest.mark.parametrize(
    ('broken', 'value'),
    [
        ('{"text": "hi"]', {'text': 'hi'}),
        ('{"text": "hi"', {'text': 'hi'}),
        ('{"text": "hi"}}', {'text': 'hi'}),
        ('{"text": "hi",}', {'text': 'hi'}),
        ('{"text": "hi", "to": ["ann", "bob"}', {'text': 'hi', 'to': ['ann', 'bob']}),
        ('{"text": "two\nlines"}', {'text': 'two\nlines'}),
        ("{'text': 'hi', 'loud': True}", {'text': 'hi', 'loud': True}),
        ('```json\n{"text": "hi"}\n```', {'text': 'hi'}),
        ('"{\\"text\\": \\"hi\\"}"', {'text': 'hi'}),
        ('{}{"text": "hi"}', {'text': 'hi'}),
        ('{"text": "hi"}{"text": "hi"}', {'text': 'hi'}),
        ('{"text": "a ] } \\" b"', {'text': 'a ] } " b'}),
    ],
)
def test_what_can_be_told_is_mended(broken, value):
    with pytest.raises(ValueError, match='argument'):
        parse(broken)
    assert json.loads(mend(broken)) == value


@pytest.mark.parametrize(
    'broken',
    [
        '{"text": "hi',  # how would it have gone on?
        '{"text": "hi", "lo',
        '{"text": "hi"}{"text": "ho"}',
        '{"words": "hi"',  # the tool knows no words
        '{"text": ""',
        '{"text": NaN}',
        'hi',
        'text=hi',
        '[1]',
        '0',
        'false',
        '{' * 2000,
        '{"text": ' * 5000,
    ],
)
def test_what_cannot_be_told_stays_as_it_was(broken):
    assert mend(broken) == broken


@pytest.mark.parametrize('broken', ['{', '{]', '{}}', '{"', '}', ',', '{,}', '[]]', 'x'])
def test_a_tool_that_needs_nothing_does_not_run_on_bad_json(broken):
    """A call must not run with empty arguments because its JSON was bad."""
    assert mend(broken, SLEEP) == broken
    with pytest.raises(ValueError, match='argument'):
        parse(broken)


def test_what_a_limit_of_tokens_has_cut_off_is_not_mended():
    assert mend('{"text": "hi"', cut=True) == '{"text": "hi"'


def test_a_tool_without_a_schema_gets_nothing_that_was_mended():
    free = Tool('free', 'x', Free, nothing, routine=True, parameters={'type': 'object'})
    assert mend('{"text": "hi"', free) == '{"text": "hi"'


def test_a_schema_of_somebody_else_decides_too():
    async def check(value):
        return '' if value.get('n') == 1 else 'n must be 1'

    theirs = Tool('t', 'x', Free, nothing, True, parameters={'type': 'object'}, check=check)
    assert json.loads(mend('{"n": 1', theirs)) == {'n': 1}
    assert mend('{"n": 2', theirs) == '{"n": 2'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON, min_size=1), st.booleans())
def test_what_lacks_its_last_brackets_is_what_it_was(value, bare):
    whole = json.dumps(value, ensure_ascii=bare)
    assert value in list(candidates(whole.rstrip('}]')))


@given(st.text(alphabet='{}[]",:\\ a1\n', max_size=30))
def test_nothing_breaks_it(text):
    for value in candidates(text):
        assert isinstance(value, dict)
        json.dumps(value, allow_nan=False)
