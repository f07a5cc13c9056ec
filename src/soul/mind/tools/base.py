"""The form of a tool: a name, a schema, what the guard calls it, and whether it is routine."""

from __future__ import annotations

import hashlib
import json
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from soul.mind.ports import NoAnswer
from soul.mind.providers.base import ToolCall
from soul.mind.providers.cleaning import clean_value
from soul.signals import Act, AttendRequest, BodyState, Message, Reply, View

#: What a tool shows her is cut to this many characters.
RESULT_LIMIT = 6000


class Arguments(BaseModel):
    """Base of a tool's arguments; an unknown one is an error she reads."""

    model_config = ConfigDict(extra='forbid', defer_build=True)


class Free(BaseModel):
    """Arguments of any form."""

    model_config = ConfigDict(extra='allow', defer_build=True)


@dataclass(frozen=True)
class Result:
    """What came of a tool call."""

    text: str  # what she reads
    ok: bool = True
    receipt: str = ''  # proof that something happened; empty: it counts for nothing
    act_id: str = ''
    seen: str = ''  # what it showed her: enters the field as seen
    pictures: Sequence[tuple[str, bytes]] = ()  # (jpeg or png, data) for a model that sees
    rest_minutes: float | None = None  # sleep: how long; 0 leaves it to the heart
    drives: Mapping[str, float] = field(default_factory=dict)  # levels she sets herself, 0..1
    routine: bool | None = None  # if this call was otherwise than its tool usually is
    ends: bool = False  # the waking ends
    broke: str = ''  # the tool itself failed: its traceback, for the log


class ToolContext(Protocol):
    """What tools may use of the world."""

    @property
    def view(self) -> View:
        """What she sees now."""

    @property
    def waiting_messages(self) -> list[Message]:
        """Messages she sees and has not answered in this turn, oldest first."""

    @property
    def session(self) -> str:
        """The session of this turn."""

    @property
    def body(self) -> BodyState | None:
        """What is known of her body; None: nothing."""

    @property
    def said(self) -> str:
        """How what her attention was last granted differs from what she asked; empty: not."""

    def now(self) -> float:
        """Seconds of the node's clock."""

    async def ask(self, to: str, request: Any, seconds: float = 5.0) -> Any:
        """Ask another organ; raises NoAnswer if none comes in time."""

    def origin_of(self, text: str) -> str:
        """Say which outside a longer run of words in a text came from; empty: it is her own."""

    async def attend(self, request: AttendRequest) -> str:
        """Do something with her attention; returns why not, empty if it was done."""

    async def wait(self, seconds: float) -> bool:
        """Let time pass until somebody speaks to her; True if somebody did."""

    async def act_ended(self, act_id: str, seconds: float) -> Act | None:
        """Wait for an outward act to end; None if it did not in time."""

    def reply(self, message: Message | None, text: str) -> Reply:
        """Answer somebody; it is on the disk when this returns."""


A = TypeVar('A', bound=BaseModel)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool she can call: how it is described, what it takes, what it does."""

    name: str
    description: str
    arguments: type[A]
    run: Callable[[A, ToolContext], Awaitable[Result]]
    routine: bool
    category: str = 'inner'  # the guard's permission category
    #: For tools that are described by a JSON schema of somebody else's: the schema, and what says
    #: why arguments do not fit it (empty: they do). `arguments` is :class:`Free` then.
    parameters: Mapping[str, Any] | None = None
    check: Callable[[dict[str, Any]], Awaitable[str]] | None = None
    origin: str = ''  # where what it returns comes from, if from outside: body, web or tool

    def schema(self, short: bool = False) -> dict[str, Any]:
        """Describe the tool to a model, in OpenAI's form.

        Parameters
        ----------
        short
            For models that can read only little: see :func:`shortened`.
        """
        if self.parameters is not None:
            return self._described(dict(self.parameters))
        parameters = self.arguments.model_json_schema()
        parameters.pop('title', None)
        parameters.pop('description', None)
        for described in parameters.get('properties', {}).values():
            described.pop('title', None)
        return self._described(shortened(parameters) if short else parameters)

    def _described(self, parameters: dict[str, Any]) -> dict[str, Any]:
        return {
            'type': 'function',
            'function': {
                'name': self.name,
                'description': self.description,
                'parameters': parameters,
            },
        }


def shortened(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with nothing but what a small model needs to get a call right.

    Only what must be given stays; where nothing must, the first argument. A small model fills in
    whatever it is shown. Bounds are left out: they are checked all the same.
    """
    properties = parameters.get('properties', {})
    required = list(parameters.get('required', ()))
    shown = required or list(properties)[:1]
    return {
        'type': 'object',
        'properties': {name: _plain(properties[name]) for name in shown},
        'required': required,
    }


