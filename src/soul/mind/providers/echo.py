"""The offline backend: no model, no key. It says plainly that it is an echo."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence

from soul.mind.providers.base import Completion, Purpose, Request, ToolCall
from soul.signals import Message

_PLAIN = 'I am only an echo, no model is thinking here.'
#: Answers to so many messages are said aloud in one go.
_MOST_ALOUD = 4


class Echo:
    """Repeats what people say, and sleeps."""

    name = 'echo'
    metered = False

    def __init__(self) -> None:
        self._answered: deque[str] = deque(maxlen=1000)

    async def complete(self, request: Request, heard: Callable[[str, str], None]) -> Completion:
        """Answer every message that waits, then sleep."""
        if request.purpose != Purpose.WAKING:
            return Completion()
        messages = [m for m in request.view.messages if m.id not in self._answered]
        if not messages:
            if request.step:
                return _calls([('sleep', {})])
            heard('text', 'I am only an echo; nobody said anything.')
            return _calls([('sleep', {})], 'I am only an echo; nobody said anything.')
        self._answered.extend(m.id for m in messages)
        wanted = [('reply', {'text': answer(m), 'message': m.id}) for m in messages]
        wanted.append(('speak', {'text': aloud(messages)}))
        return _calls(wanted)

    async def close(self) -> None:
        """Nothing to let go of."""


def answer(message: Message) -> str:
    """What the echo says to a message."""
    return f'{_PLAIN} {_said(message)}'


def aloud(messages: Sequence[Message]) -> str:
    """What the echo says aloud to messages that came together: all of it, in their order."""
    told = [_said(message) for message in messages[:_MOST_ALOUD]]
    if len(messages) > _MOST_ALOUD:
        told.append(f'And {len(messages) - _MOST_ALOUD} more.')
    return ' '.join([_PLAIN, *told])


def _said(message: Message) -> str:
    said = message.text.strip()
    return f'You said: {said if len(said) <= 200 else said[:199] + "…"}'


def _calls(wanted: list[tuple[str, dict[str, str]]], text: str = '') -> Completion:
    calls = tuple(
        ToolCall(f'echo-{number}', name, json.dumps(arguments, ensure_ascii=False))
        for number, (name, arguments) in enumerate(wanted)
    )
    return Completion(text=text, calls=calls)
