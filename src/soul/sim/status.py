"""How a life on a bus is, as plain values for a program."""

from __future__ import annotations

from typing import Any

from soul.core.bus import Bus
from soul.signals import Connection, Energy, GuardState, HeartState, MindState, View


def status_of(bus: Bus) -> dict[str, Any]:
    """Return what her organs said last: phase, stages, readings, guards, energy, mood, body."""
    mind: MindState = bus.latest('mind/state') or MindState()
    view: View = bus.latest('field/view') or View()
    guard: GuardState = bus.latest('guard/state') or GuardState()
    energy: Energy = bus.latest('guard/energy') or Energy()
    heart: HeartState = bus.latest('heart/state') or HeartState()
    body: Connection = bus.latest('connection') or Connection()
    return {
        'phase': mind.phase,
        'stages': {s.session: (s.stage, s.elapsed) for s in mind.sessions},
        'stage_seconds': {s.name: s.value for s in mind.last_turn.stages},
        'model': mind.model,
        'model_available': mind.model_available,
        'wakings': mind.wakings,
        'readings': {r.name: r.value for r in view.readings},
        'mood': view.mood,
        'focus': view.focus,
        'guards': {
            'stopped': guard.stopped,
            'paused': guard.paused,
            'reason': guard.stop_reason,
        },
        'energy': energy.level,
        'tokens': energy.tokens_used,
        'cost': energy.cost_used,
        'rate_per_hour': heart.rate_per_hour,
        'asleep': heart.asleep,
        'drives': {drive.name: drive.level for drive in heart.drives},
        'body': {
            'connected': body.connected,
            'device': body.device,
            'capabilities': body.capabilities,
            'detail': body.detail,
        },
    }
