"""A state file whose content is one type: read from plain JSON values and written as such.

The type is a frozen dataclass with a field ``schema``, the number of its shape. A file without
that number has shape 1. What has another shape is refused with one line that says where and what
is wrong; nothing goes on with half of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from soul.store.atomic import AtomicFile, Unreadable

if TYPE_CHECKING:  # whoever only looks for a home need not load the checker of types
    from pydantic import TypeAdapter, ValidationError

State = TypeVar('State')

#: Shape of a file that does not name it.
FIRST_SCHEMA = 1
#: So many of the places that are wrong are named.
MOST_NAMED = 3


class ShapeRefused(ValueError):
    """Values that are not of the shape they should have; the text names where and what."""


class Shape(Generic[State]):
    """Turns one type of state into plain JSON values and back.

    Parameters
    ----------
    kind
        A dataclass with a field ``schema`` whose default is the newest known number.
    """

    def __init__(self, kind: type[State]) -> None:
        self._adapter = _adapter(cast(Any, kind))
        fields: Mapping[str, Any] = getattr(kind, '__dataclass_fields__', {})
        self._schema = fields['schema'].default if 'schema' in fields else FIRST_SCHEMA

    def read(self, plain: Mapping[str, Any]) -> State:
        """Return the state that `plain` is.

        Raises
        ------
        ShapeRefused
            If it has another shape, or was written by a later version.
        """
        from pydantic import ValidationError

        schema = plain.get('schema', FIRST_SCHEMA)
        if isinstance(schema, int) and schema > self._schema:
            raise ShapeRefused(
                f'a later version wrote it, in schema {schema}; '
                f'this version knows schema {self._schema} at most'
            )
        try:
            return self._adapter.validate_python(plain)
        except ValidationError as error:
            raise ShapeRefused(_problems(error)) from None

    def plain(self, state: State) -> dict[str, Any]:
        """Return the state as plain JSON values."""
        return cast(dict[str, Any], self._adapter.dump_python(state, mode='json'))


class StateFile(Generic[State]):
    """One :class:`~soul.store.AtomicFile` that holds a state of one type.

    Parameters
    ----------
    kind
        As :class:`Shape`.
    check
        Looks at what no type says; raises :class:`ShapeRefused`.
    """

    def __init__(
        self,
        path: Path,
        kind: type[State],
        check: Callable[[State], State] = lambda state: state,
    ) -> None:
        self._file = AtomicFile(path)
        self._shape = Shape(kind)
        self._check = check

    @property
    def anomalies(self) -> list[str]:
        """What was wrong with the generations of the file, in words."""
        return self._file.anomalies

    def read(self) -> State | None:
        """Return the newest valid generation; None if the file never existed.

        Raises
        ------
        Unreadable
            If there is none that is whole, or it has another shape than such a state.
        """
        plain = self._file.read()
        if plain is None:
            return None
        try:
            return self._check(self._shape.read(plain))
        except ShapeRefused as refused:
            raise Unreadable(self._file.path, [str(refused)]) from None

    def write(self, state: State) -> None:
        """Replace the state; when this returns it is on the disk.

        Raises
        ------
        OSError
            For example if the disk is full; the state before is still there then.
        """
        self._file.write(self._shape.plain(state))


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    """Make the reader of a type once: that takes milliseconds."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _problems(error: ValidationError) -> str:
    """Say in one line where something is wrong, what stands there and why it cannot be."""
    found = error.errors(include_url=False, include_context=False)
    told = [_problem(problem) for problem in found[:MOST_NAMED]]
    more = len(found) - len(told)
    return '; '.join(told) + (f'; and {more} more' if more else '')


def _problem(problem: Mapping[str, Any]) -> str:
    from soul.core.fitting import shown

    where = shown('.'.join(map(str, problem['loc'])))[1:-1] or 'all of it'
    if problem['type'] == 'missing':
        return f'{where} is missing'
    return f'{where} is {shown(problem["input"])}: {problem["msg"]}'
