"""What strict servers demand of a history: one table, applied when sending."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soul.mind.providers.demands import OPENAI_CHAT, Conformer, Demands, conforming
from soul.mind.providers.openai import OpenAI
from soul.mind.transcript import problems
from soul.signals import Outcome
from support.minds import World, calls, make, message, until, view
from support.provider import FakeServer, call

pytestmark = pytest.mark.usefixtures('quick_disk')


def strict(messages):
    """What the strictest server of this protocol says of a request; empty: it takes it."""
    found = problems([m for m in messages if m['role'] != 'system'])
    history = [m for m in messages if m['role'] != 'system']
    turn = 0  # as the templates of Mistral count: users and answers without calls
    for number, one in enumerate(history):
        plain = one['role'] == 'assistant' and not one.get('tool_calls')
        if one['role'] == 'user' or plain:
            if (one['role'] == 'user') != (turn % 2 == 0):
                found.append(f'message {number}: roles must alternate')
            turn += 1
        if number and history[number - 1]['role'] == 'tool' and one['role'] == 'user':
            found.append(f'message {number}: unexpected role user after role tool')
        for one_call in one.get('tool_calls') or ():
            if not (len(one_call['id']) == 9 and one_call['id'].isalnum()):
                found.append(f'message {number}: tool call id {one_call["id"]!r}')
    try:
        json.dumps(messages, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        found.append(str(error))
    if '\\u0000' in json.dumps(messages):
        found.append('a NUL')
    return found


def test_a_strict_server_takes_every_waking(tmp_path):
    """found 6: servers that want roles in turn and ids of nine refused from the second waking."""
    refused = []

    def behave(body):
        wrong = strict(body['messages'])
        if wrong:
            refused.append(wrong)
            return 400, json.dumps({'error': {'message': '; '.join(wrong)}})
        if body['messages'][-1]['role'] == 'tool':
            return {'content': 'done', 'tool_calls': [call('sleep', {})]}
        return {'tool_calls': [call('diary', {'text': 'x'}, 0), call('look', {}, 1)]}

    async def life():
        server = FakeServer(behave)
        world = World()
        mind = make(tmp_path, OpenAI(server.url, 'm'), world)
        mind.start()
        mind.activate()
        for number in range(1, 5):
            mind.on_view(view(number, message(number)))
            await until(lambda n=number: len(world.turns) == n, 15.0)
        await mind.close()
        server.close()
        return world

    world = asyncio.run(asyncio.wait_for(life(), 60))
    assert not refused
    assert [t.outcome for t in world.turns] == [Outcome.SLEPT] * 4


PIECES = st.sampled_from(['', ' ', 'a', 'hm', '\ud83d', '\ude00', 'x\0y', '…'])
IDS = st.sampled_from(['', 'call_1', 'abcdefghi', 'toolong-' * 6, 'said-3-0', 'é', '123456789'])
CALLS = st.fixed_dictionaries(
    {
        'id': IDS,
        'type': st.just('function'),
        'function': st.fixed_dictionaries(
            {
                'name': st.sampled_from(['look', 'diary', '']),
                'arguments': st.sampled_from(['{}', '', '{"a"', 'null', '[1]', '"\ud83d"']),
            }
        ),
    }
)
MESSAGES = st.one_of(
    st.fixed_dictionaries({'role': st.just('user'), 'content': PIECES}),
    st.fixed_dictionaries(
        {'role': st.just('assistant'), 'content': PIECES},
        optional={'tool_calls': st.lists(CALLS, max_size=3)},
    ),
    st.fixed_dictionaries({'role': st.just('tool'), 'tool_call_id': IDS, 'content': PIECES}),
)


@given(st.lists(MESSAGES, max_size=12))
@settings(max_examples=400, deadline=None)
def test_any_history_conforms_and_what_conforms_stays(history):
    """found 5, 6: roles, ids, empty texts, half characters, order of results."""
    system = {'role': 'system', 'content': 'who she is'}
    sent = conforming([system, *history], OPENAI_CHAT)
    assert sent[0] == system
    assert not strict(sent)
    assert conforming(sent, OPENAI_CHAT) == sent


@given(st.lists(MESSAGES, min_size=1, max_size=10), st.lists(MESSAGES, max_size=6))
@settings(max_examples=200, deadline=None)
def test_what_was_sent_stays_the_beginning_of_what_is_sent_later(history, more):
    """A provider's cache serves a beginning that is the same to the byte."""
    history = [{'role': 'user', 'content': 'v'}, *history, {'role': 'assistant', 'content': 'end'}]
    first = conforming(history, OPENAI_CHAT)[:-1]
    later = conforming([*history, {'role': 'user', 'content': 'w'}, *more], OPENAI_CHAT)
    assert later[: len(first)] == first


@given(st.lists(st.lists(MESSAGES, min_size=1, max_size=5), min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_a_history_that_grows_is_sent_as_if_it_were_new(parts):
    """What was brought into form once is not done again, and nothing comes out differently."""
    conformer, history = Conformer(OPENAI_CHAT), []
    system = {'role': 'system', 'content': 'who she is'}
    for part in parts:
        history = [*history, *part]
        assert conformer.conform([system, *history]) == conforming([system, *history], OPENAI_CHAT)
    shorter = history[1:]  # the oldest went
    assert conformer.conform([system, *shorter]) == conforming([system, *shorter], OPENAI_CHAT)


def test_ids_that_a_server_reads_stay_and_others_are_always_the_same():
    """found 6: nine letters and digits; Kimi's own form is kept."""
    said = calls(('look', '{}')).calls[0]
    history = [
        {'role': 'user', 'content': 'v'},
        *(
            m
            for call_id in ('functions.look:0', 'abcdefghi', said.id)
            for m in (
                {
                    'role': 'assistant',
                    'content': '',
                    'tool_calls': [
                        {
                            'id': call_id,
                            'type': 'function',
                            'function': {'name': 'look', 'arguments': '{}'},
                        }
                    ],
                },
                {'role': 'tool', 'tool_call_id': call_id, 'content': 'seen'},
            )
        ),
    ]
    sent = conforming(history, OPENAI_CHAT)
    ids = [c['id'] for m in sent for c in m.get('tool_calls') or ()]
    assert ids[:2] == ['functions.look:0', 'abcdefghi']
    assert len(ids[2]) == 9
    assert ids == [m['tool_call_id'] for m in sent if m['role'] == 'tool']
    assert conforming(history, OPENAI_CHAT) == sent
    free = conforming(history, Demands(turns=False))
    assert [c['id'] for m in free for c in m.get('tool_calls') or ()][2] == said.id