def _plain(described: Mapping[str, Any]) -> dict[str, Any]:
    kind = next((c for c in described.get('anyOf', ()) if c.get('type') != 'null'), described)
    plain = {key: kind[key] for key in ('type', 'enum', 'items') if key in kind}
    if 'description' in described:
        plain['description'] = described['description']
    return plain


class Toolbox:
    """The tools she has, in a fixed order.

    Parameters
    ----------
    short
        Whether they are described as shortly as possible.
    """

    def __init__(self, tools: Iterable[Tool[Any]], short: bool = False) -> None:
        self._short = short
        self._tools = {tool.name: tool for tool in tools}
        self._schemas = [tool.schema(short) for tool in self._tools.values()]

    def schemas(self) -> list[dict[str, Any]]:
        """Describe all tools, always in the same order: a provider's cache depends on it."""
        return self._schemas

    def add(self, tools: Iterable[Tool[Any]]) -> list[str]:
        """Take further tools, behind the others; returns the names of those that are new.

        It costs a provider's cache once, so it is for what could not be there earlier.
        """
        new = [tool for tool in tools if tool.name not in self._tools]
        self._tools.update({tool.name: tool for tool in new})
        self._schemas = [*self._schemas, *(tool.schema(self._short) for tool in new)]
        return [tool.name for tool in new]

    def names(self) -> list[str]:
        """Names of all tools."""
        return list(self._tools)

    def get(self, name: str) -> Tool[Any] | None:
        """Return the tool of a name; None if she has none."""
        return self._tools.get(name)

    async def use(self, call: ToolCall, context: ToolContext) -> Result:
        """Use a tool.

        Arguments that do not validate never run, nor do those that a limit of tokens has cut
        off: she reads the error.
        """
        name = call.name
        tool = self.get(name)
        if tool is None:
            return Result(
                f'You have no tool {name[:80]!r}. You have: {", ".join(self._tools)}.', ok=False
            )
        if call.cut:
            return Result(
                f'{name} did not run: the answer was cut off at the limit of tokens before its '
                'arguments were whole.',
                ok=False,
            )
        try:
            parsed = parse(call.arguments)
            wrong = await tool.check(parsed) if tool.check else ''
            if wrong:
                raise ValueError(wrong)
            checked = tool.arguments.model_validate(parsed)
        except ValidationError as error:
            return Result(f'{name} did not run: {_problems(error)}', ok=False)
        except ValueError as error:
            return Result(f'{name} did not run: {error}', ok=False)
        try:
            return await tool.run(checked, context)
        except NoAnswer as silence:
            why = (
                'it may have happened, and is not repeated' if silence.lost else 'nothing happened'
            )
            return Result(f'{silence}: {why}.', ok=False)
        except Exception as error:  # noqa: BLE001 - anybody may have written it: she reads what broke
            return Result(
                f'{name} broke ({type(error).__name__}: {error}); it may have done something.',
                ok=False,
                broke=''.join(traceback.format_exception(error)),
            )


def parse(arguments: str) -> Any:
    """Read a model's arguments.

    Raises
    ------
    ValueError
        If they are not a JSON object. What says that there are none is none: an empty text, a
        `null`, an empty list.
    """
    try:
        parsed = json.loads(arguments.strip() or '{}')
    except json.JSONDecodeError as error:
        raise ValueError(f'the arguments are not JSON ({error})') from None
    except RecursionError:
        raise ValueError('the arguments lie too deep in each other') from None
    if parsed is None or parsed == '' or parsed == []:
        return {}
    if not isinstance(parsed, dict):
        raise ValueError('the arguments are not a JSON object')
    cleaned: dict[str, Any] = dict(clean_value(parsed))  # escapes may hide half a character
    return cleaned


def _problems(error: ValidationError) -> str:
    return '; '.join(
        f'{".".join(str(p) for p in problem["loc"]) or "arguments"}: {problem["msg"]}'
        for problem in error.errors()
    )


def digest(value: str | Mapping[str, Any], most: int | None = None) -> str:
    """Short digest of a text, or of arguments in any order; equal for equal content.

    Parameters
    ----------
    most
        So many characters count; None: all.
    """
    if not isinstance(value, str):
        value = json.dumps(value, sort_keys=True, ensure_ascii=False)
    normal = ' '.join(value.split()).casefold()[:most]
    return hashlib.sha256(normal.encode('utf-8', 'surrogatepass')).hexdigest()[:16]
