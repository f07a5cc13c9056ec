"""What a server's error means, whatever form it comes in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from soul.mind.providers.base import Fault, ProviderError

#: Statuses after which trying again soon is useless.
LASTING = frozenset({400, 401, 402, 403, 404, 405, 422})
#: Statuses that are about the key, or what is paid for it.
KEY_FAULTS = frozenset({401, 402, 403})
#: Statuses below 500 after which the same may be asked again.
AGAIN = frozenset({200, 408, 409, 425, 429})
#: A server that wants to be left alone for longer is asked again earlier, s.
LONGEST_AFTER = 3600.0
#: What servers say of a request that is longer than the model can read.
TOO_LONG = (
    'context', 'too long', 'maximum length', 'too large', 'token limit', 'too many tokens',
    'n_ctx', 'num_ctx', 'n_keep', 'input token count',
)  # fmt: skip
#: Names of errors that come without a status of their own, or with one that misleads.
_STATUS_OF = {
    'authentication_error': 401,
    'invalid_api_key': 401,
    'api_key_invalid': 401,
    'unauthenticated': 401,
    'billing_error': 402,
    'insufficient_quota': 402,
    'insufficient_balance': 402,
    'permission_error': 403,
    'permission_denied': 403,
    'not_found_error': 404,
    'not_found': 404,
    'model_not_found': 404,
    'invalid_request_error': 400,
    'invalid_argument': 400,
    'request_too_large': 413,
    'context_length_exceeded': 413,
    'rate_limit_error': 429,
    'rate_limit_exceeded': 429,
    'resource_exhausted': 429,
    'api_error': 500,
    'server_error': 500,
    'internal': 500,
    'unavailable': 503,
    'timeout_error': 504,
    'overloaded_error': 529,
}
#: Names that say more than the status they come with.
_TELLING = frozenset({'insufficient_quota', 'insufficient_balance', 'billing_error'})
_SECONDS = re.compile(r'(\d+(?:\.\d+)?)s')


def error_text(error: Any) -> str:
    """Read an error block of any form, also one that is still JSON; at most 300 characters."""
    if isinstance(error, str):
        try:
            error = json.loads(error)
        except (ValueError, RecursionError):
            return ' '.join(error.split())[:300]
    if isinstance(error, list) and error:
        return error_text(error[0])
    if isinstance(error, Mapping):
        inner = error.get('error')
        if inner:
            return error_text(inner)
        return str(error.get('message') or error)[:300]
    return str(error)[:300]


def says_too_long(said: str) -> bool:
    """Whether an error of a server is about a request longer than the model can read."""
    return any(word in said.lower() for word in TOO_LONG)


def reported(error: Any) -> ProviderError:
    """Return the error that a server reports inside an answer that began well."""
    said, code = error_text(error), status_in(error)
    too_long = code == 413 or (says_too_long(said) and code not in (401, 402, 403, 404))
    return ProviderError(
        'the model server reports an error',
        lasting=code in LASTING and not too_long,
        too_long=too_long,
        detail=said,
        after=after_in(error),
        begun=True,
        status=code,
        fault=fault_of(code or 200, too_long),
    )


def refused(status: int, text: str, headers: Mapping[str, str], hint: str) -> ProviderError:
    """Return the error that an answer is.

    Parameters
    ----------
    status
        Of the answer; 200: it was no completion.
    hint
        What a person could do about it; see :func:`hint_for`.
    """
    said = error_text(text)
    inner = status_in(text)
    code = inner if inner and (status == 200 or inner in KEY_FAULTS) else status
    words = f'the model server answered {status}'
    if status == 200:
        words = 'the model server answered something that is no completion'
    elif code in (401, 403):
        words = 'the model server refuses the key'
    elif code == 402:
        words = 'nothing is left to pay the model with'
    too_long = code in (200, 400, 413) and says_too_long(said)
    too_long = too_long or 413 in (code, inner)
    too_long = too_long or (code == 429 and 'request too large' in said.lower())
    return ProviderError(
        words,
        lasting=code in LASTING and not too_long,
        too_long=too_long,
        detail=f'answered {status}{"" if too_long else hint}: {said}',
        after=max(after_of(headers), after_in(text)),
        begun=status == 200,
        status=code,
        fault=fault_of(code, too_long),
    )


def hint_for(status: int, text: str, model: str, temperature: float | None, key: str) -> str:
    """Say what a person could do about an error; empty: nothing is known.

    Parameters
    ----------
    key
        Which key it is, in words.
    """
    said = error_text(text).lower()
    if status in (401, 403) or status_in(text) in (401, 403):
        return f' (is {key} right?)'
    if status in (404, 405) and 'model' in said:
        return f' (does the server know the model {model!r}? set `model`)'
    if status in (404, 405):
        return ' (is `base_url` complete? it mostly ends with /v1)'
    if 'temperature' in said and temperature is not None:
        return f' (it does not take temperature {temperature:g}; set `temperature`)'
    return ''


def fault_of(status: int, too_long: bool) -> str:
    """Say whose fault a status is; see :class:`~soul.mind.providers.base.Fault`."""
    if too_long:
        return Fault.TOO_LONG
    if status in KEY_FAULTS:
        return Fault.KEY
    return Fault.AGAIN if status in AGAIN or status >= 500 else Fault.MODEL


def status_in(error: Any) -> int:
    """Return the status that an error block speaks of; 0: none."""
    block = _block(error)
    names = [str(block.get(name) or '').lower() for name in ('code', 'type', 'status')]
    details = block.get('details')
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            names.insert(0, str(detail.get('reason') or '').lower())
    for name in names:
        if name in _TELLING or name == 'api_key_invalid':
            return _STATUS_OF[name]
    for name in names:
        if name.isdecimal() and 400 <= int(name[:4]) < 600:
            return int(name)
        if name in _STATUS_OF:
            return _STATUS_OF[name]
    return 0


def after_of(headers: Mapping[str, str]) -> float:
    """Return how long a server wants to be left alone by its headers, s; 0: it does not say."""
    after = headers.get('retry-after-ms', '')
    if after:
        return _within(after, 0.001)
    after = headers.get('retry-after', '').strip()
    if not after or after[0].isdigit() or after[0] in '+-.':
        return _within(after)
    try:
        until = parsedate_to_datetime(after)
        now = parsedate_to_datetime(headers['date']) if 'date' in headers else None
        # only its own clock knows what it means; without that, the one of this machine
        left = _aware(until) - (_aware(now) if now else datetime.now(timezone.utc))
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return _within(left / timedelta(seconds=1))


def after_in(error: Any) -> float:
    """Return how long a server wants to be left alone by its error block, s."""
    details = _block(error).get('details')
    for detail in details if isinstance(details, list) else ():
        delay = detail.get('retryDelay') if isinstance(detail, Mapping) else None
        found = _SECONDS.fullmatch(delay) if isinstance(delay, str) else None
        if found:
            return _within(found[1])
    return 0.0


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def _within(value: str | float, unit: float = 1.0) -> float:
    try:
        seconds = float(value) * unit
    except ValueError:
        return 0.0
    return min(seconds, LONGEST_AFTER) if seconds > 0.0 else 0.0  # NaN is not above 0


def _block(error: Any) -> Mapping[str, Any]:
    """Return the innermost error block."""
    for _ in range(4):
        if isinstance(error, str):
            try:
                error = json.loads(error)
            except (ValueError, RecursionError):
                return {}
        if isinstance(error, list) and error:
            error = error[0]
        if not isinstance(error, Mapping):
            return {}
        if not error.get('error'):
            return error
        if isinstance(error['error'], str) and ('code' in error or 'type' in error):
            return error
        error = error['error']
    return {}
