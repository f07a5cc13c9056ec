"""The digital twin: what the body is like, and what has just changed about it.

Readings are mirrored as they come. A sample looks at all of them and at the host, compares with
what was told before and tells what is different. What matters at once (a touch, somebody lifts
the body, a jump of the light, the charger, the screen, a lost body) brings a sample forward.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from soul.body import events
from soul.body.bands import jumped
from soul.body.changes import Changes
from soul.body.config import BodyConfig
from soul.body.feelings import Bands, felt
from soul.body.host import HostReading
from soul.body.memory import BodyMemory
from soul.body.motion import Motion
from soul.body.pace import Pace
from soul.body.picture import compare, picture
from soul.body.presence import Presence
from soul.body.senses import Senses
from soul.body.touching import Touching
from soul.core.organ import Health, Organ, Save
from soul.core.output import Outputs
from soul.signals import (
    NO,
    UNKNOWN,
    YES,
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

#: Shortest time between two looks at the host, s: its load is a mean over that time.
HOST_PAUSE = 10.0
#: Called so late, she was not there: the host was suspended or the clock leapt, s.
OVERSLEPT = 5.0
_MOST_EXTRAS = 32


class BodyTwin(Organ):
    """Pure logic of the body; see :mod:`soul.core.organ` for the form.

    Parameters
    ----------
    host
        Reads the host; None: the host is not part of the body.
    memory
        What :meth:`memory` was when she fell asleep.
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
    memory_type = BodyMemory

    def __init__(
        self,
        config: BodyConfig,
        host: Callable[[], HostReading] | None = None,
        memory: BodyMemory | None = None,
    ) -> None:
        memory = memory or BodyMemory(told={})
        self._config = config
        self._host = host
        self._changes = Changes(config.event_pause, memory.told)
        self._bands = Bands.of(memory.bands)
        self._presence = Presence(config.silence_seconds, config.lost_grace, memory.connected)
        self._pace = Pace(config.sample_min, config.sample_max, config.sample_growth)
        self._senses = Senses(config.sense_seconds)
        self._motion = self._new_motion()
        self._touching = Touching()
        self._screen = UNKNOWN
        self._extras: dict[str, str] = {}
        self._seen = HostReading(online=UNKNOWN)
        self._seen_at = -math.inf
        self._state = BodyState(connected=self._presence.connected)
        self._said: BodyState | None = None
        self._clock = -math.inf

    def memory(self) -> BodyMemory:
        """Return what must survive."""
        return BodyMemory(
            told=dict(self._changes.told),
            bands=self._bands.memory(),
            connected=self._presence.connected,
        )

    # --- time -----------------------------------------------------------------------------

    def start(self, now: float) -> Outputs:
        """Publish the first state; what was there before the restart still counts."""
        self._presence.begin(now)
        return self._feel(now)

    def due(self) -> float:
        """When a sample is due, something waits to be told, or a silent body counts as lost."""
        return min(self._pace.due, self._presence.due, self._changes.due())

    def step(self, now: float) -> Outputs:
        """Do what is due."""
        if now - self.due() > OVERSLEPT:  # the silence was ours
            self._presence.overslept(now)
        return self._feel(now)

    def _watch_clock(self, now: float) -> None:
        if now < self._clock:
            for part in (self._pace, self._senses, self._changes):
                part.clock_went_back(now)
            self._presence.overslept(now)
            self._motion = self._new_motion()
            self._seen_at = min(self._seen_at, now)
        self._clock = now

    # --- sensing --------------------------------------------------------------------------

    def on_connection(self, connection: Connection, now: float) -> Outputs:
        """The driver tells whether a body is there."""
        self._watch_clock(now)
        if connection.asleep and not connection.connected:
            self._presence.sleeps(now)
            return self._feel(now)
        if not connection.connected:
            self._presence.dropped(connection.detail, now)
            return self._feel(now)
        return self._feel(now, self._presence.joined(now))

    def on_battery(self, battery: Battery, now: float) -> Outputs:
        """Feel the battery; a share beyond 0..1 is none."""
        share = battery.percentage
        sound = battery.present and -0.01 <= share <= 1.01
        charge = min(1.0, max(0.0, share)) if sound else math.nan
        charging = math.nan if battery.charging is None else float(battery.charging)
        return self._take(now, charge=charge, charging=charging)

    def on_temperature(self, reading: Temperature, now: float) -> Outputs:
        """Take a reading of the temperature, degrees Celsius."""
        return self._take(now, celsius=reading.celsius)

    def on_illuminance(self, reading: Illuminance, now: float) -> Outputs:
        """Take a reading of the light, lux; a jump makes the next sample come at once."""
        if jumped(self._state.illuminance, reading.lux):
            self._pace.hurry(now)
        return self._take(now, lux=reading.lux if reading.lux >= 0.0 else math.nan)

    def on_imu(self, imu: Imu, now: float) -> Outputs:
        """Take a reading of motion; whether she is still, moved or lifted follows from it."""
        self._watch_clock(now)
        if self._motion.feel(imu, now):
            self._pace.hurry(now)
        moving = math.nan if self._motion.still == UNKNOWN else float(self._motion.still == NO)
        return self._take(now, moving=moving)

    def on_screen(self, screen: Screen, now: float) -> Outputs:
        """Notice the screen; it is told when it changes, so it never grows old."""
        before, self._screen = self._screen, YES if screen.on else NO
        if self._screen != before:
            self._pace.hurry(now)
        return self._take(now)

    def on_touch(self, touch: Touch, now: float) -> Outputs:
        """Take a reading of the touch zones, or a gesture."""
        strength = self._touching.feel(touch, now)
        if strength > 0.0:
            self._pace.hurry(now)
            make = events.event(
                SenseKind.TOUCHED, strength, 'somebody touches your head', touch.trusted
            )
            yield make(now)
        yield from self._take(now)

    def on_extras(self, extras: Extras, now: float) -> Outputs:
        """Any further sense shows that the body is there."""
        for pair in extras.values:
            if pair.key in self._extras or len(self._extras) < _MOST_EXTRAS:
                self._extras[pair.key] = pair.value
        return self._take(now)

    def _take(self, now: float, **readings: float) -> Outputs:
        self._watch_clock(now)
        back = self._presence.heard(now)
        if self._presence.connected == YES:
            for name, value in readings.items():
                if self._senses.take(name, value, now):
                    self._pace.gather(now)
            charging = readings.get('charging', math.nan)
            told = self._changes.told.get('charging', charging)
            if math.isfinite(charging) and charging != told:
                self._pace.hurry(now)
        return self._feel(now, back)

    # --- feeling --------------------------------------------------------------------------

    def _feel(self, now: float, appeared: bool = False) -> Iterator[Any]:
        """Tell what there is to tell now."""
        self._watch_clock(now)
        told: list[SenseEvent] = []
        if appeared:
            self._pace.hurry(now)
            back = events.event(SenseKind.BODY_BACK, 0.6, 'the body is back')
            told += self._changes.note('lost', 0, now, back)
        if self._presence.lose(now):
            self._forget()
            self._pace.hurry(now)
            lost = events.event(SenseKind.BODY_LOST, 0.6, self._presence.why)
            self._changes.told.setdefault('lost', 0)
            told += self._changes.note('lost', 1, now, lost)
        told += self._changes.step(now)
        sampling = now >= self._pace.due
        if sampling:
            told += self._sample(now)
        if told:
            with contextlib.suppress(OSError):  # rather told twice than not at all
                yield Save()  # nothing is told twice, whatever happens next
            yield from told
        if sampling and self._state != self._said:
            self._said = self._state
            yield dataclasses.replace(self._state, stamp=now)

    def _forget(self) -> None:
        """The body is gone: what is not sensed any more is unknown, never zero."""
        self._senses.forget()
        self._changes.waive('charging', 'low', 'hot', 'light', 'moving', 'held', 'screen')
        self._changes.told['moving'] = self._changes.told['held'] = 0
        self._motion = self._new_motion()
        self._touching = Touching()
        self._screen = UNKNOWN
        self._extras.clear()

    def _sample(self, now: float) -> list[SenseEvent]:
        """Look at the whole body, and compare with the sample before."""
        before = felt(self._state, self._bands)
        self._look_at_host(now)
        self._state = picture(
            partial(self._senses.read, now=now), self._bands, self._motion, self._seen,
            self._screen, self._presence.connected,
        )  # fmt: skip
        told = list(compare(self._state, self._changes, self._motion.strength, now))
        self._pace.sampled(felt(self._state, self._bands) != before, now)
        return told

    def _look_at_host(self, now: float) -> None:
        if self._host is not None and now - self._seen_at >= HOST_PAUSE:
            self._seen, self._seen_at = self._host(), now

    def _new_motion(self) -> Motion:
        held = bool(self._changes.told.get('held'))
        return Motion(self._config.moved_acceleration, held)

    # --- out ------------------------------------------------------------------------------

    def health(self, now: float) -> Health:
        """How the body is."""
        state = self._state
        values = {
            'connected': {YES: 'yes', NO: 'no'}.get(state.connected, 'unknown'),
            'feelings': ', '.join(state.feelings) or 'none',
            'sampled every': f'{self._pace.interval:.0f} s',
            **{f'extra {key}': value for key, value in self._extras.items()},
        }
        lost = self._presence.connected == NO
        return Health('warn', 'the body is lost', values) if lost else Health(values=values)
