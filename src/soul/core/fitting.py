"""Brings a signal within the limits that its fields are annotated with.

From the annotations (`soul.signals.limits`) a check is made once for each type of signal, with all
that is nested in it; see :mod:`soul.core.border` for what becomes of its findings.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from soul.signals.limits import REFUSE, UNKNOWN, Chars, Most, Within

#: So many characters of a value are told.
SHOWN = 60

_UNFIT = re.compile('[\x00\ud800-\udfff]')


class _Refused(Exception):
    """A signal that cannot be taken."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.field)
        self.finding = finding


@dataclass(frozen=True, slots=True)
class Finding:
    """What did not fit."""

    field: str  # its path within the signal, for example tasks[].id
    what: str  # what is wrong or was done, in words
    value: str  # the value, shortened and escaped


Findings = list[Finding]
#: Gives the value as it may be used; the same object if there is nothing about it.
Check = Callable[[Any, Findings], Any]


def fit(signal: Any) -> tuple[Any, Findings]:
    """Bring a signal within its limits.

    Returns
    -------
    tuple
        The signal (the same object if all of it fits; None if it is refused, and the last finding
        says why), and what did not fit.
    """
    found: Findings = []
    try:
        kind: Any = type(signal)
        return _whole(kind)(signal, found), found
    except _Refused as refused:
        return None, [*found, refused.finding]


@functools.cache
def _whole(kind: type) -> Check:
    return _dataclass(kind, '')


def _dataclass(kind: Any, path: str) -> Check:
    hints = typing.get_type_hints(kind, include_extras=True)
    before = f'{path}.' if path else ''
    steps = [(f.name, _check(hints[f.name], before + f.name)) for f in dataclasses.fields(kind)]

    def check(signal: Any, found: Findings) -> Any:
        if type(signal) is not kind:
            raise _Refused(Finding(path or 'it', f'is no {kind.__name__}', shown(signal)))
        changed = {}
        for name, step in steps:
            value = getattr(signal, name)
            kept = step(value, found)
            if kept is not value:
                changed[name] = kept
        return dataclasses.replace(signal, **changed) if changed else signal

    return check


def _check(hint: Any, path: str) -> Check:
    rule: Any = None
    if typing.get_origin(hint) is typing.Annotated:
        hint, rule, *_ = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        return _list(hint, path, rule)
    if hint is str:
        return _text(path, rule)
    if hint is float:
        return _number(path, rule)
    if hint is int:
        return _whole_number(path, rule)
    if hint is bytes:
        return _bytes(path, rule)
    if dataclasses.is_dataclass(hint):
        return _dataclass(typing.cast(type, hint), path)
    kinds = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    return _one_of(path, kinds)


def _one_of(path: str, kinds: tuple[type, ...]) -> Check:
    def check(value: Any, found: Findings) -> Any:
        if type(value) not in kinds:
            raise _Refused(Finding(path, 'is of another type', shown(value)))
        return value

    return check


def _text(path: str, rule: Chars) -> Check:
    most = rule.most

    def check(value: Any, found: Findings) -> Any:
        if not isinstance(value, str):
            raise _Refused(Finding(path, 'is no text', shown(value)))
        if len(value) > most:
            if rule.needed:
                why = f'has {len(value)} characters, allowed are {most}'
                raise _Refused(Finding(path, why, shown(value)))
            found.append(Finding(path, f'cut to {most} of {len(value)} characters', shown(value)))
            value = value[:most]
        if (not value.isascii() or '\0' in value) and _UNFIT.search(value):
            found.append(Finding(path, 'had characters that are none', shown(value)))
            value = _UNFIT.sub('\ufffd', value)
        if rule.name and not value.isprintable():
            found.append(Finding(path, 'had characters that cannot be seen', shown(value)))
            value = ''.join(char for char in value if char.isprintable())
        return value

    return check


def _number(path: str, rule: Within) -> Check:
    low, high, unknown = rule.low, rule.high, rule.beyond == UNKNOWN
    nan_fits = rule.nan or unknown

    def check(value: Any, found: Findings) -> Any:
        if not isinstance(value, (float, int)) or isinstance(value, bool):
            raise _Refused(Finding(path, 'is no number', shown(value)))
        if low <= value <= high:
            return value if isinstance(value, float) else float(value)
        if value != value and nan_fits:
            return value
        if rule.beyond == REFUSE:
            why = f'is not within {low:g} to {high:g}'
            raise _Refused(Finding(path, why, shown(value)))
        kept = math.nan if unknown else min(high, max(low, 0.0 if value != value else value))
        what = 'taken as unknown' if unknown else f'taken as {kept:g}'
        found.append(Finding(path, what, shown(value)))
        return float(kept)

    return check


def _whole_number(path: str, rule: Within | None) -> Check:
    # without a rule: samples by the thousand, whose type is their range
    if rule is None:
        return lambda value, found: value
    low, high = int(rule.low), int(rule.high)

    def check(value: Any, found: Findings) -> Any:
        if not isinstance(value, int) or isinstance(value, bool):
            raise _Refused(Finding(path, 'is no whole number', shown(value)))
        if low <= value <= high:
            return value
        if rule.beyond == REFUSE:
            raise _Refused(Finding(path, f'is not within {low} to {high}', shown(value)))
        kept = min(high, max(low, value))
        found.append(Finding(path, f'taken as {kept}', shown(value)))
        return kept

    return check


def _bytes(path: str, rule: Most) -> Check:
    def check(value: Any, found: Findings) -> Any:
        if not isinstance(value, bytes):
            raise _Refused(Finding(path, 'is no picture', shown(value)))
        if len(value) <= rule.most:
            return value
        # a part of a picture is none
        found.append(Finding(path, f'left out: allowed are {rule.most} bytes', shown(value)))
        return b''

    return check


def _list(hint: Any, path: str, rule: Most | None) -> Check:
    entry = typing.get_args(hint)[0]
    each = _check(entry, f'{path}[]')
    plain = entry is int
    most = rule.most if rule is not None else len(typing.get_args(hint))

    def check(values: Any, found: Findings) -> Any:
        if not isinstance(values, tuple):
            raise _Refused(Finding(path, 'is no list', shown(values)))
        whole = values
        if len(values) > most:
            what = f'cut to {most} of {len(values)} entries'
            found.append(Finding(path, what, shown(values[0])))
            values = values[:most]
        if plain:
            return values
        kept = [each(value, found) for value in values]
        same = values is whole and all(a is b for a, b in zip(kept, values, strict=True))
        return values if same else tuple(kept)

    return check


def shown(value: Any) -> str:
    """Write a value shortly, on one line and with nothing that a terminal would obey."""
    if isinstance(value, (str, bytes)):
        more = f'... ({len(value)})' if len(value) > SHOWN else ''
        return ascii(value[:SHOWN]) + more
    if isinstance(value, int) and value.bit_length() > 128:
        return f'a whole number of {value.bit_length()} bits'
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    return f'a {type(value).__name__}'
