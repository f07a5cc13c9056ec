"""The official clients of each protocol: their types take her requests, and they read as she does.

`make sdks` installs them; without them this is skipped.
"""

import json

import pytest
from hypothesis import given, settings
from pydantic import TypeAdapter, ValidationError

from soul.mind.providers.base import Request
from soul.signals import View
from support.asking import SYSTEM, TOOLS, adapter, ask
from support.histories import HISTORIES
from support.messages import user
from support.model_server import ModelServer, answering, split
from support.protocols import ANSWER, Said

openai = pytest.importorskip('openai', reason='the extra model-sdks is not installed')
anthropic = pytest.importorskip('anthropic', reason='the extra model-sdks is not installed')
genai = pytest.importorskip('google.genai', reason='the extra model-sdks is not installed')

# --- requests -----------------------------------------------------------------------------


def _types(protocol):
    """What checks a request by the official types; it forbids what they do not know."""
    if protocol == 'chat':
        from openai.types.chat import completion_create_params as params

        return params.CompletionCreateParamsStreaming
    if protocol == 'responses':
        from openai.types.responses import response_create_params as params

        return params.ResponseCreateParamsStreaming
    from anthropic.types import message_create_params as params

    return params.MessageCreateParamsStreaming


def _checked(protocol, body):
    """Raise ValidationError, or whatever the official types raise, if they do not take it."""
    if protocol == 'gemini':
        from google.genai import types

        [types.Content.model_validate(content) for content in body['contents']]
        for tool in body.get('tools', ()):
            types.Tool.model_validate(tool)
        if 'systemInstruction' in body:
            types.Content.model_validate(body['systemInstruction'])
        types.GenerateContentConfig.model_validate(body.get('generationConfig', {}))
        assert body.keys() <= {'contents', 'tools', 'systemInstruction', 'generationConfig'}
        return
    checker = CHECKERS.get(protocol)
    if checker is None:
        checker = CHECKERS[protocol] = TypeAdapter(_types(protocol))
    given = _read_whole(body)
    given = {k: v for k, v in given.items() if k not in UNTYPED.get(protocol, ())}
    read = _all(checker.validate_python(given))
    assert _fields(given) == _fields(read), 'no field that the protocol does not have'


def _all(value):
    """Read what is only looked at when it is asked for."""
    if isinstance(value, dict):
        return {key: _all(v) for key, v in value.items()}
    if isinstance(value, (str, bytes)) or not hasattr(value, '__iter__'):
        return value
    return [_all(v) for v in value]


def _fields(value):
    if isinstance(value, dict):
        return {key: _fields(v) for key, v in value.items()}
    return [_fields(v) for v in value] if isinstance(value, list) else None


CHECKERS = {}
#: Of these the official types say less than the servers take; their documentation has them.
BEYOND = {'reasoning_content', 'reasoning_details'}
#: The newest models of Anthropic take none, and are sent none from then on.
UNTYPED = {'anthropic': {'temperature'}}


