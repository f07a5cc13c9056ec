"""The offline backend: no model, no key. It says plainly that it is an echo."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable

from soul.mind.providers.base import Completion, Purpose, Request, ToolCall
from soul.signals import Message


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
        wanted.append(('speak', {'text': answer(messages[-1])}))
        return _calls(wanted)

    async def close(self) -> None:
        """Nothing to let go of."""


def answer(message: Message) -> str:
    """What the echo says to a message."""
    said = message.text.strip()
    said = said if len(said) <= 200 else said[:199] + '…'
    return f'I am only an echo, no model is thinking here. You said: {said}'


def _calls(wanted: list[tuple[str, dict[str, str]]], text: str = '') -> Completion:
    calls = tuple(
        ToolCall(f'echo-{number}', name, json.dumps(arguments, ensure_ascii=False))
        for number, (name, arguments) in enumerate(wanted)
    )
    return Completion(text=text, calls=calls)
