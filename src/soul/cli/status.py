"""`soul status`: how she is, in one picture."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from soul.cli.forecast import forecast
from soul.signals import (
    BodyState,
    Connection,
    Energy,
    GuardState,
    HeartState,
    MindState,
    View,
)
from soul.terminal.link import Link, LinkLost

TOPICS: dict[str, type] = {
    'mind/state': MindState,
    'heart/state': HeartState,
    'field/view': View,
    'body/state': BodyState,
    'connection': Connection,
    'guard/state': GuardState,
    'guard/energy': Energy,
}
#: The nodes that say what not every soul has.
SAID_BY = {'body/state': 'body_twin', 'connection': 'stackchan', 'field/view': 'field'}
#: Without these nobody can be called alive.
VITAL = ('mind/state', 'heart/state', 'guard/state')

#: Longest wait for what is not vital, s.
HEALTH_SECONDS = 2.2


def bar(level: float, cells: int = 20) -> str:
    """Draw a level from 0 to 1."""
    full = round(min(1.0, max(0.0, level)) * cells)
    return '█' * full + '░' * (cells - full)


class Status:
    """Collects her latched states."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._states: dict[str, Any] = {}
        self._health: dict[str, tuple[str, str]] = {}  # by organ: level and message
        self._changed = threading.Condition()
        for topic, kind in TOPICS.items():
            link.listen(topic, kind, lambda state, t=topic: self._on_state(t, state))  # type: ignore[misc]
        link.listen_health(self._on_health)
        link.on_lost = self._on_lost

    def _on_lost(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _on_health(self, organ: str, level: str, message: str) -> None:
        with self._changed:
            self._health[organ] = (level, message)
            self._changed.notify_all()

    def _on_state(self, topic: str, state: Any) -> None:
        with self._changed:
            self._states[topic] = state
            self._changed.notify_all()

    def wait(self, seconds: float) -> bool:
        """Wait for the vital states; then a moment for the others.

        Returns
        -------
        bool
            Whether anything of her lives; an organ that is down or silent is one of the rows.

        Raises
        ------
        LinkLost
            If she ends meanwhile.
        """
        self._wait_for(VITAL, seconds)
        if all(topic in self._states for topic in VITAL):
            # Whoever is missing and not simply absent is perhaps down, and says so once every two
            # seconds.
            absent = [
                topic
                for topic, node in SAID_BY.items()
                if topic not in self._states and not self._link.is_said(topic, node)
            ]
            self._wait_for([topic for topic in TOPICS if topic not in absent], HEALTH_SECONDS)
        return any(topic in self._states for topic in VITAL) or bool(self._health)

    def _wait_for(self, topics: Iterable[str], seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(
                lambda: self._link.lost or all(topic in self._states for topic in topics), seconds
            )
        if self._link.lost:
            raise LinkLost(self._link.lost)

    def picture(self) -> RenderableType:
        """Draw what is known."""
        table = Table.grid(padding=(0, 2))
        table.add_column(style='bold')
        table.add_column()
        for name, text in self._rows():
            table.add_row(name, text)
        parts: list[RenderableType] = [table]
        view: View | None = self._states.get('field/view')
        if view is not None:
            parts.append(Panel(Text(view.text), title='what she sees', expand=False))
        return Group(*parts)

    def _rows(self) -> list[tuple[str, str]]:
        rows = []
        mind: MindState | None = self._states.get('mind/state')
        if mind is not None:
            rows.append(
                ('mind', f'{mind.phase}, {mind.wakings} wakings, thinks with {mind.model}')
            )
            for session in mind.sessions:
                name = f'{session.session}: ' if session.session else ''
                rows.append(('', f'{name}{session.stage} for {session.elapsed:.0f} s'))
            stages = ', '.join(f'{s.name} {s.value:.1f} s' for s in mind.last_turn.stages)
            if stages:
                rows.append(('', f'last waking ({mind.last_turn.outcome}): {stages}'))
            if mind.open_loops:
                rows.append(('', f'{mind.open_loops} matters kept in mind'))
            if mind.trouble:
                rows.append(('', f'she cannot think well: {mind.trouble}'))
            elif not mind.model_available and mind.phase != 'stopped':
                rows.append(('', 'the model is not available'))
        heart: HeartState | None = self._states.get('heart/state')
        if heart is not None:
            held = f' (held down by {", ".join(heart.inhibited_by)})' if heart.inhibited_by else ''
            rows.append(('heart', f'{heart.rate_per_hour:.2f} wakes an hour{held}'))
            rows += [('', f'{drive.name:<12}{bar(drive.level)}') for drive in heart.drives]
        body: Connection | None = self._states.get('connection')
        rows.append(('body', _body(body, self._states.get('body/state'))))
        guard: GuardState | None = self._states.get('guard/state')
        if guard is not None:
            rows.append(('guard', _guard(guard)))
            if guard.recent:
                act = guard.recent[-1]
                rows.append(('', f'last act: {act.what} ({act.state})'))
        view: View | None = self._states.get('field/view')
        if view is not None:
            rows.append(('mood', f'{view.mood}{f" ({view.because})" if view.because else ""}'))
            rows.append(('focus', view.focus or 'her gaze wanders'))
            readings = ', '.join(f'{r.name} {r.value:g}' for r in view.readings)
            rows.append(('senses', readings or 'no tick yet'))
        silent = [t.split('/')[0] for t in VITAL if t not in self._states]
        rows += [(name, 'says nothing') for name in silent if name not in self._health]
        rows += [
            (organ, f'{level}: {message}')
            for organ, (level, message) in sorted(self._health.items())
            if level != 'ok'
        ]
        energy: Energy | None = self._states.get('guard/energy')
        if energy is not None:
            rows += _energy(energy, mind is None or mind.cost_known)
        return rows


def _energy(energy: Energy, cost_known: bool) -> list[tuple[str, str]]:
    until = datetime.fromtimestamp(energy.resets_at).astimezone()
    cost = f'{energy.cost_used:.2f} USD' if cost_known else 'cost unknown'
    rows = [
        (
            'energy',
            f'{bar(energy.level)} {energy.tokens_used} tokens, {cost}, '
            f'{energy.wakes_used} wakes; renewed {until:%a %H:%M}',
        )
    ]
    if energy.month_cost_limit:
        used, limit = energy.month_cost_used, energy.month_cost_limit
        rows.append(('', f'{used:.2f} of {limit:.2f} USD this month'))
    if not cost_known:
        rows.append(('', 'a model of hers has no prices: soul models list'))
    if told := forecast(energy, time.time(), cost_known):
        rows.append(('', told))
    return rows


def _guard(guard: GuardState) -> str:
    if guard.stopped:
        return f'STOPPED: {guard.stop_reason}'
    held = [name for name in ('paused', 'safe_mode') if getattr(guard, name)]
    waiting = f', {len(guard.pending)} approvals wait' if guard.pending else ''
    return (' and '.join(held).replace('_', ' ') or 'watching') + waiting


def _body(connection: Connection | None, state: BodyState | None) -> str:
    if connection is not None and connection.asleep:
        return f'{connection.device or "a body"} is {connection.detail}'
    if connection is None or not connection.connected:
        return 'none' if connection is None else f'not connected: {connection.detail}'
    feelings = ', '.join(state.feelings) if state and state.feelings else 'at ease'
    return f'{connection.device} over {connection.transport}; feels {feelings}'
