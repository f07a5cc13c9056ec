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
from soul.mind.tools.mcp import McpServers
from soul.signals import ActState, AuthorizeAnswer, ReceiptAnswer

SERVER = Path(__file__).resolve().parents[3] / 'support' / 'mcp_server.py'


class ToolContext:
    """ToolContext whose guard grants everything."""

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
        connected = McpServers(mcp_file.read(write(tmp_path, servers)), troubles.append)
        tools = await connected.tools()
        hands, box = ToolContext(), Toolbox(tools)
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


def serve(port=0):
    """Start the server over HTTP; returns the process and its address."""
    process = subprocess.Popen(
        [sys.executable, str(SERVER), 'http', str(port)], stdout=subprocess.PIPE, text=True
    )
    return process, process.stdout.readline().strip()


async def answers(url):
    port = int(url.split(':')[2].split('/')[0])
    while True:
        try:
            _, writer = await asyncio.open_connection('127.0.0.1', port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return port


def end(process):
    process.kill()
    process.wait(10)
    process.stdout.close()


def test_over_http(tmp_path):
    process, url = serve()
    try:
        asyncio.run(asyncio.wait_for(answers(url), 30))
        tools, results, _, _ = use(
            tmp_path,
            {'house': {'url': url, 'headers': {'X-Token': 'x'}}},
            ('house__add', {'a': 1, 'b': 2}),
        )
        assert len(tools) == 4
        assert results[0].text == '3'
    finally:
        end(process)


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


ODD = Path(__file__).resolve().parents[3] / 'support' / 'odd_mcp_server.py'


def odd(tmp_path, tools, calls=None):
    """A server that answers as told, also what the SDK's own servers never would."""
    answers = tmp_path / 'answers.json'
    answers.write_text(json.dumps({'tools/list': {'tools': tools}, 'calls': calls or {}}))
    return {'command': sys.executable, 'args': [str(ODD), str(answers)]}


PLAIN = {'type': 'object', 'properties': {'a': {'type': 'string'}}}
WELL = {'name': 'well', 'inputSchema': PLAIN}


@pytest.mark.parametrize(
    ('tool', 'word'),
    [
        ({'name': 'odd'}, ''),
        ({'name': 'odd', 'inputSchema': None}, ''),
        ({'name': 'odd', 'inputSchema': 'none'}, 'odd'),
        ({'name': 'odd', 'inputSchema': {'$ref': '#'}}, 'without end'),
        (
            {'name': 'odd', 'inputSchema': {'properties': {'a': {'$ref': 'http://127.0.0.1:1/'}}}},
            'not fetched',
        ),
        ({'name': 'odd', 'inputSchema': {'properties': {'a': {'pattern': '(['}}}}, 'regex'),
        ({'name': 'odd', 'inputSchema': {'properties': 7}}, 'object'),
        ({'name': 'odd', 'inputSchema': {'description': 'x' * 30_000}}, 'characters'),
        ({'name': 'odd', 'description': 5, 'inputSchema': {}}, ''),
    ],
)
def test_a_tool_with_an_odd_schema_is_hers_and_takes_anything(tmp_path, tool, word):
    """found 59: a tool without a schema kept her from starting, others failed every turn."""
    told = {'content': [{'type': 'text', 'text': 'done'}]}
    server = odd(tmp_path, [tool, WELL], {'odd': told, 'well': told})
    tools, results, _, troubles = use(
        tmp_path, {'n': server}, ('n__odd', {'b': [1]}), ('n__well', {'a': 1})
    )
    assert [t.name for t in tools] == ['n__odd', 'n__well']
    assert results[0].text == 'done'
    assert 'did not run' in results[1].text, 'a good schema is still held to'
    schema = tools[0].schema()['function']['parameters']
    assert schema['type'] == 'object'
    assert '$ref' not in json.dumps(schema)
    if word:
        assert any("'n'" in text and word in text for text in troubles), troubles


@pytest.mark.parametrize('tool', [5, None, {}, {'name': 5}, {'name': ''}, {'inputSchema': PLAIN}])
def test_what_is_no_tool_is_left_out_and_the_others_stay(tmp_path, tool):
    """found 59: one wrong entry of a list lost all of them."""
    tools, _, _, troubles = use(tmp_path, {'n': odd(tmp_path, [tool, WELL])})
    assert [t.name for t in tools] == ['n__well']
    assert any("'n'" in text and 'left out' in text for text in troubles)


def test_an_answer_that_is_no_list_of_tools_names_the_server(tmp_path):
    """found 59: she did not start, and nothing said which server it was."""
    answers = tmp_path / 'answers.json'
    answers.write_text(json.dumps({'tools/list': {'tools': 'many'}}))
    servers = {'n': {'command': sys.executable, 'args': [str(ODD), str(answers)]}}
    tools, _, _, troubles = use(tmp_path, servers)
    assert tools == []
    assert any("'n'" in text for text in troubles)


def test_a_catastrophic_pattern_costs_the_call_and_not_her(tmp_path, monkeypatch):
    """found 45: no answer in 10 s under a schema with such a pattern."""
    monkeypatch.setattr('soul.mind.tools.mcp.CHECK_SECONDS', 2.0)
    schema = {'type': 'object', 'properties': {'a': {'pattern': '^(a+)+$'}}}
    server = odd(tmp_path, [{'name': 'odd', 'inputSchema': schema}])
    _, results, hands, _ = use(tmp_path, {'n': server}, ('n__odd', {'a': 'a' * 50 + '!'}))
    assert 'could not be checked' in results[0].text
    assert not hands.asked


def test_there_are_never_too_many_tools(tmp_path):
    """found 59: 3,000 tools were sent in every request."""
    tools, _, _, troubles = use(
        tmp_path, {'n': odd(tmp_path, [{'name': f't{n:04}'} for n in range(3000)])}
    )
    assert len(tools) == 96
    assert any('2904 of them are left out' in text for text in troubles)


@pytest.mark.parametrize(
    ('result', 'text'),
    [
        ({'content': [], 'structuredContent': {'grade': 7}}, '{"grade": 7}'),
        ({'structuredContent': {'grade': 7}}, '{"grade": 7}'),
        (
            {
                'content': [
                    {
                        'type': 'resource',
                        'resource': {'uri': 'file:///a.txt', 'text': 'what stands there'},
                    }
                ]
            },
            'what stands there',
        ),
        (
            {'content': [{'type': 'resource_link', 'uri': 'file:///b.txt', 'name': 'b'}]},
            'file:///b.txt',
        ),
    ],
)
def test_every_kind_of_result_is_read(tmp_path, result, text):
    """found 15: structuredContent alone became "(nothing)", a resource lost its text."""
    server = odd(tmp_path, [{'name': 'odd'}], {'odd': result})
    _, results, _, _ = use(tmp_path, {'n': server}, ('n__odd', {}))
    assert text in results[0].text


def test_an_answer_that_is_no_message_leaves_doubt_at_once(tmp_path):
    """found 59: half a character in an answer: the SDK drops it, and she waited 100 s."""
    half = {'content': [{'type': 'text', 'text': 'half \ud83d'}]}
    told = {'odd': half, 'well': {'content': []}}
    server = odd(tmp_path, [{'name': 'odd'}, {'name': 'well'}], told)
    _, results, hands, _ = use(tmp_path, {'n': server}, ('n__odd', {}), ('n__well', {}))
    assert 'may have happened' in results[0].text
    assert hands.states()[0] == ActState.UNCERTAIN
    assert results[1].ok


@pytest.mark.parametrize('off', [{'disabled': True}, {'enabled': False}])
def test_a_server_that_is_switched_off_is_not_started(tmp_path, off):
    """found 15: `"disabled": true` was started all the same."""
    path = write(tmp_path, {'off': {'command': '/nowhere', **off}, 'on': stdio(), 'later': off})
    assert list(mcp_file.read(path)) == ['on']


@pytest.mark.parametrize('encoding', ['utf-8-sig', 'utf-16'])
def test_a_file_of_an_editor_on_windows_is_read(tmp_path, encoding):
    """found 15: a file with a byte order mark refused the start."""
    path = tmp_path / 'mcp.json'
    path.write_bytes(json.dumps({'mcpServers': {'n': stdio()}}).encode(encoding))
    assert list(mcp_file.read(str(path))) == ['n']


def test_a_server_that_was_begun_anew_is_found_again(tmp_path):
    """found 15: after a restart of an HTTP server it was "Session not found" for ever."""

    async def life():
        process, url = serve()
        port = await answers(url)
        troubles = []
        servers = McpServers(mcp_file.read(write(tmp_path, {'h': {'url': url}})), troubles.append)
        box = Toolbox(await servers.tools())
        add = ToolCall('c', 'h__add', '{"a": 1, "b": 2}')
        assert (await box.use(add, ToolContext())).text == '3'
        end(process)
        process, url = serve(port)
        await answers(url)
        texts = [(await box.use(add, ToolContext())).text for _ in range(3)]
        await servers.close()
        end(process)
        return texts

    texts = asyncio.run(asyncio.wait_for(life(), 90))
    assert texts[-1] == '3'
    assert texts.count('3') >= 2, texts


def test_a_server_that_is_down_at_the_start_gets_its_tools_later(tmp_path, monkeypatch):
    """found 15: a server that was down at the start never got its tools."""
    monkeypatch.setattr('soul.mind.tools.mcp.AGAIN', 0.2)

    async def life():
        process, url = serve()
        port = await answers(url)
        end(process)
        troubles = []
        servers = McpServers(mcp_file.read(write(tmp_path, {'h': {'url': url}})), troubles.append)
        box = Toolbox(await servers.tools())
        assert box.names() == []
        assert any("'h'" in text and 'looked for again' in text for text in troubles)
        come = asyncio.Event()
        servers.look_for_missing(lambda tools: (box.add(tools), come.set()))
        process, url = serve(port)
        await come.wait()
        result = await box.use(ToolCall('c', 'h__add', '{"a": 1, "b": 2}'), ToolContext())
        names = [tool['function']['name'] for tool in box.schemas()]
        await servers.close()
        end(process)
        return result, names, troubles

    result, names, troubles = asyncio.run(asyncio.wait_for(life(), 90))
    assert result.text == '3'
    assert 'h__add' in names
    assert len([t for t in troubles if 'has no tools' in t]) == 1, 'said once'


def test_schemas_that_are_slow_to_check_do_not_hold_the_start(tmp_path, monkeypatch):
    """found 59: checking has a limit of its own for all of them together."""
    monkeypatch.setattr('soul.mind.tools.mcp.SCHEMAS_SECONDS', 0.0)
    tools, _, _, troubles = use(tmp_path, {'n': odd(tmp_path, [WELL, {'name': 'b'}])})
    assert [t.name for t in tools] == ['n__b', 'n__well']
    assert all('took too long' in text for text in troubles)
    assert troubles
