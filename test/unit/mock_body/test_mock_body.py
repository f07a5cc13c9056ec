"""The simulated device: its physics, and its side of the protocol spoken to by hand."""

from __future__ import annotations

import dataclasses
import io
import itertools
import json
import math
import random
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pydantic import ValidationError

from soul.core.organ import server_name
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device
from soul.mock_body.faults import Faults, load_scenario
from soul.mock_body.firmware import Firmware
from soul.mock_body.mock_body import MockBody
from soul.mock_body.picture import draw
from soul.mock_body.wire_log import WireLog
from soul.signals import (
    Battery,
    Extras,
    Illuminance,
    Imu,
    KeyValue,
    SetBoolRequest,
    Touch,
    TriggerRequest,
)
from soul.wire import DEVICE_FRAMES, Decoder, encode, parse
from support.worlds.wire import World


def device(**config: Any) -> Device:
    return Device(MockBodyConfig(**({'noise': 0.0} | config)), random.Random(1))


class Host:
    """A host that says what a test wants, and keeps what it hears."""

    def __init__(self, faults: Faults | None = None, **config: Any) -> None:
        self.now = 0.0
        self.log: list[dict] = []
        self.heard: list[dict] = []
        self._decoder = Decoder()
        self._q = 0
        self._config = MockBodyConfig(**({'noise': 0.0} | config))
        self.device = Device(self._config, random.Random(1))
        self.firmware = Firmware(
            self.device, self._config, faults or Faults(), random.Random(2), self, self._Log(self)
        )
        self.firmware.boot(self.now)

    class _Log:
        def __init__(self, host: Host) -> None:
            self._host = host

        def write(self, entry: Any) -> None:
            self._host.log.append(dict(entry))

        def spoken(self) -> OrderedDict[str, str]:
            return OrderedDict()

    def write(self, data: bytes) -> None:
        for message in self._decoder.feed(data):
            parse(message, DEVICE_FRAMES)  # whatever the device says satisfies the protocol
            self.heard.append(message)

    def clear(self) -> None:
        pass

    def say(self, t: str, **fields: Any) -> None:
        self._q += 1
        sid = {'sid': 'abc'} if 'sid' not in fields else {}
        self.firmware.receive(encode({'t': t, 'q': self._q} | sid | fields), self.now)

    def join(self) -> Host:
        self.say('hello', proto=[1, 0], want={'joint': 0, 'imu': 0, 'power': 0, 'env': 0})
        return self

    def run(self, seconds: float) -> None:
        """Let time pass, alive."""
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.firmware.due() if self.firmware.due() > self.now else end)
            self.say('hb')
            self.firmware.step(self.now)

    def of(self, t: str) -> list[dict]:
        return [message for message in self.heard if message['t'] == t]

    def ack(self, id: str) -> list[tuple[str, str]]:
        return [(m['st'], m['why']) for m in self.of('ack') if m['id'] == id]


# --- protocol -------------------------------------------------------------------------------


def test_it_says_hello_until_joined():
    host = Host()
    for second in range(4):
        host.now = float(second)
        host.firmware.step(host.now)
    assert len(host.of('hello')) == 4
    assert host.of('hello')[0]['rst'] == 'poweron'
    host.join()
    assert host.of('welcome')[0]['sid'] == 'abc'
    host.run(3.0)
    assert len(host.of('hello')) == 4
    assert 5 <= len(host.of('hb')) <= 7


def test_a_repeated_id_is_never_done_again():
    host = Host().join()
    for _ in range(3):
        host.say('say', id='x', text='hello')
    assert host.ack('x') == [('ok', ''), ('dup', ''), ('dup', '')]
    host.run(2.0)
    host.say('say', id='x', text='hello')
    assert [m['ok'] for m in host.of('done')] == [True, True]
    assert len([e for e in host.log if e['e'] == 'say']) == 1


def test_the_last_64_ids_are_remembered():
    host = Host().join()
    for n in range(66):
        host.say('face', id=f'n{n}', name='happy')
    host.say('face', id='n2', name='sad')
    assert host.ack('n2')[-1] == ('dup', '')
    assert host.device.face == 'happy'
    host.say('face', id='n1', name='sad')
    assert host.ack('n1')[-1] == ('ok', '')


