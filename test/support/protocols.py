"""What servers of the four protocols send, as their own documentation describes it.

One answer, and its bytes in each protocol: streamed as events, and whole.
"""

import json
from dataclasses import dataclass, field

PROTOCOLS = ('chat', 'responses', 'anthropic', 'gemini')
#: As the signature of a thought: base64, as each protocol wants it.
SIGNATURE = 'c2lnbmVk'


@dataclass(frozen=True)
class Said:
    """An answer of a model; calls are (id, name, arguments as JSON)."""

    text: str = ''
    thought: str = ''
    calls: tuple = ()
    read: int = 120
    cached: int = 100
    written: int = 8
    out: int = 30
    cut: bool = False
    extra: dict = field(default_factory=dict)


ANSWER = Said(
    'Two things at once, 你好 😀.',
    'shall I?',
    (
        ('call_aaaaaaaaa1', 'reply', '{"text": "héllo 😀"}'),
        ('call_aaaaaaaaa2', 'look', '{"at": "left", "n": 2}'),
    ),
)


def event(data, name=''):
    head = f'event: {name}\n' if name else ''
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f'{head}data: {text}\n\n'.encode()


def pieces(text, size=5):
    return [text[start : start + size] for start in range(0, len(text), size)]


# --- chat completions ---------------------------------------------------------------------


def chat_usage(said):
    return {
        'prompt_tokens': said.read,
        'completion_tokens': said.out,
        'total_tokens': said.read + said.out,
        'prompt_tokens_details': {'cached_tokens': said.cached},
    }


def _chat_end(said):
    return 'length' if said.cut else 'tool_calls' if said.calls else 'stop'


def chat_whole(said):
    message = {'role': 'assistant', 'content': said.text or None}
    if said.thought:
        message['reasoning_content'] = said.thought
    if said.calls:
        message['tool_calls'] = [
            {'id': i, 'type': 'function', 'function': {'name': n, 'arguments': a}}
            for i, n, a in said.calls
        ]
    return {
        'id': 'chatcmpl-1',
        'object': 'chat.completion',
        'created': 1,
        'model': 'm',
        'choices': [{'index': 0, 'message': message, 'finish_reason': _chat_end(said)}],
        'usage': chat_usage(said),
    }


def chat_stream(said):
    def chunk(delta=None, **more):
        choices = [] if delta is None else [{'index': 0, 'delta': delta, 'finish_reason': None}]
        if more.get('finish_reason'):
            choices[0]['finish_reason'] = more.pop('finish_reason')
        return event(
            {
                'id': 'chatcmpl-1',
                'object': 'chat.completion.chunk',
                'created': 1,
                'model': 'm',
                'choices': choices,
                **more,
            }
        )

    yield chunk({'role': 'assistant', 'content': ''})
    for piece in pieces(said.thought):
        yield chunk({'reasoning_content': piece})
    for piece in pieces(said.text):
        yield chunk({'content': piece})
    for number, (call_id, name, arguments) in enumerate(said.calls):
        head = {'index': number, 'id': call_id, 'type': 'function'}
        yield chunk({'tool_calls': [{**head, 'function': {'name': name, 'arguments': ''}}]})
        for piece in pieces(arguments):
            yield chunk({'tool_calls': [{'index': number, 'function': {'arguments': piece}}]})
    yield chunk({}, finish_reason=_chat_end(said))
    yield chunk(None, usage=chat_usage(said))
    yield event('[DONE]')


# --- responses ----------------------------------------------------------------------------


def _items(said):
    items = []
    if said.thought:
        items.append(
            {
                'id': 'rs_1',
                'type': 'reasoning',
                'summary': [{'type': 'summary_text', 'text': said.thought}],
                'encrypted_content': SIGNATURE,
            }
        )
    if said.text:
        part = {'type': 'output_text', 'text': said.text, 'annotations': []}
        items.append(
            {
                'id': 'msg_1',
                'type': 'message',
                'role': 'assistant',
                'status': 'completed',
                'content': [part],
            }
        )
    for number, (call_id, name, arguments) in enumerate(said.calls):
        items.append(
            {
                'id': f'fc_{number}',
                'type': 'function_call',
                'status': 'completed',
                'call_id': call_id,
                'name': name,
                'arguments': arguments,
            }
        )
    return items


