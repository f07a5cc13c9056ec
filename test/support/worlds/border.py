"""Signals of every type with whatever values somebody could send, for the tests of the border."""

import dataclasses
import inspect
import math
import types
import typing

from hypothesis import strategies as st

import soul.signals

#: Every type of signal, also those that only stand within others.
KINDS = [
    kind
    for _, kind in inspect.getmembers(soul.signals, inspect.isclass)
    if dataclasses.is_dataclass(kind)
]

FLOATS = st.sampled_from(
    [0.0, 0.5, 1.0, -1.0, 60.0, 1e12, -1e300, 1e300, math.nan, math.inf, -math.inf]
)
INTS = st.sampled_from([0, 1, 2, -1, 2**31, 2**63, 2**64 - 1, 2**64, -(2**70), 10**5000])
#: What a text may be made of, repeated to the length that is drawn.
PIECES = [
    'a', 'ann', '\nALERTS', 'FOCUS ▸ [d1] ', '[d[d1', '\u202e', '\u200b', 'e\u0301\u0301',
    'F\ufe0f', '\0', '\ud800', '\x1b[2J', '\n', '你好', '../', '{"a": ', '[/]',
]  # fmt: skip
LENGTHS = [1, 1, 1, 3, 150, 5_000, 60_000]


def texts(lengths):
    known = ['', 'message', 'moved', 'waking', 'slept', 'reply', 'focus', 'seen', 'expect', 'door']
    made = st.builds(lambda piece, n: piece * n, st.sampled_from(PIECES), st.sampled_from(lengths))
    return st.one_of(st.sampled_from(known), made)


def values(hint, lengths):
    """Strategy for a field."""
    if typing.get_origin(hint) is tuple:
        inner, *rest = typing.get_args(hint)
        entry = values(inner, lengths)
        if rest and rest[0] is not Ellipsis:
            return st.tuples(*[entry for _ in (inner, *rest)])
        few = st.lists(entry, max_size=3)
        many = st.builds(lambda one, n: [one] * n, entry, st.sampled_from([1, 70, 400]))
        return st.one_of(few, many).map(tuple)
    if isinstance(hint, types.UnionType):
        return st.one_of(*[values(one, lengths) for one in typing.get_args(hint)])
    if dataclasses.is_dataclass(hint):
        return signals(hint, lengths)
    return {
        float: FLOATS,
        int: INTS,
        bool: st.booleans(),
        bytes: st.sampled_from([b'', b'x', b'\xff' * 1000]),
        type(None): st.none(),
        str: texts(lengths),
    }[hint]


def signals(kind, lengths=tuple(LENGTHS)):
    """Strategy for signals of a type."""
    hints = typing.get_type_hints(kind)
    fields = {f.name: values(hints[f.name], lengths) for f in dataclasses.fields(kind)}
    return st.builds(kind, **fields)


def leaves(signal, path=''):
    """All plain values within a signal, with their paths."""
    if dataclasses.is_dataclass(signal):
        for field in dataclasses.fields(signal):
            yield from leaves(getattr(signal, field.name), f'{path}.{field.name}')
    elif isinstance(signal, tuple):
        for entry in signal:
            yield from leaves(entry, f'{path}[]')
    else:
        yield path, signal
