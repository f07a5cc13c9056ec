"""What a strict server demands of a history, one row for each protocol, applied when sending.

The history on the disk stays as it was lived; only what is sent is brought into the form that
the strictest servers of a protocol take. The form depends on nothing but the history, so that
the beginning of a request stays what a provider's cache knows.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from soul.mind.providers.cleaning import clean_value
from soul.mind.transcript import Message, mend

_LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'


@dataclasses.dataclass(frozen=True)
class Demands:
    """What the servers of one protocol may refuse.

    Attributes
    ----------
    turns
        Messages of a user and of the assistant must take turns, beginning with the user; behind
        results comes the assistant.
    id_form
        Form of the ids of tool calls; others are replaced. Empty: any.
    id_kept
        Ids of this form stay although they are not of `id_form`: their server reads them.
    filler
        Stands where a turn is owed and nobody said anything; never empty.
    """

    turns: bool = True
    id_form: str = ''
    id_kept: str = ''
    filler: str = '…'


#: Mistral takes nine letters and digits only; Kimi numbers its calls and wants that back.
OPENAI_CHAT = Demands(id_form=r'[A-Za-z0-9]{9}', id_kept=r'functions\.[\w-]+:\d+')


def conforming(messages: Sequence[Mapping[str, Any]], demands: Demands) -> list[Message]:
    """Return a history in the form that a protocol's strictest server takes.

    Results stand behind their call and in its order, each call has an id of its own, nothing is
    empty, every character is whole (:func:`soul.mind.transcript.mend`); then ids and turns as
    `demands` says. System messages at the beginning stay where they are.
    """
    return Conformer(demands).conform(messages)


@dataclasses.dataclass
class _Done:
    """How far a history is brought into form."""

    messages: list[Mapping[str, Any]] = dataclasses.field(default_factory=list)  # as given
    sent: list[Message] = dataclasses.field(default_factory=list)  # what became of them
    used: set[str] = dataclasses.field(default_factory=set)  # ids of calls, as given
    taken: set[str] = dataclasses.field(default_factory=set)  # ... and as sent

    def copy(self) -> _Done:
        return _Done(list(self.messages), list(self.sent), set(self.used), set(self.taken))


class Conformer:
    """Brings the requests of a life into form; what was in the one before is not done again.

    It goes by the messages' identity: a history is a list that grows, of messages that stay the
    same objects.
    """

    def __init__(self, demands: Demands) -> None:
        self._demands = demands
        self._form = re.compile(
            f'(?:{demands.id_form})|(?:{demands.id_kept})' if demands.id_kept else demands.id_form
        )
        self._done = _Done()

    def conform(self, messages: Sequence[Mapping[str, Any]]) -> list[Message]:
        """Return a request's messages as they are sent."""
        head = 0
        while head < len(messages) and messages[head].get('role') == 'system':
            head += 1
        system = [dict(clean_value(message)) for message in messages[:head]]
        history = messages[head:]
        done = self._done
        known = len(done.messages)
        same = known <= len(history) and all(
            a is b for a, b in zip(done.messages, history, strict=False)
        )
        if not same:
            done, known = _Done(), 0
        # What a person said last begins something new: all before it is whole.
        last = max((n for n in range(known, len(history)) if _opens(history, n)), default=known)
        self._done = self._advanced(done, history[known:last])
        return system + self._advanced(self._done, history[last:]).sent

    def _advanced(self, done: _Done, more: Sequence[Mapping[str, Any]]) -> _Done:
        if not more:
            return done
        done = done.copy()
        done.messages += more
        history = mend([clean_value(message) for message in more], done.used)
        if self._demands.id_form:
            history = self._with_ids(history, done.taken)
        if self._demands.turns:
            _add_in_turns(done.sent, history, self._demands.filler)
        else:
            done.sent += history
        return done

    def _with_ids(self, messages: Sequence[Message], taken: set[str]) -> list[Message]:
        names: dict[str, str] = {}
        found: list[Message] = []
        for message in messages:
            if message.get('tool_calls'):
                calls = []
                for call in message['tool_calls']:
                    if self._form.fullmatch(call['id']) and call['id'] not in taken:
                        taken.add(call['id'])
                    else:
                        names[call['id']] = _short(call['id'], taken)
                        call = {**call, 'id': names[call['id']]}
                    calls.append(call)
                message = {**message, 'tool_calls': calls}
            elif message['role'] == 'tool' and message['tool_call_id'] in names:
                message = {**message, 'tool_call_id': names[message['tool_call_id']]}
            found.append(message)
        return found


def _opens(history: Sequence[Mapping[str, Any]], number: int) -> bool:
    return history[number].get('role') == 'user'


def _short(call_id: str, taken: set[str]) -> str:
    """Return nine letters and digits for an id, always the same ones for the same id."""
    number = 0
    while True:
        digest = hashlib.sha256(f'{call_id}/{number}'.encode()).digest()
        short = ''.join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:9])
        if short not in taken:
            taken.add(short)
            return short
        number += 1


def _add_in_turns(found: list[Message], messages: Sequence[Message], filler: str) -> None:
    for message in messages:
        last = found[-1] if found else None
        role = message['role']
        if last is None:
            if role != 'user':
                found.append({'role': 'user', 'content': filler})
            found.append(message)
        elif role == 'user' and last['role'] == 'user':
            found[-1] = _joined(last, message)
        elif role == 'user' and last['role'] == 'tool':
            found += [{'role': 'assistant', 'content': filler}, message]
        elif role == 'assistant' and last['role'] == 'assistant' and not last.get('tool_calls'):
            found[-1] = _joined(last, message)
        else:
            found.append(message)


def _joined(first: Message, second: Message) -> Message:
    """Return two messages of one role as one; what only the second holds is kept."""
    return {**first, **second, 'content': _contents(first.get('content'), second.get('content'))}


def _contents(first: Any, second: Any) -> Any:
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f'{first}\n\n{second}'
    return [*_parts(first), *_parts(second)]


def _parts(content: Any) -> list[Any]:
    return [{'type': 'text', 'text': content}] if isinstance(content, str) else list(content)
