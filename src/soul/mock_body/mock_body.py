"""The organ behind the simulated device: it lets time pass and people poke it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from soul.core.organ import Health, Organ, Report
from soul.core.output import Outputs
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device
from soul.mock_body.faults import Faults, load_scenario
from soul.mock_body.firmware import Firmware
from soul.mock_body.official_firmware import OfficialFirmware
from soul.mock_body.socket import Socket
from soul.mock_body.wire_log import WireLog
from soul.mock_body.xiaozhi_firmware import XiaozhiFirmware
from soul.signals import Extras, SetBoolAnswer, SetBoolRequest, TriggerAnswer, TriggerRequest

_FIRMWARES: dict[str, Any] = {
    'soul_serial': Firmware,
    'stackchan_mcp': XiaozhiFirmware,
    'official': OfficialFirmware,
}


class MockBody(Organ):
    """A device on a desk. What it senses and does goes over the wire only.

    `socket` is what its firmware speaks to: a :class:`~soul.mock_body.pty.PtySocket`, or a
    :class:`~soul.mock_body.dialler.Dialler` where it dials.

    On `~/faults` its faults are switched by name: key the name, value as in JSON.
    """

    hears: ClassVar = {'~/faults': Extras}
    serves: ClassVar = {
        '~/pick_up': SetBoolRequest,
        '~/darken': SetBoolRequest,
        '~/unplug': SetBoolRequest,
        '~/lose_link': SetBoolRequest,
        '~/touch': TriggerRequest,
        '~/reboot': TriggerRequest,
        '~/wake': TriggerRequest,
        '~/press': TriggerRequest,
        '~/talk': TriggerRequest,
        '~/hang_up': TriggerRequest,
        **{f'~/fault/{field.name}': SetBoolRequest for field in fields(Faults)},
    }

    def __init__(
        self,
        config: MockBodyConfig,
        rng: random.Random,
        socket: Any,
        log_path: Path,
    ) -> None:
        self.faults = Faults()
        for field in fields(Faults):
            setattr(self, f'serve_{field.name}', partial(self._switch, field.name))
        self.device = Device(config, rng)
        self.log = WireLog(log_path, config.log_bytes)
        made = _FIRMWARES[config.flavour]
        self.firmware = made(self.device, config, self.faults, rng, socket, self.log)
        self._config = config
        self._socket: Socket = socket
        self._linked = False
        self._scenario = load_scenario(Path(config.scenario)) if config.scenario else []
        self._began = 0.0

    def start(self, now: float) -> Outputs:
        """Switch the device on."""
        self._began = now
        self.device.begin(now)
        self.firmware.boot(now, uptime=self._config.uptime)
        self._link(True, now)
        return (Report('info', 'the simulated device is on'),)

    def due(self) -> float:
        """When the device moves, reports or misbehaves next."""
        due = self.firmware.due()
        if self._scenario:
            due = min(due, self._began + self._scenario[0][0])
        return due

    def step(self, now: float) -> Outputs:
        """Move the simulated device up to now and send what is due."""
        while self._scenario and self._began + self._scenario[0][0] <= now:
            _, name, value = self._scenario.pop(0)
            self.faults.set(name, value)
            yield Report('info', f'fault {name} = {value}')
        self.firmware.step(now)

    def on_bytes(self, data: Any, now: float) -> Outputs:
        """Hear what came over the wire, or what happened on the line."""
        if self._linked:
            self.firmware.receive(data, now)
        return ()

    def on_extras(self, extras: Extras, now: float) -> Outputs:
        """Hear which faults to switch."""
        for switch in extras.values:
            try:
                self.faults.set(switch.key, json.loads(switch.value))
            except (KeyError, ValueError) as error:
                yield Report('error', f'fault {switch.key} = {switch.value}: {error}')
            else:
                yield Report('info', f'fault {switch.key} = {switch.value}')
        self.firmware.step(now)

    def serve_pick_up(self, request: SetBoolRequest, now: float) -> tuple[SetBoolAnswer, Outputs]:
        """Take it into one's hands, or put it down."""
        self.device.held = request.data
        return SetBoolAnswer(True, 'held' if request.data else 'put down'), ()

    def serve_darken(self, request: SetBoolRequest, now: float) -> tuple[SetBoolAnswer, Outputs]:
        """Darken the room, or light it."""
        self.device.darkened = request.data
        return SetBoolAnswer(True, 'dark' if request.data else 'light'), ()

    def serve_unplug(self, request: SetBoolRequest, now: float) -> tuple[SetBoolAnswer, Outputs]:
        """Take it from its charger, or put it back."""
        self.device.advance(now)
        self.device.plugged = not request.data
        return SetBoolAnswer(True, 'on battery' if request.data else 'on its charger'), ()

    def serve_lose_link(
        self, request: SetBoolRequest, now: float
    ) -> tuple[SetBoolAnswer, Outputs]:
        """Pull the data cable, or put it back."""
        self._link(not request.data, now)
        return SetBoolAnswer(True, 'no link' if request.data else 'linked'), ()

    def serve_touch(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """Touch the simulated head, most in the middle."""
        self.device.advance(now)
        self.device.touch((2, 3, 1))
        self.firmware.step(now)
        return TriggerAnswer(True, 'touched'), ()

    def serve_reboot(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """Switch it off and on."""
        self.firmware.boot(now)
        return TriggerAnswer(True, f'boot {self.firmware.boot_id}'), ()

    def serve_wake(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """Say its wake word, or tap its screen."""
        return self._dialled(lambda firmware: firmware.wake(now), 'woken')

    def serve_press(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """Stop what it says."""
        return self._dialled(lambda firmware: firmware.press(now), 'pressed')

    def serve_talk(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """Say to it what is in its file."""
        path = self._config.spoken_file
        if not path:
            return TriggerAnswer(False, 'the parameter spoken_file names no file'), ()
        try:
            return self._dialled(lambda f: f.microphone.hear_file(Path(path)), 'said')
        except ValueError as error:
            return TriggerAnswer(False, str(error)), ()

    def serve_hang_up(self, request: TriggerRequest, now: float) -> tuple[TriggerAnswer, Outputs]:
        """Let it end the conversation."""
        return self._dialled(lambda firmware: firmware.line.hang_up(False), 'hung up')

    def _dialled(
        self, do: Callable[[XiaozhiFirmware], None], done: str
    ) -> tuple[TriggerAnswer, Outputs]:
        if not isinstance(self.firmware, XiaozhiFirmware):
            return TriggerAnswer(False, 'this flavour of it does not dial'), ()
        do(self.firmware)
        return TriggerAnswer(True, done), ()

    def _switch(
        self, name: str, request: SetBoolRequest, now: float
    ) -> tuple[SetBoolAnswer, Outputs]:
        """Switch a fault on, as users met it, or off."""
        value = self.faults.typical(name, request.data)
        self.faults.set(name, value)
        self.firmware.step(now)
        return SetBoolAnswer(True, f'{name} = {value}'), ()

    def health(self, now: float) -> Health:
        """How the simulated device is."""
        return Health(
            'ok',
            'joined' if self.firmware.sid else 'nobody has joined',
            {'boot': self.firmware.boot_id, **self.firmware.counts()},
        )

    def stop(self, now: float) -> Outputs:
        """Switch the device off."""
        self._link(False, now)
        return ()

    def close(self) -> None:
        """Close the wire log, and what the firmware holds."""
        self.log.close()
        self.firmware.close()

    def _link(self, linked: bool, now: float) -> None:
        if linked == self._linked:
            return
        self._linked = linked
        if linked:
            self._socket.plug()
        else:
            self.firmware.lose_power(now)
            self._socket.unplug()
