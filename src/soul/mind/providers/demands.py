"""What a strict server demands of a history, one row for each protocol, applied when sending.

The history on the disk stays as it was lived; only what is sent is brought into the form that
the strictest servers of a protocol take. The form depends on nothing but the history, so that
the beginning of a request stays what a provider's cache knows.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterator, Sequence

from soul.mind.messages import (
    AssistantMessage,
    Message,
    ShownPicture,
    SystemMessage,
    ToolResult,
    UserMessage,
)
from soul.mind.providers.cleaning import clean_message
from soul.mind.transcript import mend

_LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
#: Names of tools that every protocol takes; a model may have called something else.
_NAME = re.compile(r'[A-Za-z_][A-Za-z0-9_-]{0,63}')


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
    user_first
        The first message must be a user's; with `turns` it is in any case.
    result_pictures
        A tool's result may hold pictures; else they are shown behind the results.
    filler
        Stands where a turn is owed and nobody said anything; never empty.
    """

    turns: bool = True
    id_form: str = ''
    id_kept: str = ''
    user_first: bool = True
    result_pictures: bool = False
    filler: str = '…'


#: Mistral takes nine letters and digits only; Kimi numbers its calls and wants that back.
OPENAI_CHAT = Demands(id_form=r'[A-Za-z0-9]{9}', id_kept=r'functions\.[\w-]+:\d+')
OPENAI_RESPONSES = Demands(
    turns=False, user_first=False, id_form=r'[A-Za-z0-9_-]{1,64}', result_pictures=True
)
ANTHROPIC = Demands(turns=False, id_form=r'[A-Za-z0-9_-]{1,64}', result_pictures=True)
GEMINI = Demands(turns=False, id_form=r'[A-Za-z0-9_-]{1,64}')


def conforming(messages: Sequence[Message], demands: Demands) -> list[Message]:
    """Return a history in the form that a protocol's strictest server takes.

    Results stand behind their call and in its order, each call has an id of its own, nothing is
    empty, every character is whole (:func:`soul.mind.transcript.mend`); then ids and turns as
    `demands` says. System messages at the beginning become one.
    """
    return Conformer(demands).conform(messages)


@dataclasses.dataclass
class _Done:
    """How far a history is brought into form."""

    messages: list[Message] = dataclasses.field(default_factory=list)  # as given
    sent: list[Message] = dataclasses.field(default_factory=list)  # what became of them
    used: set[str] = dataclasses.field(default_factory=set)  # ids of calls, as given
    taken: set[str] = dataclasses.field(default_factory=set)  # ... and as sent

    def copy(self) -> _Done:
        return _Done(list(self.messages), list(self.sent), set(self.used), set(self.taken))


class Conformer:
    """Brings the requests of a life into form; what was in the one before is not done again.

    A history is a list that grows, of messages that stay the same objects.
    """

    def __init__(self, demands: Demands) -> None:
        self._demands = demands
        self._form = re.compile(
            f'(?:{demands.id_form})|(?:{demands.id_kept})' if demands.id_kept else demands.id_form
        )
        self._done = _Done()

    def conform(self, messages: Sequence[Message]) -> list[Message]:
        """Return a request's messages as they are sent."""
        head = 0
        while head < len(messages) and isinstance(messages[head], SystemMessage):
            head += 1
        system = [clean_message(message) for message in messages[:head]]
        if len(system) > 1:  # some servers take one only
            system = [SystemMessage('\n\n'.join(m.text for m in system if m.text))]
        history = messages[head:]
        done = self._done
        known = len(done.messages)
        same = history[:known] == done.messages  # the same objects are told at once
        if not same:
            done, known = _Done(), 0
        # What a person said last begins something new: all before it is whole.
        last = max((n for n in range(known, len(history)) if _opens(history, n)), default=known)
        self._done = self._advanced(done, history[known:last])
        return system + self._advanced(self._done, history[last:]).sent

    def _advanced(self, done: _Done, more: Sequence[Message]) -> _Done:
        if not more:
            return done
        done = done.copy()
        done.messages += more
        history = mend([clean_message(message) for message in more], done.used)
        history = self._with_names(history, done.taken)
        if not self._demands.result_pictures:
            history = list(_pictures_behind(history))
        if not history:
            return done
        if self._demands.turns:
            _add_in_turns(done.sent, history, self._demands.filler)
        else:
            _add(done.sent, history, self._demands)
        return done

    def _with_names(self, messages: Sequence[Message], taken: set[str]) -> list[Message]:
        """Give calls ids and names that the protocol takes."""
        names: dict[str, tuple[str, str]] = {}
        found: list[Message] = []
        for message in messages:
            if isinstance(message, AssistantMessage) and message.calls:
                calls = []
                for call in message.calls:
                    name = _named(call.name)
                    call_id = call.id
                    if self._demands.id_form:
                        if not self._form.fullmatch(call_id) or call_id in taken:
                            call_id = _short(call_id, taken)
                        taken.add(call_id)
                    if (call_id, name) != (call.id, call.name):
                        names[call.id] = call_id, name
                        call = dataclasses.replace(call, id=call_id, name=name)
                    calls.append(call)
                if calls != list(message.calls):
                    message = dataclasses.replace(message, calls=tuple(calls))
            elif isinstance(message, ToolResult) and message.call_id in names:
                call_id, name = names[message.call_id]
                message = dataclasses.replace(message, call_id=call_id, name=name)
            found.append(message)
        return found


def _opens(history: Sequence[Message], number: int) -> bool:
    return isinstance(history[number], (UserMessage, SystemMessage))


def _named(name: str) -> str:
    """Return the name of a tool as every protocol takes it."""
    if _NAME.fullmatch(name):
        return name
    plain = re.sub(r'[^A-Za-z0-9_-]', '_', name)[:64]
    return plain if _NAME.fullmatch(plain) else f'_{plain}'[:64]


def _pictures_behind(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages with the pictures of results in a message behind them."""
    captions: dict[str, None] = {}
    pictures: list[ShownPicture] = []
    for message in messages:
        if isinstance(message, ToolResult):
            if message.pictures:
                captions[message.caption] = None
                pictures += message.pictures
                message = dataclasses.replace(message, pictures=(), caption='')
        elif pictures:
            yield UserMessage('\n'.join(captions), tuple(pictures))
            captions, pictures = {}, []
        yield message
    if pictures:
        yield UserMessage('\n'.join(captions), tuple(pictures))


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


def _add(found: list[Message], messages: Sequence[Message], demands: Demands) -> None:
    if demands.user_first and not found and not isinstance(messages[0], UserMessage):
        found.append(UserMessage(demands.filler))
    found += messages


def _add_in_turns(found: list[Message], messages: Sequence[Message], filler: str) -> None:
    for message in messages:
        last = found[-1] if found else None
        if last is None and not isinstance(message, UserMessage):
            found.append(UserMessage(filler))
        elif isinstance(message, UserMessage) and isinstance(last, UserMessage):
            message = UserMessage(
                _joined(last.text, message.text), (*last.pictures, *message.pictures)
            )
            found.pop()
        elif isinstance(message, UserMessage) and isinstance(last, ToolResult):
            found.append(AssistantMessage(filler))
        elif (
            isinstance(message, AssistantMessage)
            and isinstance(last, AssistantMessage)
            and not last.calls
        ):
            message = AssistantMessage(
                _joined(last.text, message.text),
                message.calls,
                (*last.thoughts, *message.thoughts),
            )
            found.pop()
        found.append(message)


def _joined(first: str, second: str) -> str:
    return f'{first}\n\n{second}' if first and second else first or second
