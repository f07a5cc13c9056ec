"""What strict servers demand of a history: one table, applied when sending."""

import asyncio
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soul.mind.messages import (
    AssistantMessage,
    ShownPicture,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from soul.mind.providers.demands import (
    ANTHROPIC,
    GEMINI,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    Conformer,
    Demands,
    conforming,
)
from soul.mind.providers.openai import OpenAI
from soul.mind.transcript import problems
from soul.signals import Outcome
from support.messages import assistant, typed, user
from support.minds import World, calls, make, message, until, view
from support.provider import FakeServer, call

pytestmark = pytest.mark.usefixtures('quick_disk')


def strict(messages, demands=OPENAI_CHAT):
    """What the strictest server of a protocol says of a request; empty: it takes it."""
    history = [m for m in messages if not isinstance(m, SystemMessage)]
    found = problems(history)
    if demands.user_first and history and not isinstance(history[0], UserMessage):
        found.append('it does not begin with a user')
    turn = 0  # as the templates of Mistral count: users and answers without calls
    for number, one in enumerate(history):
        calls = one.calls if isinstance(one, AssistantMessage) else ()
        if one.role == 'user' or (one.role == 'assistant' and not calls):
            if demands.turns and (one.role == 'user') != (turn % 2 == 0):
                found.append(f'message {number}: roles must alternate')
            turn += 1
        if demands.turns and number and one.role == 'user' and history[number - 1].role == 'tool':
            found.append(f'message {number}: unexpected role user after role tool')
        if one.role == 'tool' and one.pictures and not demands.result_pictures:
            found.append(f'message {number}: pictures in a result')
        for made in calls:
            if not re.fullmatch(f'(?:{demands.id_form})|(?:{demands.id_kept})', made.id):
                found.append(f'message {number}: tool call id {made.id!r}')
            if not re.fullmatch('[A-Za-z_][A-Za-z0-9_-]{0,63}', made.name):
                found.append(f'message {number}: tool {made.name!r}')
    try:
        json.dumps([repr(m) for m in messages], ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        found.append(str(error))
    if '\\x00' in repr(messages):
        found.append('a NUL')
    return found


def test_a_strict_server_takes_every_waking(tmp_path):
    """found 6: servers that want roles in turn and ids of nine refused from the second waking."""
    refused = []

    def behave(body):
        wrong = strict([typed(one) for one in body['messages']])
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
CALLS = st.builds(
    ToolCall,
    IDS,
    st.sampled_from(['look', 'diary', '', 'fly away!', '7']),
    st.sampled_from(['{}', '', '{"a"', 'null', '[1]', '"\ud83d"', '{"a": NaN}', '{"a": 1e999}']),
)
PICTURES = st.sampled_from([(), (ShownPicture('png', 'AAAA'),)])
MESSAGES = st.one_of(
    st.builds(UserMessage, PIECES, PICTURES),
    st.builds(AssistantMessage, PIECES, st.lists(CALLS, max_size=3).map(tuple)),
    st.builds(ToolResult, IDS, PIECES, PICTURES, st.just('seen')),
    st.builds(SystemMessage, PIECES),
)
DEMANDS = [OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC, GEMINI]


@pytest.mark.parametrize('demands', DEMANDS)
@given(history=st.lists(MESSAGES, max_size=12))
@settings(max_examples=200, deadline=None)
def test_any_history_conforms_and_what_conforms_stays(demands, history):
    """found 5, 6: roles, ids, empty texts, half characters, order of results."""
    system = SystemMessage('who she is')
    sent = conforming([system, *history], demands)
    assert sent[0].text.startswith(system.text)
    head = next((n for n, m in enumerate(sent) if not isinstance(m, SystemMessage)), len(sent))
    assert not strict(sent[head:], demands)
    assert conforming(sent, demands) == sent


@pytest.mark.parametrize('demands', DEMANDS)
@given(history=st.lists(MESSAGES, min_size=1, max_size=10), more=st.lists(MESSAGES, max_size=6))
@settings(max_examples=100, deadline=None)
def test_what_was_sent_stays_the_beginning_of_what_is_sent_later(demands, history, more):
    """A provider's cache serves a beginning that is the same to the byte."""
    history = [UserMessage('v'), *history, AssistantMessage('end')]
    first = conforming(history, demands)[:-1]
    later = conforming([*history, UserMessage('w'), *more], demands)
    assert later[: len(first)] == first


@pytest.mark.parametrize('demands', DEMANDS)
@given(parts=st.lists(st.lists(MESSAGES, min_size=1, max_size=5), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_a_history_that_grows_is_sent_as_if_it_were_new(demands, parts):
    """What was brought into form once is not done again, and nothing comes out differently."""
    conformer, history = Conformer(demands), []
    system = SystemMessage('who she is')
    for part in parts:
        history = [*history, *part]
        assert conformer.conform([system, *history]) == conforming([system, *history], demands)
    shorter = history[1:]  # the oldest went
    assert conformer.conform([system, *shorter]) == conforming([system, *shorter], demands)


def test_ids_that_a_server_reads_stay_and_others_are_always_the_same():
    """found 6: nine letters and digits; Kimi's own form is kept."""
    said = calls(('look', '{}')).calls[0]
    history = [user('v')]
    for call_id in ('functions.look:0', 'abcdefghi', said.id):
        history += [assistant(call_id), ToolResult(call_id, 'seen')]
    sent = conforming(history, OPENAI_CHAT)
    ids = [c.id for m in sent if m.role == 'assistant' for c in m.calls]
    assert ids[:2] == ['functions.look:0', 'abcdefghi']
    assert len(ids[2]) == 9
    assert ids == [m.call_id for m in sent if m.role == 'tool']
    assert conforming(history, OPENAI_CHAT) == sent
    free = conforming(history, Demands(turns=False))
    assert [c.id for m in free if m.role == 'assistant' for c in m.calls][2] == said.id


def test_pictures_of_results_stand_behind_all_of_them_where_none_may_hold_one():
    """Two calls at once of which the first shows something: the second's result was lost."""
    shown = ToolResult('aaaaaaaaa', 'seen', (ShownPicture('png', 'AAAA'),), 'what look showed')
    history = [user(), assistant('aaaaaaaaa', 'bbbbbbbbb'), shown, ToolResult('bbbbbbbbb', 'too')]
    sent = conforming(history, OPENAI_CHAT)
    assert [(m.role, m.text) for m in sent[2:]] == [
        ('tool', 'seen'),
        ('tool', 'too'),
        ('assistant', '…'),
        ('user', 'what look showed'),
    ]
    assert sent[-1].pictures == shown.pictures
    assert conforming(history, ANTHROPIC) == history
