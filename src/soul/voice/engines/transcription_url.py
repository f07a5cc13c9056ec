"""Ears behind OpenAI's `/v1/audio/transcriptions`, as many servers have it.

It is not asked for a stream: an utterance is short, and each server streams in its own way.
"""

from __future__ import annotations

import json
from typing import Any

import httpx

from soul.voice.engines.port import EngineFailed, Understood
from soul.voice.engines.speech_url import Endpoint, refusal
from soul.voice.sound import EAR_RATE, Clip, write_wave


class TranscriptionUrl:
    """The ears of a server."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = f'{endpoint.url} {endpoint.model}'.rstrip()
        self._endpoint = endpoint
        self._client = endpoint.client()

    def understand(self, samples: bytes, language: str) -> Understood:
        """Say what was said."""
        fields = {
            'model': self._endpoint.model,
            'language': language,
            'response_format': 'json',
            'temperature': '0',
        }
        sound = write_wave(Clip(samples, EAR_RATE))
        try:
            answer = self._client.post(
                self._endpoint.at('audio/transcriptions'),
                data=fields,
                files={'file': ('speech.wav', sound, 'audio/wav')},
                headers=self._endpoint.headers,
            )
        except httpx.HTTPError as error:
            raise EngineFailed(f'{self.name}: {error or type(error).__name__}') from error
        if not answer.is_success:
            raise EngineFailed(f'{self.name}: {refusal(answer)}')
        text = _text(answer)
        if text is None:
            raise EngineFailed(f'{self.name}: there is no text in its answer')
        return Understood(text.strip(), len(samples) / 2 / EAR_RATE)


def _text(answer: httpx.Response) -> str | None:
    """Read the text of JSON, or of a stream of events where one came unasked."""
    try:
        return _of(answer.json())
    except ValueError:
        pass
    if not answer.headers.get('content-type', '').startswith('text/event-stream'):
        return None
    said: list[str] = []
    for line in answer.text.splitlines():
        if not line.startswith('data:') or line[5:].strip() == '[DONE]':
            continue
        try:
            event = json.loads(line[5:])
        except ValueError:
            continue
        if isinstance(event, dict) and event.get('type') == 'transcript.text.done':
            return _of(event)
        text = _of(event)
        said += [text] if text is not None else []
    return ''.join(said) if said else None


def _of(told: Any) -> str | None:
    """Return the text in one of the shapes that servers use."""
    if not isinstance(told, dict):
        return None
    for name in ('text', 'delta'):
        if isinstance(told.get(name), str):
            return told[name]
    choices = told.get('choices')
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get('delta') if isinstance(first, dict) else None
    content = delta.get('content') if isinstance(delta, dict) else None
    return content if isinstance(content, str) else None