def _read_whole(value):
    """Without what some servers of chat completions have beyond the official types."""
    if isinstance(value, dict):
        return {k: _read_whole(v) for k, v in value.items() if k not in BEYOND}
    return [_read_whole(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize('protocol', ['chat', 'responses', 'anthropic', 'gemini'])
@given(history=HISTORIES)
@settings(max_examples=80, deadline=None)
def test_the_official_types_take_any_request(protocol, history):
    request = Request([SYSTEM, user(), *history], TOOLS, View(), 0, stable=[1, 2])
    _checked(protocol, adapter(protocol).body(request, True))


@pytest.mark.parametrize('protocol', ['chat', 'responses', 'anthropic', 'gemini'])
def test_the_official_types_refuse_what_is_wrong(protocol):
    """Or the test above would show nothing."""
    body = adapter(protocol).body(Request([SYSTEM, user()], TOOLS, View(), 0), True)
    name = {'responses': 'input', 'gemini': 'contents'}.get(protocol, 'messages')
    with pytest.raises(ValidationError):
        _checked(protocol, {**body, name: [{'role': 'user', 'nonsense': 1, 'content': 5}]})


# --- answers ------------------------------------------------------------------------------


def _arguments(text):
    return json.loads(text or '{}')


def _by_openai(url, streamed):
    client = openai.OpenAI(base_url=url, api_key='x', max_retries=0)
    given = {'model': 'm', 'messages': [{'role': 'user', 'content': 'hi'}]}
    if not streamed:
        answer = client.chat.completions.create(**given)
        message, usage = answer.choices[0].message, answer.usage
        calls = [(c.id, c.function.name, c.function.arguments) for c in message.tool_calls or ()]
        text = message.content or ''
        thought = getattr(message, 'reasoning_content', '')
    else:
        text, thought, calls, usage = '', '', [], None
        options = {'include_usage': True}
        for chunk in client.chat.completions.create(**given, stream=True, stream_options=options):
            usage = chunk.usage or usage
            for choice in chunk.choices:
                text += choice.delta.content or ''
                thought += getattr(choice.delta, 'reasoning_content', None) or ''
                for call in choice.delta.tool_calls or ():
                    if call.id:
                        calls.append([call.id, call.function.name, ''])
                    calls[call.index][2] += call.function.arguments or ''
    read = (
        usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens,
    )  # fmt: skip
    return text, thought, calls, read


def _by_responses(url, streamed):
    client = openai.OpenAI(base_url=url, api_key='x', max_retries=0)
    if streamed:
        with client.responses.stream(model='m', input='hi') as stream:
            for _ in stream:
                pass
            answer = stream.get_final_response()
    else:
        answer = client.responses.create(model='m', input='hi')
    thought = ''.join(
        part.text for item in answer.output if item.type == 'reasoning' for part in item.summary
    )
    calls = [(i.call_id, i.name, i.arguments) for i in answer.output if i.type == 'function_call']
    usage = answer.usage
    read = (
        usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens,
    )  # fmt: skip
    return answer.output_text, thought, calls, read


def _by_anthropic(url, streamed):
    client = anthropic.Anthropic(base_url=url, api_key='x', max_retries=0)
    given = {'model': 'm', 'max_tokens': 9, 'messages': [{'role': 'user', 'content': 'hi'}]}
    if streamed:
        with client.messages.stream(**given) as stream:
            answer = stream.get_final_message()
    else:
        answer = client.messages.create(**given)
    text = ''.join(b.text for b in answer.content if b.type == 'text')
    thought = ''.join(b.thinking for b in answer.content if b.type == 'thinking')
    calls = [(b.id, b.name, json.dumps(b.input)) for b in answer.content if b.type == 'tool_use']
    usage = answer.usage
    whole = usage.input_tokens + usage.cache_read_input_tokens
    whole += usage.cache_creation_input_tokens
    return text, thought, calls, (whole, usage.cache_read_input_tokens, usage.output_tokens)


def _by_gemini(url, streamed):
    options = genai.types.HttpOptions(base_url=url, api_version='')
    client = genai.Client(api_key='x', http_options=options)
    if streamed:
        answers = list(client.models.generate_content_stream(model='m', contents='hi'))
    else:
        answers = [client.models.generate_content(model='m', contents='hi')]
    parts = [p for a in answers for c in a.candidates for p in c.content.parts or ()]
    text = ''.join(p.text for p in parts if p.text and not p.thought)
    thought = ''.join(p.text for p in parts if p.text and p.thought)
    made = [p.function_call for p in parts if p.function_call]
    calls = [(c.id, c.name, json.dumps(c.args)) for c in made]
    usage = answers[-1].usage_metadata
    out = usage.candidates_token_count + usage.thoughts_token_count
    read = (usage.prompt_token_count, usage.cached_content_token_count, out)
    return text, thought, calls, read


#: How each official client reads an answer, and what stands before the paths of its protocol.
CLIENTS = {
    'chat': (_by_openai, ''),
    'responses': (_by_responses, ''),
    'anthropic': (_by_anthropic, ''),
    'gemini': (_by_gemini, ''),
}
SAID = [ANSWER, Said('only words'), Said('', '', (('call_x', 'look', '{}'),)), Said('x' * 999)]


@pytest.mark.parametrize('protocol', CLIENTS)
@pytest.mark.parametrize('streamed', [True, False])
@pytest.mark.parametrize('said', SAID)
def test_the_official_client_reads_the_same_from_the_same_bytes(protocol, streamed, said):
    def behave(body, number):
        sends = answering(protocol, said, streamed)
        return split(sends, 11)

    read_by, _ = CLIENTS[protocol]
    with ModelServer(behave) as server:
        text, thought, calls, (read, cached, out) = read_by(server.url, streamed)
    ours, _ = ask(protocol, behave, stream=streamed)
    assert (ours.text, ours.reasoning) == (text, thought or '')
    assert [(c.id, c.name, _arguments(c.arguments)) for c in ours.calls] == [
        (call_id, name, _arguments(arguments)) for call_id, name, arguments in calls
    ]
    usage = ours.usage
    assert (usage.tokens_in, usage.cached, usage.tokens_out) == (read, cached, out)
