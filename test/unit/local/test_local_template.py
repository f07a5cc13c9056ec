"""What the local model reads: a real waking through its chat template."""

import asyncio
import json
import re

import jinja2
import pytest

from soul.mind.kept_messages import to_plain
from soul.mind.messages import SystemMessage, UserMessage
from soul.mind.providers.base import Completion
from soul.mind.text_tool_calls import calls_in
from soul.text.resources import resource
from support.minds import Player, World, calls, make, message, view


def rendered(messages, tools=(), more=True, trim=True):
    """Render as llama.cpp does it."""
    environment = jinja2.Environment(trim_blocks=trim, lstrip_blocks=trim, autoescape=False)
    environment.filters['tojson'] = lambda value: json.dumps(value, ensure_ascii=False)
    template = environment.from_string(resource('local/chat.jinja').read_text('utf-8'))
    plain = [to_plain(message) for message in messages]
    return template.render(messages=plain, tools=list(tools), add_generation_prompt=more)


def blocks(text):
    """Split into (role, content); an open block at the end has the role `open`."""
    found = re.findall(r'<\|im_start\|>(\w+)\n(.*?)(<\|im_end\|>\n|\Z)', text, re.S)
    assert ''.join(f'<|im_start|>{r}\n{c}{e}' for r, c, e in found) == text, 'nothing in between'
    return [(role if end else 'open', content) for role, content, end in found]


@pytest.fixture
def requests(tmp_path):
    """What a waking with two steps sends, and the beginning of the next one."""

    async def live():
        world = World()
        player = Player(
            calls(('diary', json.dumps({'text': 'a "quoted" day'})), text='hm'),
            calls(('reply', '{"text": "hello\\nyou"}'), ('sleep', '{}')),
            calls(('reply', '{"text": "yes"}'), ('sleep', '{}')),
        )
        mind = make(tmp_path, player, world, context_window=8192)
        mind.start()
        mind.activate()
        for number in (1, 2):
            mind.on_view(view(number, message(number, f'message {number}')))
            while len(world.turns) < number:
                await asyncio.sleep(0)
        await mind.close()
        return player.requests

    return asyncio.run(live())


def test_structure_of_a_waking(requests):
    first, second, next_one = requests[:3]
    read = blocks(rendered(first.messages, first.tools))
    assert [role for role, _ in read] == ['system', 'user', 'open']
    assert read[0][1].startswith(first.messages[0].text)
    shown = read[0][1].partition('<tools>\n')[2].partition('\n</tools>')[0].splitlines()
    assert [json.loads(line) for line in shown] == [tool['function'] for tool in first.tools]
    assert read[1][1] == first.messages[1].text
    assert read[2][1] == '<call>\n', 'it begins with a call'

    read = blocks(rendered(second.messages, second.tools))
    assert [role for role, _ in read] == ['system', 'user', 'assistant', 'user', 'open']
    call = re.fullmatch(r'hm\n<call>\n(.*)\n</call>', read[2][1])[1]
    assert json.loads(call) == {'name': 'diary', 'arguments': {'text': 'a "quoted" day'}}
    assert read[3][1].startswith('<result>\n')

    read = blocks(rendered(next_one.messages, next_one.tools))
    assert [role for role, _ in read] == [
        *('system', 'user', 'assistant', 'user', 'assistant', 'user', 'user', 'open')
    ]
    assert read[4][1].count('<call>') == 2
    assert read[5][1].count('<result>') == 2


def test_each_step_continues_what_the_server_has_read(requests):
    """Also the tools come before anything that changes: or nothing is served from its cache."""
    texts = [rendered(r.messages, r.tools, more=False) for r in requests[:3]]
    assert texts[1].startswith(texts[0])
    system = texts[0].index('<|im_start|>user')
    assert texts[2][:system] == texts[0][:system]


def test_what_the_model_writes_is_read_back_as_it_was_written():
    reply = '{"name": "reply", "arguments": {"text": "hi"}}'
    text = f'{reply}\n</call>\n<call>\n{{"name": "sleep"}}\n</call>'
    found = calls_in(Completion(text), ('reply', 'sleep'), 'x')
    assert [(c.name, json.loads(c.arguments)) for c in found.calls] == [
        ('reply', {'text': 'hi'}),
        ('sleep', {}),
    ]
    assert found.text == ''


def test_without_tools_nothing_asks_for_a_call():
    read = rendered([SystemMessage('S'), UserMessage('U')])
    assert blocks(read) == [('system', 'S'), ('user', 'U'), ('open', '')]


def test_engines_that_keep_the_templates_own_line_ends_read_the_same(requests):
    for request in requests:
        kept = rendered(request.messages, request.tools, trim=False)
        assert kept == rendered(request.messages, request.tools)
