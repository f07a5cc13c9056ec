"""A backend that plays turns from a YAML file: for tests, demonstrations and simulation.

    turns:
      - when: message            # message, wake or any; default any
        contains: hello          # optional, in the newest message
        steps:
          - text: somebody is here
            calls:
              - reply: {text: "hello {sender}"}
              - speak: {text: "hi"}
          - calls: [sleep: {minutes: 10}]

The first turn that fits the view is played; {sender}, {text} and {message} are filled in from
the newest waiting message.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from soul.core.organ import StartRefused
from soul.mind.providers.base import Completion, Purpose, Request, ToolCall, Usage
from soul.signals import Message, View


class ScriptError(StartRefused):
    """A script that cannot be played, and why."""


class _Step(BaseModel):
    model_config = ConfigDict(extra='forbid', defer_build=True)
    text: str = ''
    calls: list[dict[str, dict[str, Any] | None]] = Field(default_factory=list)
    tokens: int = 0


class _Turn(BaseModel):
    model_config = ConfigDict(extra='forbid', defer_build=True)
    when: str = Field('any', pattern='^(message|wake|any)$')
    contains: str = ''
    steps: list[_Step]


class _Script(BaseModel):
    model_config = ConfigDict(extra='forbid', defer_build=True)
    turns: list[_Turn]


class Scripted:
    """Plays turns.

    Parameters
    ----------
    document
        The script, as read from YAML.

    Raises
    ------
    ScriptError
        Naming what is wrong in it.
    """

    name = 'scripted'
    metered = False

    def __init__(self, document: Any, source: str = 'script') -> None:
        try:
            self._script = _Script.model_validate(document)
        except ValidationError as error:
            first = error.errors()[0]
            place = '.'.join(str(part) for part in first['loc'])
            raise ScriptError(f'{source}: {place}: {first["msg"]}') from None
        self._turn: _Turn | None = None

    @classmethod
    def from_file(cls, path: str) -> Scripted:
        """Read a script.

        Raises
        ------
        ScriptError
            If the file is missing, not YAML or not a script.
        """
        try:
            document = yaml.safe_load(Path(path).read_text(encoding='utf-8'))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            why = ' '.join(str(getattr(error, 'strerror', '') or error).split())
            raise ScriptError(f'script {path!r} cannot be read: {why}') from error
        return cls(document, path)

    async def complete(self, request: Request, heard: Callable[[str, str], None]) -> Completion:
        """Play the next step; after the last one, sleep."""
        if request.purpose != Purpose.WAKING:
            return Completion()
        if request.step == 0:
            self._turn = self._find(request.view)
        steps = self._turn.steps if self._turn else []
        if request.step >= len(steps):
            return Completion(calls=(ToolCall(f'end-{request.step}', 'sleep', '{}'),))
        step = steps[request.step]
        newest = request.view.messages[-1] if request.view.messages else Message()
        text = _fill(step.text, newest)
        if text:
            heard('text', text)
        calls = tuple(
            ToolCall(
                f'call-{request.view.tick}-{request.step}-{number}',
                name,
                json.dumps(_fill(arguments or {}, newest), ensure_ascii=False),
            )
            for number, call in enumerate(step.calls)
            for name, arguments in call.items()
        )
        return Completion(text=text, calls=calls, usage=Usage(step.tokens, 0, 0))

    def _find(self, view: View) -> _Turn | None:
        newest = view.messages[-1].text if view.messages else ''
        for turn in self._script.turns:
            if turn.when == 'message' and not view.messages:
                continue
            if turn.when == 'wake' and view.messages:
                continue
            if turn.contains in newest:
                return turn
        return None

    async def close(self) -> None:
        """Nothing to let go of."""


def _fill(value: Any, message: Message) -> Any:
    if isinstance(value, str):
        for name, filled in (
            ('{sender}', message.sender),
            ('{text}', message.text),
            ('{message}', message.id),
        ):
            value = value.replace(name, filled)
        return value
    if isinstance(value, Mapping):
        return {key: _fill(inner, message) for key, inner in value.items()}
    return value