def responses_whole(said):
    status = 'incomplete' if said.cut else 'completed'
    return {
        'id': 'resp_1',
        'object': 'response',
        'created_at': 1,
        'status': status,
        'error': None,
        'incomplete_details': {'reason': 'max_output_tokens'} if said.cut else None,
        'instructions': None,
        'metadata': {},
        'model': 'm',
        'output': _items(said),
        'parallel_tool_calls': True,
        'temperature': 1.0,
        'tool_choice': 'auto',
        'tools': [],
        'top_p': 1.0,
        'usage': {
            'input_tokens': said.read,
            'input_tokens_details': {'cached_tokens': said.cached, 'cache_write_tokens': 0},
            'output_tokens': said.out,
            'output_tokens_details': {'reasoning_tokens': 0},
            'total_tokens': said.read + said.out,
        },
    }


def responses_stream(said):
    number = iter(range(10**6))

    def one(kind, **more):
        return event({'type': kind, 'sequence_number': next(number), **more}, kind)

    begun = {**responses_whole(said), 'output': [], 'status': 'in_progress', 'usage': None}
    yield one('response.created', response=begun)
    for index, item in enumerate(_items(said)):
        at = {'output_index': index, 'item_id': item['id']}
        bare = {**item}
        if item['type'] == 'reasoning':
            bare |= {'summary': []}
            bare.pop('encrypted_content')
            yield one('response.output_item.added', output_index=index, item=bare)
            for piece in pieces(said.thought):
                kind = 'response.reasoning_summary_text.delta'
                yield one(kind, summary_index=0, delta=piece, **at)
        elif item['type'] == 'message':
            bare |= {'content': [], 'status': 'in_progress'}
            yield one('response.output_item.added', output_index=index, item=bare)
            part = {'type': 'output_text', 'text': '', 'annotations': []}
            yield one('response.content_part.added', content_index=0, part=part, **at)
            for piece in pieces(said.text):
                kind = 'response.output_text.delta'
                yield one(kind, content_index=0, delta=piece, logprobs=[], **at)
        else:
            bare |= {'arguments': '', 'status': 'in_progress'}
            yield one('response.output_item.added', output_index=index, item=bare)
            for piece in pieces(item['arguments']):
                yield one('response.function_call_arguments.delta', delta=piece, **at)
            whole = {'arguments': item['arguments'], 'name': item['name']}
            yield one('response.function_call_arguments.done', **whole, **at)
        yield one('response.output_item.done', output_index=index, item=item)
    kind = 'response.incomplete' if said.cut else 'response.completed'
    yield one(kind, response=responses_whole(said))


# --- Anthropic ----------------------------------------------------------------------------


def _contents(said):
    contents = []
    if said.thought:
        thought = {'type': 'thinking', 'thinking': said.thought, 'signature': SIGNATURE}
        contents.append(thought)
    if said.text:
        contents.append({'type': 'text', 'text': said.text, 'citations': None})
    for call_id, name, arguments in said.calls:
        contents.append(
            {'type': 'tool_use', 'id': call_id, 'name': name, 'input': json.loads(arguments)}
        )
    return contents


def _anthropic_end(said):
    return 'max_tokens' if said.cut else 'tool_use' if said.calls else 'end_turn'


def anthropic_whole(said):
    return {
        'id': 'msg_1',
        'type': 'message',
        'role': 'assistant',
        'model': 'm',
        'content': _contents(said),
        'stop_reason': _anthropic_end(said),
        'stop_sequence': None,
        'usage': {
            'input_tokens': said.read - said.cached - said.written,
            'cache_read_input_tokens': said.cached,
            'cache_creation_input_tokens': said.written,
            'output_tokens': said.out,
        },
    }


