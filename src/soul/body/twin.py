"""The digital twin: what the body is like, and what has just changed about it."""

from __future__ import annotations

import dataclasses
import math
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from soul.body.bands import CELSIUS, LUX, band
from soul.body.config import BodyConfig
from soul.body.host import HostReading
from soul.body.motion import Motion
from soul.organ import Health, Organ
from soul.signals import (
    NO,
    UNKNOWN,
    YES,
    Band,
    Battery,
    BodyState,
    Connection,
    Extras,
    Illuminance,
    Imu,
    Screen,
    SenseEvent,
    SenseKind,
    Temperature,
    Touch,
)

LOW_CHARGE = 0.2
#: How much lighter charging feels than the charge alone.
CHARGING_LIFT = 0.2
#: Shortest time between two states, s, when only numbers drift.
STATE_PAUSE = 30.0


class BodyTwin(Organ):
    """Pure logic of the body; see :mod:`soul.organ` for the form.

    Parameters
    ----------
    host
        Reads the host; None: the host is not part of the body.
    """

    hears = {
        'battery_state': Battery,
        'temperature': Temperature,
        'illuminance': Illuminance,
        'imu/data_raw': Imu,
        'screen': Screen,
        'touch': Touch,
        'connection': Connection,
        'body/extra': Extras,
    }
    says = {'body/state': BodyState, 'body/event': SenseEvent}
    memory_file = 'body.json'

    def __init__(
        self,
        config: BodyConfig,
        host: Callable[[], HostReading] | None = None,
        memory: Mapping[str, Any] | None = None,
    ) -> None:
        memory = memory or {}
        self._config = config
        self._host = host
        self._motion = Motion(config.moved_acceleration)
        self._state = BodyState()
        self._said = BodyState()
        self._said_at = -math.inf
        self._heard_at = math.nan
        self._host_at = -math.inf
        self._lost: bool = memory.get('lost', False)

    def memory(self) -> Mapping[str, Any]:
        """What must survive."""
        return {'lost': self._lost}

    # --- time -----------------------------------------------------------------------------

    def start(self, now: float) -> Iterable[Any]:
        """Begin to feel."""
        return self._update(now)

    def due(self) -> float:
        """When the host is looked at, or a silent body counts as lost."""
        silent = self._heard_at + self._config.silence_seconds
        waits = [silent] if not (math.isnan(silent) or self._lost) else []
        if self._host is not None:
            waits.append(self._host_at + self._config.host_seconds)
        return min(waits, default=math.inf)

    def step(self, now: float) -> Iterable[Any]:
        """Look at the host; notice silence."""
        if self._host is not None and now >= self._host_at + self._config.host_seconds:
            yield from self._look_at_host(now)
        if not self._lost and now - self._heard_at >= self._config.silence_seconds:
            yield from self._lose('the body has fallen silent', now)

    def _look_at_host(self, now: float) -> Iterable[Any]:
        assert self._host is not None
        self._host_at = now
        host, before = self._host(), self._state.online
        self._set(cpu=host.cpu, memory=host.memory, disk=host.disk, online=host.online)
        if before != UNKNOWN and host.online != before:
            kind = SenseKind.ONLINE if host.online == YES else SenseKind.OFFLINE
            yield self._event(
                kind, 0.3, f'the network is {"there" if host.online else "gone"}', now
            )
        yield from self._update(now)

    # --- sensing --------------------------------------------------------------------------

    def _set(self, **changes: Any) -> None:
        self._state = dataclasses.replace(self._state, **changes)

    def _alive(self, now: float) -> Iterable[Any]:
        self._heard_at = now
        if self._lost:
            self._lost = False
            self._set(connected=YES)
            yield self._event(SenseKind.BODY_BACK, 0.6, 'the body is back', now)
        elif self._state.connected != YES:
            self._set(connected=YES)

    def _lose(self, detail: str, now: float) -> Iterable[Any]:
        self._lost = True
        # What is not sensed any more is unknown, never zero.
        kept = {name: getattr(self._state, name) for name in ('cpu', 'memory', 'disk', 'online')}
        self._state = BodyState(connected=NO, **kept)
        self._motion = Motion(self._config.moved_acceleration)
        yield self._event(SenseKind.BODY_LOST, 0.6, detail, now)
        yield from self._update(now)

    def on_connection(self, connection: Connection, now: float) -> Iterable[Any]:
        """The driver tells whether a body is there."""
        if connection.connected:
            yield from self._alive(now)
            yield from self._update(now)
        elif self._state.connected == YES and not self._lost:
            yield from self._lose(connection.detail or 'the body is gone', now)

    def on_battery(self, battery: Battery, now: float) -> Iterable[Any]:
        """Feel the battery."""
        yield from self._alive(now)
        before = self._state
        charge = battery.percentage if battery.present else math.nan
        charging = {None: UNKNOWN, True: YES, False: NO}[battery.charging]
        energy = min(1.0, charge + CHARGING_LIFT) if charging == YES else charge
        self._set(charge=charge, energy=energy, charging=charging)
        if UNKNOWN not in (before.charging, charging) and before.charging != charging:
            kind = SenseKind.PLUGGED if charging == YES else SenseKind.UNPLUGGED
            yield self._event(kind, 0.3, f'the charger is {kind}', now)
        if before.charge >= LOW_CHARGE > charge:
            yield self._event(SenseKind.LOW_BATTERY, 1.0 - charge, 'the battery is low', now)
        yield from self._update(now)

    def on_temperature(self, reading: Temperature, now: float) -> Iterable[Any]:
        """Feel warmth."""
        yield from self._alive(now)
        before = self._state.warmth
        warmth = band(reading.celsius, CELSIUS, before, 0.02)
        self._set(temperature=reading.celsius, warmth=warmth)
        if before and warmth == Band.HOT != before:
            yield self._event(SenseKind.HOT, 0.7, f'it is hot: {reading.celsius:.0f} °C', now)
        yield from self._update(now)

    def on_illuminance(self, reading: Illuminance, now: float) -> Iterable[Any]:
        """Feel light."""
        yield from self._alive(now)
        before = self._state.brightness
        brightness = band(reading.lux, LUX, before, 0.1)
        self._set(illuminance=reading.lux, brightness=brightness)
        if before and brightness and brightness != before:
            words = 'darker' if brightness < before else 'brighter'
            strength = abs(brightness - before) / 3.0
            yield self._event(SenseKind.LIGHT, strength, f'it has become {words}', now)
        yield from self._update(now)

    def on_imu(self, imu: Imu, now: float) -> Iterable[Any]:
        """Feel motion."""
        yield from self._alive(now)
        still, held = self._state.still, self._state.picked_up
        self._motion.feel(imu, now)
        self._set(still=self._motion.still, picked_up=self._motion.picked_up)
        if still == YES and self._motion.still == NO:
            yield self._event(SenseKind.MOVED, self._motion.strength, 'something moves you', now)
        if held == NO and self._motion.picked_up == YES:
            yield self._event(SenseKind.PICKED_UP, 0.8, 'somebody picks you up', now)
        yield from self._update(now)

    def on_screen(self, screen: Screen, now: float) -> Iterable[Any]:
        """Notice the screen."""
        yield from self._alive(now)
        before, after = self._state.screen_on, YES if screen.on else NO
        self._set(screen_on=after)
        if UNKNOWN != before != after:
            kind = SenseKind.SCREEN_ON if screen.on else SenseKind.SCREEN_OFF
            yield self._event(kind, 0.3, f'the screen is {"on" if screen.on else "off"}', now)
        yield from self._update(now)

    def on_touch(self, touch: Touch, now: float) -> Iterable[Any]:
        """Feel a touch."""
        yield from self._alive(now)
        strength = max(touch.zones, default=0.0)
        if strength > 0.0 and touch.gesture != 'release':
            yield self._event(
                SenseKind.TOUCHED, strength, 'somebody touches your head', now, touch.trusted
            )

    def on_extras(self, extras: Extras, now: float) -> Iterable[Any]:
        """Any further sense shows that the body is there."""
        return self._alive(now)

    def _event(
        self, kind: str, magnitude: float, detail: str, now: float, trusted: bool = True
    ) -> SenseEvent:
        return SenseEvent(
            stamp=now,
            id=uuid.uuid4().hex[:12],
            kind=kind,
            magnitude=min(1.0, max(0.0, magnitude)),
            detail=detail,
            trusted=trusted,
        )

    # --- out ------------------------------------------------------------------------------

    def _update(self, now: float) -> Iterable[Any]:
        self._set(feelings=_feelings(self._state))
        if _felt(self._state) != _felt(self._said) or (
            now - self._said_at >= STATE_PAUSE and self._state != self._said
        ):
            self._said, self._said_at = self._state, now
            yield dataclasses.replace(self._state, stamp=now)

    def health(self, now: float) -> Health:
        """How the body is."""
        values = {
            'connected': {YES: 'yes', NO: 'no'}.get(self._state.connected, 'unknown'),
            'feelings': ', '.join(self._state.feelings) or 'none',
        }
        return Health('warn', 'the body is lost', values) if self._lost else Health(values=values)


def _feelings(state: BodyState) -> tuple[str, ...]:
    found = {
        'cold': state.warmth == Band.COLD,
        'hot': state.warmth == Band.HOT,
        'dark': state.brightness == Band.DARK,
        'glaring': state.brightness == Band.GLARING,
        'held': state.picked_up == YES,
        'tired': state.energy < LOW_CHARGE,
        'charging': state.charging == YES,
        'numb': state.connected == NO,
    }
    return tuple(name for name, holds in found.items() if holds)


def _felt(state: BodyState) -> tuple[Any, ...]:
    """What counts as a change of the body; numbers alone drift."""
    return (
        state.feelings,
        state.warmth,
        state.brightness,
        state.still,
        state.picked_up,
        state.screen_on,
        state.charging,
        state.connected,
        state.online,
        round(state.charge, 1) if not math.isnan(state.charge) else None,
    )