@pytest.mark.parametrize(
    ('fields', 'why'),
    [
        ({'t': 'warp', 'id': 'x'}, 'unsupported'),
        ({'t': 'mic', 'id': 'x', 'on': True}, 'unsupported'),
        ({'t': 'head', 'id': 'x', 'yaw': 'left', 'pitch': 1}, 'bad_field'),
        ({'t': 'face', 'id': 'x', 'name': 'smug'}, 'bad_field'),
        ({'t': 'face', 'id': 'x', 'name': 'sad', 'sid': 'old'}, 'stale_session'),
    ],
)
def test_what_is_refused(fields: dict, why: str):
    host = Host().join()
    host.say(**fields)
    assert host.ack('x') == [('nack', why)]


def test_nothing_is_done_without_a_session_but_a_stop():
    host = Host()
    host.say('face', id='x', name='sad')
    assert host.ack('x') == [('nack', 'stale_session')]
    host.say('stop', id='s')
    assert host.ack('s') == [('ok', '')]


def test_two_at_a_time_is_busy():
    host = Host().join()
    host.say('say', id='a', text='hello')
    host.say('say', id='b', text='hello')
    assert host.ack('b') == [('nack', 'busy')]


def test_a_command_that_waited_too_long_has_expired():
    host = Host(Faults(stall=0.6)).join()
    host.run(1.0)
    host.say('head', id='h', yaw=100, pitch=450)
    host.say('face', id='f', name='sad')
    host.say('face', id='g', name='sad', ttl=100)
    host.run(1.0)
    assert host.ack('h') == [('nack', 'expired')]
    assert host.ack('f') == [('ok', '')]
    assert host.ack('g') == [('nack', 'expired')]


def test_a_stop_overtakes_what_waits():
    host = Host(Faults(stall=0.4)).join()
    host.run(1.0)
    host.say('say', id='a', text='never')
    host.say('stop', id='s')
    assert host.ack('s') == [('ok', '')]
    host.run(2.0)
    assert host.ack('a') == []
    assert [e for e in host.log if e['e'] == 'say'] == []


def test_silence_of_the_host_ends_the_session():
    host = Host().join()
    host.say('say', id='a', text='a long story ' * 10)
    host.say('head', id='h', yaw=1200, pitch=450)
    host.now = 0.3
    host.firmware.step(host.now)
    host.now = 1.6
    host.firmware.step(host.now)
    assert host.firmware.sid == ''
    assert host.device.utterance is None
    where = host.device.yaw.angle
    host.now = 5.0
    host.firmware.step(host.now)
    assert host.device.yaw.angle == where
    assert host.of('hello')[-1]['up'] > 1500


def test_an_act_is_never_spoken_twice_whatever_its_id(tmp_path: Path):
    host = Host().join()
    host.say('say', id='a', act='act', text='hello')
    host.run(2.0)
    host.say('say', id='b', act='act', text='hello')
    assert host.ack('b') == [('dup', '')]
    assert host.of('done')[-1] | {'q': 0, 'up': 0} == {
        't': 'done', 'q': 0, 'up': 0, 'sid': 'abc', 'id': 'b', 'ok': True, 'why': '',
    }  # fmt: skip


@given(st.lists(st.binary(max_size=60), max_size=20))
def test_arbitrary_bytes_do_no_harm(pieces: list[bytes]):
    host = Host().join()
    for piece in pieces:
        host.firmware.receive(piece, host.now)
    host.firmware.receive(b'\n', host.now)
    host.say('face', id='x', name='sad')
    assert host.ack('x') == [('ok', '')]


# --- physics --------------------------------------------------------------------------------


def test_angles_come_in_steps_and_speed_is_limited():
    body = device()
    body.aim(1000.0, 450.0, 100.0)
    angles = []
    for n in range(1, 160):
        body.advance(n * 0.1)
        angles.append(body.yaw.reading)
    assert all(abs(a / 3.125 - round(a / 3.125)) < 1e-9 for a in angles)
    steps = [after - before for before, after in itertools.pairwise(angles)]
    assert max(steps) <= 100.0 + 3.125
    assert angles[-1] == pytest.approx(1000.0, abs=2.0)
    assert not body.moving


