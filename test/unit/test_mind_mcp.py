"""Tools of real MCP servers, over stdio and over HTTP."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('mcp', reason='the extra mcp is not installed')

from soul.mind.providers.base import ToolCall
from soul.mind.tools import mcp_file
from soul.mind.tools.base import Toolbox
from soul.mind.tools.mcp import Servers
from soul.signals import ActState, AuthorizeAnswer, ReceiptAnswer

SERVER = Path(__file__).resolve().parents[1] / 'support' / 'mcp_server.py'


class Hands:
    """Hands whose guard grants everything."""

    session = ''

    def __init__(self):
        self.asked = []

    async def ask(self, to, request, seconds=5.0):
        self.asked.append((to, request))
        if to == 'guard/authorize':
            return AuthorizeAnswer(True, False, f'g{len(self.asked)}', 0.0)
        return ReceiptAnswer(True)

    def states(self):
        return [r.state for to, r in self.asked if to == 'guard/receipt']


def write(tmp_path, servers):
    path = tmp_path / 'mcp.json'
    path.write_text(json.dumps({'mcpServers': servers}))
    return str(path)


def stdio(**more):
    return {'command': sys.executable, 'args': [str(SERVER)], **more}


def use(tmp_path, servers, *wanted):
    """Connect, use tools; returns the tools, the results, the hands and the troubles."""

    async def life():
        troubles = []
        connected = Servers(mcp_file.read(write(tmp_path, servers)), troubles.append)
        tools = await connected.tools()
        hands, box = Hands(), Toolbox(tools)
        results = []
        for name, arguments in wanted:
            results.append(await box.use(ToolCall('c1', name, json.dumps(arguments)), hands))
        await connected.close()
        return tools, results, hands, troubles

    return asyncio.run(asyncio.wait_for(life(), 60))


def test_every_tool_of_a_server_is_hers_through_the_guard(tmp_path, monkeypatch):
    monkeypatch.setenv('SOUL_TEST_SECRET', 'from the environment')
    servers = {'my notes': stdio(env={'NOTES_SECRET': '${SOUL_TEST_SECRET}'})}
    tools, results, hands, troubles = use(
        tmp_path,
        servers,
        ('my_notes__add', {'a': 2, 'b': 40}),
        ('my_notes__fail', {'why': 'no reason'}),
        ('my_notes__who_is', {}),
    )
    assert [t.name for t in tools] == [
        'my_notes__add', 'my_notes__die', 'my_notes__fail', 'my_notes__who_is'
    ]  # fmt: skip
    assert all(not t.routine and t.category == 'mcp.my notes' for t in tools)
    schema = tools[0].schema()['function']
    assert schema['description'] == 'Add two numbers.'
    assert set(schema['parameters']['properties']) == {'a', 'b'}
    assert (results[0].text, results[0].ok) == ('42', True)
    assert results[0].receipt
    assert results[0].seen == '42', 'what it shows enters the field'
    assert not results[1].ok
    assert 'no reason' in results[1].text
    assert results[2].text == 'from the environment'
    assert hands.states() == [ActState.DONE, ActState.FAILED, ActState.DONE]
    assert not troubles


def test_arguments_that_do_not_fit_its_schema_never_reach_it(tmp_path):
    _, results, hands, _ = use(
        tmp_path, {'n': stdio()}, ('n__add', {'a': 'two', 'b': 1}), ('n__add', {'a': 1})
    )
    assert 'a: ' in results[0].text
    assert "'b' is a required property" in results[1].text
    assert not hands.asked


def test_a_server_that_dies_in_mid_call_leaves_doubt_and_is_begun_again(tmp_path):
    _, results, hands, troubles = use(
        tmp_path, {'n': stdio()}, ('n__die', {}), ('n__add', {'a': 1, 'b': 1})
    )
    assert not results[0].ok
    assert hands.states()[0] == ActState.UNCERTAIN
    assert results[1].text == '2'
    assert len(troubles) <= 1


def test_over_http(tmp_path):
    process = subprocess.Popen(
        [sys.executable, str(SERVER), 'http'], stdout=subprocess.PIPE, text=True
    )
    try:
        url = process.stdout.readline().strip()

        async def reachable():
            port = int(url.split(':')[2].split('/')[0])
            while True:
                try:
                    _, writer = await asyncio.open_connection('127.0.0.1', port)
                except OSError:
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    return

        asyncio.run(asyncio.wait_for(reachable(), 30))
        tools, results, _, _ = use(
            tmp_path,
            {'house': {'url': url, 'headers': {'X-Token': 'x'}}},
            ('house__add', {'a': 1, 'b': 2}),
        )
        assert len(tools) == 4
        assert results[0].text == '3'
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def test_a_server_that_is_not_there_is_told_of_and_the_others_work(tmp_path):
    tools, results, _, troubles = use(
        tmp_path,
        {'gone': {'command': '/nowhere/at/all'}, 'n': stdio()},
        ('n__add', {'a': 1, 'b': 1}),
    )
    assert len(tools) == 4
    assert results[0].text == '2'
    assert any("'gone'" in text for text in troubles)


@pytest.mark.parametrize(
    ('content', 'word'),
    [
        ('{', 'mcp.json'),
        ('{}', 'mcpServers'),
        ('{"mcpServers": {"a": {}}}', 'command or url'),
        ('{"mcpServers": {"a": {"command": "x", "url": "y"}}}', 'command or url'),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', 'mcpServers.a.args'),
    ],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path, content, word):
    path = tmp_path / 'mcp.json'
    path.write_text(content)
    with pytest.raises(mcp_file.BadServers, match=word):
        mcp_file.read(str(path))
    with pytest.raises(mcp_file.BadServers, match='nothing'):
        mcp_file.read(str(tmp_path / 'nothing.json'))