def anthropic_stream(said):
    def one(kind, **more):
        return event({'type': kind, **more}, kind)

    whole = anthropic_whole(said)
    usage = {**whole['usage'], 'output_tokens': 1}
    begun = {**whole, 'content': [], 'stop_reason': None, 'usage': usage}
    yield one('message_start', message=begun)
    yield one('ping')
    for index, content in enumerate(whole['content']):
        kind = content['type']
        bare = {
            'thinking': {'type': kind, 'thinking': '', 'signature': ''},
            'text': {'type': kind, 'text': ''},
            'tool_use': {**content, 'input': {}},
        }[kind]
        yield one('content_block_start', index=index, content_block=bare)
        deltas = []
        if kind == 'thinking':
            deltas += [{'type': 'thinking_delta', 'thinking': p} for p in pieces(said.thought)]
            deltas.append({'type': 'signature_delta', 'signature': content['signature']})
        elif kind == 'text':
            deltas += [{'type': 'text_delta', 'text': p} for p in pieces(said.text)]
        else:
            text = json.dumps(content['input'], ensure_ascii=False)
            deltas += [{'type': 'input_json_delta', 'partial_json': p} for p in pieces(text)]
        for delta in deltas:
            yield one('content_block_delta', index=index, delta=delta)
        yield one('content_block_stop', index=index)
    delta = {'stop_reason': _anthropic_end(said), 'stop_sequence': None}
    yield one('message_delta', delta=delta, usage={'output_tokens': said.out})
    yield one('message_stop')


# --- Gemini -------------------------------------------------------------------------------


def _gemini(parts, said=None, reason=None):
    candidate = {'content': {'role': 'model', 'parts': parts}, 'index': 0}
    if reason:
        candidate['finishReason'] = reason
    document = {'candidates': [candidate], 'modelVersion': 'm', 'responseId': 'r1'}
    if said is not None:
        document['usageMetadata'] = {
            'promptTokenCount': said.read,
            'cachedContentTokenCount': said.cached,
            'candidatesTokenCount': said.out - 10,
            'thoughtsTokenCount': 10,
            'totalTokenCount': said.read + said.out,
        }
    return document


def _gemini_calls(said):
    for number, (call_id, name, arguments) in enumerate(said.calls):
        part = {'functionCall': {'id': call_id, 'name': name, 'args': json.loads(arguments)}}
        if said.thought and not number:
            part['thoughtSignature'] = SIGNATURE
        yield part


def gemini_whole(said):
    parts = [{'text': said.thought, 'thought': True}] if said.thought else []
    parts += [{'text': said.text}] if said.text else []
    parts += _gemini_calls(said)
    return _gemini(parts, said, 'MAX_TOKENS' if said.cut else 'STOP')


def gemini_stream(said):
    for piece in pieces(said.thought):
        yield event(_gemini([{'text': piece, 'thought': True}]))
    for piece in pieces(said.text):
        yield event(_gemini([{'text': piece}]))
    for part in _gemini_calls(said):
        yield event(_gemini([part]))
    yield event(_gemini([], said, 'MAX_TOKENS' if said.cut else 'STOP'))


# --- all ----------------------------------------------------------------------------------


def stream(protocol, said=ANSWER):
    """The events of an answer, one after the other."""
    return list(globals()[f'{protocol}_stream'](said))


def whole(protocol, said=ANSWER):
    """An answer in one piece."""
    return json.dumps(globals()[f'{protocol}_whole'](said), ensure_ascii=False).encode()


def error(protocol, status, message, kind=''):
    """How a protocol says that something is wrong."""
    if protocol == 'anthropic':
        inner = {'type': kind or 'api_error', 'message': message}
        return json.dumps({'type': 'error', 'error': inner}).encode()
    if protocol == 'gemini':
        inner = {'code': status, 'message': message, 'status': kind.upper() or 'INTERNAL'}
        return json.dumps({'error': inner}).encode()
    inner = {'message': message, 'type': kind or 'server_error', 'param': None, 'code': None}
    return json.dumps({'error': inner}).encode()


def error_event(protocol, message, kind=''):
    """How a protocol says in mid-stream that something is wrong."""
    if protocol == 'responses':
        return event(
            {'type': 'error', 'code': kind or 'server_error', 'message': message}, 'error'
        )
    return event(error(protocol, 500, message, kind).decode(), 'error')