def test_a_turn_does_not_depend_on_how_often_time_is_asked_for():
    ends = []
    for pieces in (1, 7, 100):
        body = device()
        body.aim(800.0, 300.0, 120.0)
        for n in range(1, pieces + 1):
            body.advance(5.0 * n / pieces)
        ends.append((round(body.yaw.angle, 6), round(body.pitch.angle, 6)))
    assert len(set(ends)) == 1


def test_aims_are_clamped_and_said_so():
    body = device()
    assert body.aim(5000.0, 450.0, 100.0)
    assert not body.aim(100.0, 450.0, 100.0)
    assert body.aim(0.0, -100.0, 100.0)
    body.advance(10.0)
    assert body.pitch.angle == 50.0


def test_torque_is_released_after_a_while():
    body = device(torque_release=10.0)
    body.aim(100.0, 450.0, 100.0)
    body.advance(5.0)
    assert body.torque
    body.advance(14.0)
    assert not body.torque


def test_the_battery_drains_faster_in_motion_and_charges():
    def after_an_hour(moving: bool, plugged: bool) -> float:
        body = device(plugged=plugged, battery=0.5, battery_mah=2000.0)
        for n in range(3600):
            if moving:
                body.aim(900.0 if n // 10 % 2 else -900.0, 450.0, 100.0)
            body.advance(float(n))
        return body.charge

    assert after_an_hour(True, False) < after_an_hour(False, False) < 0.5
    assert after_an_hour(False, True) > 0.6


def test_it_warms_with_its_load():
    idle, busy = device(), device()
    for n in range(2000):
        idle.advance(float(n))
        busy.advance(float(n))
        busy.aim(900.0 if n // 10 % 2 else -900.0, 450.0, 100.0)
    assert idle.celsius == pytest.approx(24.0 + 5.4, abs=0.2)
    assert busy.celsius > idle.celsius + 1.5


def test_day_and_night():
    body = device()
    light = []
    for hour in range(24):
        body.advance(3600.0 * hour)
        light.append(body.lux)
    assert light[3] == light[22] == 2.0
    assert max(light) == light[13]
    assert max(light) == pytest.approx(320.0, rel=0.01)
    body.darkened = True
    assert body.lux < 1.0


def test_at_rest_it_feels_gravity_only_and_in_hands_it_sways():
    body = device()
    assert body.acceleration == (0.0, 0.0, 9.81)
    body.held = True
    moved = []
    for n in range(20):
        body.advance(n * 0.1)
        moved.append(math.hypot(*body.acceleration) - 9.81)
    assert max(map(abs, moved)) > 1.0


def test_the_picture_shows_the_room_and_darkness():
    body = device()
    body.advance(13 * 3600.0)
    bright = Image.open(io.BytesIO(draw(body, 80)))
    assert bright.size == (320, 240)
    body.darkened = True
    dark = Image.open(io.BytesIO(draw(body, 80)))

    def mean(image: Image.Image) -> float:
        return sum(image.convert('L').histogram()[v] * v for v in range(256)) / (320 * 240)

    assert mean(dark) < 0.3 * mean(bright)


# --- pokes, faults, log ---------------------------------------------------------------------


def test_pokes_arrive_over_the_wire(tmp_path: Path):
    world = World(tmp_path).up()
    world.run(2.0)
    world.mock.serve_unplug(SetBoolRequest(True), world.now)
    world.mock.serve_darken(SetBoolRequest(True), world.now)
    world.mock.serve_pick_up(SetBoolRequest(True), world.now)
    world.mock.serve_touch(TriggerRequest(), world.now)
    world.run(5.0)
    assert world.heard(Battery)[-1].charging is False
    assert world.heard(Battery)[-1].current < 0
    assert world.heard(Illuminance)[-1].lux < 1.0
    assert max(abs(imu.acceleration[0]) for imu in world.heard(Imu)[-20:]) > 0.5
    assert [touch.gesture for touch in world.heard(Touch)] == ['press', 'release']


def test_faults_are_switched_by_name(tmp_path: Path):
    world = World(tmp_path)
    switches = (
        KeyValue('idle_motion', 'true'), KeyValue('vbus_sag', '650'), KeyValue('warp', '1'),
        KeyValue('mute', '3'), KeyValue('corrupt', 'x'),
    )  # fmt: skip
    world.take(world.mock.on_extras(Extras(values=switches), world.now))
    assert world.mock.faults == Faults(idle_motion=True, vbus_sag=650.0)
    assert 'no fault is called warp' in world.reports()


def test_a_scenario_switches_faults_in_time(tmp_path: Path):
    file = tmp_path / 'scenario.json'
    file.write_text(json.dumps([
        {'at': 20, 'fault': 'mute', 'value': False}, {'at': 10, 'fault': 'mute', 'value': True},
    ]))  # fmt: skip
    world = World(tmp_path, mock={'scenario': str(file)}).up()
    world.run(9.0)
    assert world.driver.port.joined
    world.run(8.0)
    assert not world.driver.port.joined
    world.run(15.0)
    assert world.driver.port.joined


def test_every_fault_can_be_part_of_a_scenario(tmp_path: Path):
    file = tmp_path / 'scenario.json'
    typical = {f.name: Faults().typical(f.name, True) for f in dataclasses.fields(Faults)}
    switches = [{'at': n, 'fault': name, 'value': typical[name]} for n, name in enumerate(typical)]
    file.write_text(json.dumps(switches))
    world = World(tmp_path, mock={'scenario': str(file)})
    world.run(len(typical) + 1.0)
    said = world.reports()
    assert all(f'fault {name} = {value}' in said for name, value in typical.items())


@pytest.mark.parametrize(
    'text', ['{', '{}', '[{"at": 1}]', '[{"at": NaN, "fault": "mute", "value": true}]',
             '[{"at": -1, "fault": "mute", "value": true}]',
             '[{"at": 1, "fault": "warp", "value": 1}]',
             '[{"at": 1, "fault": "mute", "value": 1}]', '[3]'],
)  # fmt: skip
def test_a_wrong_scenario_is_named(tmp_path: Path, text: str):
    file = tmp_path / 'scenario.json'
    file.write_text(text)
    with pytest.raises(ValueError, match=r'scenario\.json'):
        load_scenario(file)


def test_the_wire_log_survives_a_torn_line_and_rotates(tmp_path: Path):
    path = tmp_path / 'run' / 'device.jsonl'
    log = WireLog(path, 2000)
    for n in range(20):
        log.write({'e': 'say', 'act': f'a{n}', 'text': 'x' * 50})
        log.write({'e': 'said', 'act': f'a{n}', 'ok': n % 2 == 0})
    log.write({'e': 'say', 'act': 'last'})
    log.close()
    with path.open('ab') as file:
        file.write(b'{"e":"say","act":"torn')
    again = WireLog(path, 2000)
    spoken = again.spoken()
    again.write({'e': 'say', 'act': 'next'})
    assert 'next' in again.spoken()
    again.close()
    assert spoken['last'] == ''
    assert spoken['a19'] == 'cut'
    assert spoken['a18'] == 'done'
    assert 'torn' not in spoken
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 5000


@pytest.mark.parametrize('wrong', [{'speech_rate': 0.0}, {'battery': 1.5}, {'nonsense': 1}])
def test_wrong_parameters_name_themselves(wrong: dict):
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        MockBodyConfig(**wrong)


def test_every_fault_has_a_service_that_switches_it_on_and_off(tmp_path: Path):
    world = World(tmp_path)
    for field in dataclasses.fields(Faults):
        serve = getattr(world.mock, server_name(f'~/fault/{field.name}'))
        assert f'~/fault/{field.name}' in MockBody.serves
        assert serve(SetBoolRequest(True), world.now)[0].success
        assert getattr(world.mock.faults, field.name) != getattr(Faults(), field.name)
        serve(SetBoolRequest(False), world.now)
        assert world.mock.faults == Faults()
