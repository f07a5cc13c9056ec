"""The form of a backend: a request in, a completion out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from soul.mind.messages import Message, Origin, Reasoning, ToolCall
from soul.signals import View

__all__ = [
    'Completion',
    'Fault',
    'Provider',
    'ProviderError',
    'Purpose',
    'Request',
    'ToolCall',
    'Usage',
]


class Fault:
    """Whose fault a :class:`ProviderError` is, so what is tried next."""

    KEY = 'key'  # the key is wrong, or has no money left: another key
    MODEL = 'model'  # the model or the request is not taken: another model
    AGAIN = 'again'  # too busy, broken off, not reached, empty: another key, or later
    TOO_LONG = 'too_long'  # longer than the model can read: the same with less


class ProviderError(Exception):
    """The backend gave no completion.

    Parameters
    ----------
    message
        What happened, in words; whoever is at the door may read them.
    lasting
        Whether trying again soon is useless (wrong key, unknown model, bad request).
    too_long
        Whether the request was longer than the model can read.
    detail
        Which server, and what it said; for the log, not for who is at the door.
    after
        How long the server wants to be left alone, s.
    usage
        What the server said that it used all the same.
    begun
        Whether the server had begun to work on it, so that it may be charged for.
    status
        The HTTP status that the server answered; 0: none.
    fault
        One of :class:`Fault`; empty: as `lasting` and `too_long` say.
    """

    def __init__(
        self,
        message: str,
        lasting: bool = False,
        too_long: bool = False,
        detail: str = '',
        after: float = 0.0,
        usage: Usage | None = None,
        begun: bool = False,
        status: int = 0,
        fault: str = '',
    ) -> None:
        super().__init__(message)
        self.lasting = lasting
        self.too_long = too_long
        self.detail = detail
        self.after = after
        self.usage = usage
        self.begun = begun
        self.status = status
        self.fault = fault or (
            Fault.TOO_LONG if too_long else Fault.MODEL if lasting else Fault.AGAIN
        )


@dataclass(frozen=True)
class Usage:
    """Tokens of one call.

    Of `tokens_in`, `cached` were served from a cache and `cache_write` were written into one.
    Zero tokens mean that the server has not counted.
    """

    tokens_in: int = 0
    cached: int = 0
    tokens_out: int = 0
    cache_write: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.tokens_in + other.tokens_in,
            self.cached + other.cached,
            self.tokens_out + other.tokens_out,
            self.cache_write + other.cache_write,
        )


@dataclass(frozen=True)
class Completion:
    """What the model said and wants to do.

    Attributes
    ----------
    reasoning
        What it thought, as far as it can be read.
    thoughts
        Of that, what its server wants back word for word.
    origin
        Who has written it.
    warning
        What is wrong with the server all the same, for people; empty: nothing.
    """

    text: str = ''
    reasoning: str = ''
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    thoughts: tuple[Reasoning, ...] = ()
    origin: Origin = Origin()
    warning: str = ''

    @property
    def empty(self) -> bool:
        """Whether it says nothing and wants nothing; only thinking is empty, too."""
        return not (self.text.strip() or self.calls)


class Purpose:
    """What a :class:`Request` is for."""

    WAKING = 'waking'
    SUMMARY = 'summary'
    DREAM = 'dream'
    WARM_UP = 'warm_up'  # nothing is wanted but that the server reads


@dataclass(frozen=True)
class Request:
    """One call of the model.

    Attributes
    ----------
    stable
        After so many messages something ends with which later requests begin, too; ascending.
        A provider's cache is told of it, where it wants to be.
    """

    messages: Sequence[Message]
    tools: Sequence[Mapping[str, Any]]  # tool descriptions in OpenAI's form
    view: View  # what she sees, for backends that read no prompt
    step: int  # calls so far in this waking
    purpose: str = Purpose.WAKING
    conversation: str = ''  # its name; empty: her one stream of consciousness
    stable: Sequence[int] = ()


class Provider(Protocol):
    """A backend.

    A backend may have an attribute `metered`; False says that thinking costs nothing, so that
    tokens it does not count are not estimated.
    """

    name: str

    async def complete(self, request: Request, heard: Callable[[str, str], None]) -> Completion:
        """Think once.

        Parameters
        ----------
        request
            What to think about.
        heard
            Called with (kind, text) for each piece as it arrives; kind is text, reasoning or
            call (arguments of a tool). What it raises ends the answer.

        Raises
        ------
        ProviderError
            If there is no completion.
        """

    async def close(self) -> None:
        """Let go of connections."""
