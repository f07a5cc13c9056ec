"""Dates as she writes them into her pages, and as people write them there."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo

# 2026-11-30, 2026/11/30 and 2026年11月30日, with or without a time and an offset behind it
_STAMP = re.compile(
    r'\s*(\d{4})\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})日?'
    r'(?:[T ,，]+(\d{1,2})[:：时](\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?'
)
#: The times that exist in every time zone, s since 1970: two days within the years 1 to 9999.
EARLIEST = -62135596800.0 + 2 * 86400.0
LATEST = 253402300799.0 - 2 * 86400.0
_SEPARATOR = re.compile(r'^[\s:：,，.·—–|-]+')


def stamp(now: float, zone: tzinfo | None = None) -> str:
    """Write a time to the minute, as local time of `zone` (None: the host's)."""
    return f'{local(now, zone):%Y-%m-%d %H:%M}'


def local(now: float, zone: tzinfo | None = None) -> datetime:
    """Return the local time of `now`, seconds since 1970; what no calendar has is its edge."""
    if now != now:
        now = 0.0
    return datetime.fromtimestamp(min(max(now, EARLIEST), LATEST), timezone.utc).astimezone(zone)


def take_stamp(text: str, zone: tzinfo | None = None) -> tuple[float | None, str]:
    """Read a date that stands at the beginning of a text.

    Returns
    -------
    time, rest
        Seconds since 1970, None if the text begins with no date that exists; and what follows.
        A date without a time means its noon.
    """
    found = _STAMP.match(text)
    if not found:
        return None, text
    year, month, day, hour, minute, offset = found.groups()
    try:
        when = datetime(  # noqa: DTZ001 - the zone follows
            int(year), int(month), int(day), int(hour or 12), int(minute or 0)
        )
        if offset:
            seconds = when.replace(tzinfo=_offset(offset)).timestamp()
        elif zone is not None:
            seconds = when.replace(tzinfo=zone).timestamp()
        else:
            seconds = when.astimezone().timestamp()
    except (ValueError, OverflowError, OSError):
        return None, text
    if not EARLIEST <= seconds <= LATEST:
        return None, text
    return seconds, _SEPARATOR.sub('', text[found.end() :])


def _offset(text: str) -> timezone:
    if text == 'Z':
        return timezone.utc
    sign = -1 if text[0] == '-' else 1
    digits = text[1:].replace(':', '')
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))
