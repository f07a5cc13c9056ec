"""What can go wrong with a device, as users have reported; each is a switch."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

#: Values of the faults that are numbers, where they are only switched on.
_TYPICAL = {
    'hang_after_reversals': 3,
    'protect_above_hz': 20.0,
    'ignore_ack': 1,
    'stall': 1.0,
    'vbus_sag': 650.0,
    'constant_charge': 96.0,
    'major': 2,
    'corrupt': 0.05,
    'jitter': 0.8,
}


@dataclass
class Faults:
    """Switches of the simulated device; everything off is a sound one.

    `major` and `jitter` are of soul-serial, `stop_clears` of a device that dials; all others are
    there whatever the device speaks.
    """

    servo_hung: bool = False  # positions cannot be read any more, only a power cycle helps
    hang_after_reversals: int = 0  # so many large fast reversals within 2 s hang the bus; 0 never
    protect_above_hz: float = 0.0  # head commands faster than that trip the servos; 0 never
    sentinel_reads: bool = False  # a failed read is reported as an angle
    stuck_reads: bool = False  # failed reads, honestly reported
    idle_motion: bool = False  # the firmware moves the head by itself
    phantom_touch: bool = False
    rotten_session: bool = False  # forgets its session id without a word
    ignore_ack: int = 0  # so many acknowledgements get lost
    ignore_done: bool = False  # an utterance never ends
    stall: float = 0.0  # s between receiving and doing
    mute: bool = False  # the port is there, nothing comes
    vbus_sag: float = 0.0  # mV that the supply is too low
    constant_charge: float = 0.0  # percentage that it always reports; 0: the real one
    flapping_charger: bool = False  # the charging flag changes at each report
    unknown_power: bool = False  # the power chip answers nothing
    dead_env: bool = False  # the light chip answers nothing
    shaken_by_servos: bool = False  # motion of the head is reported as a shake
    hears_itself: bool = False  # what it says is heard as somebody's words
    stop_clears: bool = False  # the end of a speech drops what has not been played
    jitter: float = 0.0  # s that what it says is held back at most, as by a sleeping radio
    major: int = 1  # version of the protocol it speaks
    corrupt: float = 0.0  # share of frames sent with a wrong byte, 0..1

    def typical(self, name: str, on: bool) -> Any:
        """What a fault is set to when it is switched on or off: a number as users met it."""
        off = getattr(type(self)(), name)
        return _TYPICAL.get(name, True) if on else off

    def set(self, name: str, value: Any) -> None:
        """Switch a fault.

        Raises:
        ------
        KeyError
            If there is no such fault.
        ValueError
            If the value is of the wrong type.
        """
        if name not in {field.name for field in fields(self)}:
            raise KeyError(f'no fault is called {name}')
        kind = type(getattr(self, name))
        if isinstance(value, bool) is not (kind is bool) or not isinstance(value, int | float):
            raise ValueError(f'{name} is a {kind.__name__}, not {value!r}')
        setattr(self, name, kind(value))


def load_scenario(path: Path) -> list[tuple[float, str, Any]]:
    """Read a scenario: a JSON list of ``{"at": seconds, "fault": name, "value": ...}``.

    Returns the switches in the order of their time since the start.

    Raises:
    ------
    ValueError
        If the file says something else; names the entry.
    """
    try:
        entries = json.loads(path.read_text(encoding='utf-8'))
    except (OSError, ValueError) as error:
        raise ValueError(f'scenario {path}: {error}') from error
    if not isinstance(entries, list):
        raise ValueError(f'scenario {path}: a list is expected')
    switches = []
    for number, entry in enumerate(entries):
        try:
            at, name, value = float(entry['at']), str(entry['fault']), entry['value']
            if not 0.0 <= at < math.inf:
                raise ValueError(f'at is {at}, needed are seconds since the start')
            Faults().set(name, value)
        except (TypeError, KeyError, ValueError) as error:
            raise ValueError(f'scenario {path}, entry {number}: {error}') from error
        switches.append((at, name, value))
    return sorted(switches, key=lambda switch: switch[0])
