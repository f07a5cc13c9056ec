"""What a strict server of each protocol refuses in a request; empty: it takes it."""

import base64
import json
import re

from support.messages import typed

NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_-]{0,63}')
ID = re.compile(r'[A-Za-z0-9_-]{1,64}')


def refused(protocol, body):
    """Say what is wrong."""
    found = list(_RULES[protocol](body))
    try:
        json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (UnicodeEncodeError, ValueError) as error:
        found.append(str(error))
    if '\\u0000' in json.dumps(body):
        found.append('a NUL')
    return found


def _chat(body):
    from support.strict_server import strict_problems

    messages = body['messages']
    yield from strict_problems(messages if messages[0]['role'] == 'system' else [{}, *messages])
    yield from _called(typed(m) for m in messages)


def _called(messages):
    for message in messages:
        for call in getattr(message, 'calls', ()):
            if not NAME.fullmatch(call.name):
                yield f'tool {call.name!r}'


def _responses(body):
    waiting = {}
    reasoning = False
    if not body['input']:
        yield 'no input'
    for number, item in enumerate(body['input']):
        kind = item.get('type', 'message')
        if kind == 'reasoning':
            reasoning = True
            if not item.get('encrypted_content') or 'status' in item:
                yield f'{number}: reasoning that nobody can read'
            continue
        if reasoning and kind == 'function_call_output':
            yield f'{number}: reasoning without what it led to'
        reasoning = False
        if kind == 'function_call':
            if item['call_id'] in waiting or not ID.fullmatch(item['call_id']):
                yield f'{number}: id {item["call_id"]!r}'
            if not NAME.fullmatch(item['name']):
                yield f'{number}: tool {item["name"]!r}'
            if not isinstance(json.loads(item['arguments']), dict):
                yield f'{number}: arguments'
            waiting[item['call_id']] = True
        elif kind == 'function_call_output':
            if not waiting.get(item['call_id']):
                yield f'{number}: a result of no call'
            waiting[item['call_id']] = False
            if not item['output']:
                yield f'{number}: empty'
        elif item['role'] not in ('user', 'assistant') or not item['content']:
            yield f'{number}: {item["role"]}, {item["content"]!r}'
    if reasoning:
        yield 'reasoning without what it led to'
    if any(waiting.values()):
        yield 'a call without a result'


def _anthropic(body):
    before, waiting, known, marks = 'assistant', [], set(), 0
    for number, turn in enumerate(body['messages']):
        role, content = turn['role'], turn['content']
        if role == before:
            yield f'{number}: {role} again'
        before = role
        if not content:
            yield f'{number}: empty'
        results = [part['tool_use_id'] for part in content if part['type'] == 'tool_result']
        if waiting and sorted(results) != sorted(waiting):
            yield f'{number}: results of {waiting} are {results}'
        if results and content[: len(results)] != [
            part for part in content if part['type'] == 'tool_result'
        ]:
            yield f'{number}: results are not first'
        if results and not waiting:
            yield f'{number}: results of no call'
        waiting = []
        for part in content:
            marks += 'cache_control' in part
            if part['type'] == 'text' and not part['text'].strip():
                yield f'{number}: a text of nothing'
            if part['type'] == 'tool_use':
                if part['id'] in known or not ID.fullmatch(part['id']):
                    yield f'{number}: id {part["id"]!r}'
                if not isinstance(part['input'], dict) or not NAME.fullmatch(part['name']):
                    yield f'{number}: call {part}'
                known.add(part['id'])
                waiting.append(part['id'])
            if part['type'] == 'thinking' and 'cache_control' in part:
                yield f'{number}: a marked thought'
        if role == 'assistant' and content and content[-1]['type'] == 'thinking':
            yield f'{number}: it ends with a thought'
    if before != 'user':
        yield 'it does not end with the user'
    if waiting:
        yield 'a call without a result'
    for part in (*body.get('system', ()), *body.get('tools', ())):
        marks += 'cache_control' in part
    if marks > 4:
        yield f'{marks} marks'


def _gemini(body):
    before, waiting = 'model', []
    for number, turn in enumerate(body['contents']):
        if turn['role'] == before:
            yield f'{number}: {turn["role"]} again'
        before = turn['role']
        if not turn['parts']:
            yield f'{number}: empty'
        answered = [
            (p['functionResponse']['id'], p['functionResponse']['name'])
            for p in turn['parts']
            if 'functionResponse' in p
        ]
        if answered != waiting:
            yield f'{number}: results of {waiting} are {answered}'
        waiting = []
        for part in turn['parts']:
            if len(part.keys() - {'thoughtSignature'}) != 1:
                yield f'{number}: a part of {sorted(part)}'
            if part.get('text') == '' and 'thoughtSignature' not in part:
                yield f'{number}: a text of nothing'
            if 'functionCall' in part:
                call = part['functionCall']
                waiting.append((call['id'], call['name']))
                if not isinstance(call['args'], dict) or not NAME.fullmatch(call['name']):
                    yield f'{number}: call {call}'
            if 'thoughtSignature' in part:
                base64.urlsafe_b64decode(part['thoughtSignature'])
    if before != 'user':
        yield 'it does not end with the user'
    if waiting:
        yield 'a call without a result'


_RULES = {'chat': _chat, 'responses': _responses, 'anthropic': _anthropic, 'gemini': _gemini}
