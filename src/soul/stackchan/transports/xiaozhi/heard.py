"""What the messages of a device tell; firmwares say it in different ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from soul.stackchan.transports.events import (
    NOTICED,
    BodyEvent,
    ListenChanged,
    SpeechAborted,
    Told,
    WordsHeard,
    plain_text,
)

_LONGEST_TEXT = 2000
_LONGEST_NAME = 64
_LISTENING = frozenset({'start', 'stop', 'detect'})


def heard_in(message: Mapping[str, Any]) -> Iterator[Told]:
    """Yield what a message tells the driver."""
    kind = message.get('type')
    if kind == 'listen':
        yield from _listening(message)
    elif kind == 'abort':
        yield SpeechAborted(_text(message.get('reason'), _LONGEST_NAME))
    elif kind == 'stackchan-event':
        # One firmware says it so, its documentation otherwise.
        touch = message.get('event_type') == 'touch'
        name = _text(message.get('subtype' if touch else 'touch'), _LONGEST_NAME)
        if name:
            yield BodyEvent(name)
    else:
        said = (_text(message.get(key), _LONGEST_NAME) for key in ('type', 'event', 'name'))
        if name := next((name for name in said if name in NOTICED), ''):
            yield BodyEvent(name)


def _listening(message: Mapping[str, Any]) -> Iterator[Told]:
    state = message.get('state')
    if not isinstance(state, str) or state not in _LISTENING:
        return
    text = _text(message.get('text'), _LONGEST_TEXT)
    yield ListenChanged(state, _text(message.get('mode'), _LONGEST_NAME), text)
    if state == 'detect' and text.strip():
        yield WordsHeard(text)


def _text(value: object, longest: int) -> str:
    return plain_text(value, longest) if isinstance(value, str) else ''
