"""Messages of a conversation, as tests write them down."""

from soul.mind.messages import (
    AssistantMessage,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)


def user(text='hi'):
    return UserMessage(text)


def assistant(*calls, text='', thoughts=()):
    """An answer; calls are ids (of `look` without arguments) or calls."""
    made = tuple(ToolCall(c, 'look', '{}') if isinstance(c, str) else c for c in calls)
    return AssistantMessage(text, made, tuple(thoughts))


def typed(plain):
    """Read a message in the form of chat completions as it stands there, whatever is wrong."""
    text = plain.get('content') or ''
    if isinstance(text, list):
        text = '\n'.join(part.get('text', '(a picture)') for part in text)
    if plain['role'] == 'system':
        return SystemMessage(text)
    if plain['role'] == 'user':
        return UserMessage(text)
    if plain['role'] == 'tool':
        return ToolResult(plain['tool_call_id'], text)
    calls = tuple(
        ToolCall(c['id'], c['function']['name'], c['function']['arguments'])
        for c in plain.get('tool_calls') or ()
    )
    return AssistantMessage(text, calls)
