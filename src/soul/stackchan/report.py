"""The driver's state of health, for /diagnostics."""

from __future__ import annotations

import statistics
from collections.abc import Collection
from typing import TYPE_CHECKING

from soul.core.organ import Health
from soul.stackchan.session import State

if TYPE_CHECKING:
    from soul.stackchan.stackchan import StackChan

_RECENT = 60.0  # s
_UNTIDY = 0.01  # share of lost frames worth a warning


def health_of(organ: StackChan, now: float) -> Health:
    """Sum up link and body; the worst problem is the message."""
    session, head, gauge = organ.session, organ.parts.neck.head, organ.parts.readings.gauge
    hello, commands, decoder = session.hello, session.commands, session.decoder.stats
    values = {
        'transport': organ.transport,
        'link': session.state.value,
        'link age s': f'{now - session.heard:.2f}',
        'frames': str(decoder.frames),
        'bad frames': str(decoder.bad_frames),
        'bad messages': str(session.bad_messages),
        'log lines': str(decoder.log_lines),
        'over-long lines': str(decoder.overlong),
        'lost frames': str(session.sequence.lost),
        'retries': str(commands.retries),
        'unanswered': str(commands.unanswered),
        'sessions': str(session.joins),
        'boots': str(organ.link.boots),
        'round trip ms': _milliseconds(commands.round_trips),
        'reading age ms': f'{1000.0 * organ.parts.readings.late:.1f}',
        'battery V': f'{gauge.last.voltage:.2f}',
        'battery A': f'{gauge.last.current:.3f}',
        'charge': f'{gauge.last.percentage:.2f}',
        'charging': {None: 'unknown', True: 'yes', False: 'no'}[gauge.last.charging],
        'supply V': f'{gauge.vbus:.2f}',
        'unbelieved readings': str(head.rejected),
        'uncommanded motions': str(head.uncommanded),
        'own words heard': str(organ.parts.inward.echoes),
        'device': hello.uid if hello else '',
        'firmware': hello.fw if hello else '',
        'boot': hello.boot if hello else '',
        'reset cause': hello.rst if hello else '',
        'capabilities': ' '.join(hello.caps) if hello else '',
        **{f'notice {n}': text for n, text in enumerate(organ.parts.notices)},
        'last log line': session.decoder.recent_log[-1] if session.decoder.recent_log else '',
    }
    level, message = _verdict(organ, now)
    return Health(level, message, values)


def _verdict(organ: StackChan, now: float) -> tuple[str, str]:
    session, head = organ.session, organ.parts.neck.head
    if head.fault:
        return 'error', head.fault
    if session.state is State.MONITOR:
        return 'error', organ.detail
    if not session.joined:
        return 'warn', organ.detail or 'no body is connected'
    if session.stale(now):
        return 'warn', 'the body has been silent for a while'
    if organ.parts.readings.gauge.low_supply:
        return (
            'warn',
            f'the supply is low: {organ.parts.readings.gauge.vbus:.2f} V; the head rests',
        )
    if organ.parts.readings.gauge.stuck:
        return 'warn', 'the charge never changes: it counts as unknown'
    if now - head.uncommanded_at < _RECENT:
        return 'warn', 'the head has moved by itself: is the idle motion of its firmware on?'
    if session.sequence.loss > _UNTIDY:
        return 'warn', f'{100.0 * session.sequence.loss:.1f} % of the frames are lost'
    return 'ok', 'connected' if organ.gate.active else 'connected, not active'


def _milliseconds(seconds: Collection[float]) -> str:
    return f'{1000.0 * statistics.median(seconds):.1f}' if seconds else ''
