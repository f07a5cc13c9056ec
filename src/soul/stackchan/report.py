"""The driver's state of health, for /diagnostics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from soul.core.organ import Health
from soul.stackchan.transports.port import PortState

if TYPE_CHECKING:
    from soul.stackchan.stackchan import StackChan

_RECENT = 60.0  # s


def health_of(organ: StackChan, now: float) -> Health:
    """Sum up link and body; the worst problem is the message."""
    port, head, gauge = organ.port, organ.components.neck.head, organ.components.readings.gauge
    about = port.about
    values = {
        'transport': organ.transport,
        'link': port.state.value,
        'link age s': f'{now - port.heard:.2f}',
        **port.figures(),
        'sessions': str(port.joins),
        'boots': str(organ.link.boots),
        'reading age ms': f'{1000.0 * organ.components.readings.late:.1f}',
        'battery V': f'{gauge.last.voltage:.2f}',
        'battery A': f'{gauge.last.current:.3f}',
        'charge': f'{gauge.last.percentage:.2f}',
        'charging': {None: 'unknown', True: 'yes', False: 'no'}[gauge.last.charging],
        'supply V': f'{gauge.vbus:.2f}',
        'unbelieved readings': str(head.rejected),
        'uncommanded motions': str(head.uncommanded),
        'own words heard': str(organ.components.inbound.echoes),
        **_voice(organ),
        'device': about.uid if about else '',
        'firmware': about.firmware if about else '',
        'boot': about.boot if about else '',
        'reset cause': about.reset_cause if about else '',
        'capabilities': ' '.join(about.capabilities) if about else '',
        **{f'notice {n}': text for n, text in enumerate(organ.components.notices)},
    }
    level, message = _verdict(organ, now)
    return Health(level, message, values)


def _voice(organ: StackChan) -> dict[str, str]:
    """Sum up voice and ears, where there are any."""
    ears, sounding = organ.components.ears, organ.components.voice.sounding
    values = {}
    if sounding is not None:
        values['gaps in speech'] = str(sounding.underruns)
    if ears is not None:
        values |= {
            'voice': ears.engines.mouth or 'none',
            'ears': ears.engines.ear or 'none',
            'utterances heard': str(ears.heard),
            'utterances that nobody said': str(ears.invented),
        }
    return values


def _verdict(organ: StackChan, now: float) -> tuple[str, str]:
    port, head = organ.port, organ.components.neck.head
    if head.fault:
        return 'error', head.fault
    if port.state is PortState.MONITOR:
        return 'error', organ.detail
    if organ.link.trouble:
        return 'warn', organ.link.trouble
    if not port.joined:
        level = 'ok' if organ.link.connection.asleep else 'warn'
        return level, organ.detail or 'no body is connected'
    if port.stale(now):
        return 'warn', 'the body has been silent for a while'
    if organ.components.readings.gauge.low_supply:
        return (
            'warn',
            f'the supply is low: {organ.components.readings.gauge.vbus:.2f} V; the head rests',
        )
    if organ.components.readings.gauge.stuck:
        return 'warn', 'the charge never changes: it counts as unknown'
    if now - head.uncommanded_at < _RECENT:
        return 'warn', 'the head has moved by itself: is the idle motion of its firmware on?'
    if trouble := port.trouble():
        return 'warn', trouble
    return 'ok', 'connected' if organ.gate.active else 'connected, not active'
