"""The one border for what comes in: every signal is checked here before an organ hears it.

What a field may hold stands in its annotation (`soul.signals.limits`). From that a check is made
once for each type of signal, with all that is nested in it. What does not fit is brought to fit
(a number clamped or unknown, a text or list cut) or the signal is refused, as the field says;
either way it is counted and told with the topic, the field and the value, and never an exception.
Texts are cut before anything else is done with them.

Beside the limits, every text loses what no file or wire can carry (NUL, half surrogates), and
names lose what cannot be seen. What a text pretends to be is the business of whoever shows it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from soul.core.organ import Health, Report
from soul.signals.limits import REFUSE, UNKNOWN, Chars, Most, Within

#: A field of a topic is told in the log at most once in this time, s.
PAUSE = 60.0
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


@dataclass(slots=True)
class _Count:
    times: int = 0
    told_at: float = -math.inf
    last: str = ''


@dataclass(frozen=True, slots=True)
class Passed:
    """What became of a signal at the border."""

    signal: Any  # None: refused
    reason: str = ''  # why, for whoever asked
    reports: tuple[Report, ...] = ()  # lines for the log


@dataclass
class Border:
    """Checks what one organ, or all of a process, hears, and counts what did not fit."""

    _counts: dict[tuple[str, str], _Count] = field(default_factory=dict)
    _newest: float = -math.inf  # when something did not fit last

    def admit(self, topic: str, signal: Any, now: float) -> Passed:
        """Check a signal.

        Parameters
        ----------
        topic
            Where it came: a topic, service or action.
        now
            Seconds of any clock that the log goes by.
        """
        kept, found = fit(signal)
        if not found:
            return Passed(signal)
        reports = [r for finding in found if (r := self._count(topic, finding, now))]
        last = found[-1]
        reason = f'{last.field} {last.what} (it is {last.value})' if kept is None else ''
        return Passed(kept, reason, tuple(reports))

    def _count(self, topic: str, finding: Finding, now: float) -> Report | None:
        count = self._counts.setdefault((topic, finding.field), _Count())
        count.times += 1
        count.last = f'{finding.what}: {finding.value}'
        self._newest = now
        if 0.0 <= now - count.told_at < PAUSE:
            return None
        count.told_at = now
        times = f', {count.times} times by now' if count.times > 1 else ''
        return Report('warning', f'{topic}: {finding.field} {count.last}{times}')

    def values(self) -> dict[str, str]:
        """What did not fit, by topic and field, for /diagnostics."""
        return {
            f'border {topic}.{name}': f'{count.times} times; the last {count.last}'
            for (topic, name), count in self._counts.items()
        }

    def health(self, health: Health, now: float) -> Health:
        """Add what did not fit to an organ's health: a warning while it is fresh."""
        if not self._counts:
            return health
        values: Mapping[str, str] = {**health.values, **self.values()}
        fresh = 0.0 <= now - self._newest < PAUSE
        if health.level != 'ok' or not fresh:
            return Health(health.level, health.message, values)
        return Health('warn', 'something that came in did not fit', values)


# --- checks, made from the annotations --------------------------------------------------------


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
