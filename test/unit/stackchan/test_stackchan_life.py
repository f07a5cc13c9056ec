"""The managed life of the driver, its diagnostics, faces and pictures."""

from __future__ import annotations

import base64
import itertools
import math
import random
from pathlib import Path

import pytest

from soul.signals import (
    CaptureRequest,
    Connection,
    ExpressRequest,
    LookAtGoal,
    SayGoal,
    SayState,
    Screen,
    SetBoolRequest,
    TriggerRequest,
)
from soul.stackchan.faces import FACES, face_for
from soul.stackchan.transports.port import SILENCE, STALE
from soul.stackchan.transports.serial_codec import PictureAssembly
from soul.wire import encode
from soul.wire.schema import Jpg
from support.worlds.wire import DELAY, World

QUICK = {'first_move': 0.0}


def test_configure_opens_and_activate_enables_torque(tmp_path: Path):
    world = World(tmp_path)
    assert not world.heard(Connection)[-1].connected
    world.take(world.driver.configure(world.now))
    world.until(lambda: world.driver.port.joined)
    world.run(1.0)
    assert not world.mock.device.torque
    assert 'not active' in world.ask('body/say', SayGoal('a', 'hello'), 's')
    world.take(world.driver.activate(world.now))
    world.run(0.1)
    assert world.mock.device.torque
    assert world.ask('body/say', SayGoal('a', 'hello'), 's') == ''


def test_deactivate_rests_the_head_and_lets_go(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/look_at', LookAtGoal('a', yaw=1.0, pitch=-0.3), 'l')
    world.finish('l')
    world.ask('body/say', SayGoal('a', 'a long story ' * 20), 's')
    world.run(0.2)
    world.take(world.driver.deactivate(world.now))
    assert world.finished('s').result.outcome == SayState.ABORTED
    world.run(4.0)
    device = world.mock.device
    assert (device.yaw.reading, device.pitch.reading) == pytest.approx((0.0, 450.0), abs=4.0)
    assert device.utterance is None
    assert not device.torque
    world.take(world.driver.cleanup(world.now))
    assert not world.heard(Connection)[-1].connected
    world.run(20.0)
    assert not world.cable.open


def test_a_halt_works_in_every_state(tmp_path: Path):
    world = World(tmp_path)
    for prepare in (world.driver.start, world.driver.configure, world.driver.activate):
        world.take(prepare(world.now))
        answer, outputs = world.driver.serve_halt(TriggerRequest(), world.now)
        world.take(outputs)
        assert answer.success
    world.until(lambda: world.driver.port.joined)
    assert world.driver.serve_halt(TriggerRequest(), world.now)[0].message == 'halted'


def test_a_stop_holds_the_head_in_mid_turn(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/look_at', LookAtGoal('a', yaw=2.0, pitch=-0.7), 'l')
    world.run(0.5)
    world.take(world.driver.on_stop_file(True, world.now))
    assert not world.finished('l').result.ok
    world.run(0.05)
    where = world.mock.device.yaw.angle
    world.run(3.0)
    assert world.mock.device.yaw.angle == where


def test_a_body_that_joins_while_stopped_is_told_to_stop(tmp_path: Path):
    world = World(tmp_path)
    world.take(world.driver.on_stop_file(True, world.now))
    world.up()
    assert b'"stop"' in world.cable.sent
    assert b'"torque"' not in world.cable.sent


def test_stale_then_lost(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.mute = True
    began = world.now
    world.until(lambda: world.driver.port.stale(world.now))
    assert world.now - began == pytest.approx(STALE, abs=0.6)
    assert world.driver.health(world.now).level == 'warn'
    assert 'does not answer' in world.ask('body/say', SayGoal('a', 'hello'), 's')
    world.until(lambda: not world.driver.port.joined)
    assert world.now - began == pytest.approx(SILENCE, abs=0.6)
    assert 'silent' in world.heard(Connection)[-1].detail


def test_a_device_whose_host_is_gone_holds_still(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/say', SayGoal('a', 'a long story ' * 50), 's')
    world.ask('body/look_at', LookAtGoal('a', yaw=2.0, pitch=-0.7), 'l')
    world.run(0.3)
    world.driver.due = lambda: math.inf  # the host hangs
    world.driver.on_news = lambda news, now: ()
    world.cable.to_device.clear()
    world.run(1.7)
    assert world.mock.device.utterance is None
    assert world.mock.firmware.sid == ''
    assert not world.mock.device.moving


def test_waits_between_connecting_grow_with_jitter(tmp_path: Path):
    world = World(tmp_path)
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    world.take(world.driver.configure(world.now))
    opened = []
    for _ in range(9):
        world.until(lambda: world.cable.opening)
        opened.append(world.now)
        world.until(lambda: not world.cable.opening)
    waits = [after - before for before, after in itertools.pairwise(opened)]
    assert 0.18 <= waits[0] <= 0.26
    assert all(wait <= 5.01 for wait in waits)
    assert min(waits[-3:]) >= 3.7
    assert len({round(wait, 6) for wait in waits[-3:]}) == 3


def test_health_names_the_link(tmp_path: Path):
    world = World(tmp_path).up()
    world.run(3.0)
    health = world.driver.health(world.now)
    assert health.level == 'ok'
    for key in ('transport', 'battery V', 'battery A', 'charge', 'charging',
                'link age s', 'bad frames', 'lost frames', 'round trip ms', 'reset cause',
                'capabilities', 'boot', 'sessions', 'supply V'):  # fmt: skip
        assert health.values[key] != '', key


def test_health_tells_what_the_wire_and_the_body_do(tmp_path: Path):
    world = World(tmp_path).up()
    world.run(2.0)

    def value(name):
        return world.driver.health(world.now).values[name]

    before = {name: int(value(name)) for name in ('bad frames', 'lost frames', 'frames')}
    assert float(value('round trip ms')) == pytest.approx(2000.0 * DELAY, abs=1.0)
    assert float(value('link age s')) < 0.5
    assert value('charging') == 'yes'
    # a frame whose checksum is wrong: it is counted, and so is the gap that it leaves
    world.cable.to_host[:] = []
    world.arrive(b'{"t":"tlm","n":1}*0000\n')
    assert int(value('bad frames')) == before['bad frames'] + 1
    world.run(1.0)
    assert int(value('frames')) > before['frames']
    world.mock.serve_unplug(SetBoolRequest(True), world.now)
    world.run(3.0)
    assert value('charging') == 'no'
    assert 0.0 <= float(value('charge')) <= 1.0
    hello = world.driver.port.about
    assert value('capabilities').split() == list(hello.capabilities)
    assert (value('device'), value('boot'), value('reset cause')) == (
        hello.uid, hello.boot, hello.reset_cause
    )  # fmt: skip
    sessions = int(value('sessions'))
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    world.run(4.0)
    assert world.driver.health(world.now).level == 'warn'
    assert float(value('link age s')) > 2.0
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.run(8.0)
    assert world.driver.health(world.now).level == 'ok'
    assert int(value('sessions')) == sessions + 1


def test_a_picture_under_way_is_shared(tmp_path: Path):
    world = World(tmp_path).up()
    for handle in ('a', 'b', 'c'):
        assert world.ask('body/capture', CaptureRequest(), handle) == ''
    pictures = {world.finish(handle).image for handle in ('a', 'b', 'c')}
    assert len(pictures) == 1
    assert len([e for e in world.log('cmd') if e['t'] == 'cam']) == 1
    assert pictures.pop().frame_id == 'camera_link'


def test_a_picture_shows_where_the_head_points(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/capture', CaptureRequest(), 'a')
    world.ask('body/look_at', LookAtGoal('a', yaw=-1.0, pitch=-0.7), 'l')
    world.finish('l')
    world.ask('body/capture', CaptureRequest(), 'b')
    assert world.finish('a').image.data != world.finish('b').image.data


def test_a_picture_that_does_not_come(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.stall = 60.0
    world.ask('body/capture', CaptureRequest(), 'a')
    result = world.finish('a')
    assert not result.ok
    assert result.reason


@pytest.mark.parametrize('order', range(5))
def test_pieces_in_any_order_make_the_picture(order: int):
    data = b'\xff\xd8' + bytes(range(250)) * 3 + b'\xff\xd9'
    pieces = [
        Jpg(t='jpg', q=1, up=1, f=3, k=k, n=4,
            b64=base64.b64encode(data[k * 200 : k * 200 + 200]).decode())
        for k in range(4)
    ]  # fmt: skip
    random.Random(order).shuffle(pieces)
    assembly = PictureAssembly()
    got = [assembly.take(piece) for piece in [pieces[0], *pieces]]
    assert got[-1] == data
    assert got[:-1] == [None] * 4


def test_faces(tmp_path: Path):
    world = World(tmp_path).up()
    for n, name in enumerate(FACES):
        assert world.ask('body/express', ExpressRequest(name), f'f{n}') == ''
        assert world.finish(f'f{n}').ok, name
    world.ask('body/express', ExpressRequest('smug'), 'x')
    assert 'known are' in world.finish('x').reason


@pytest.mark.parametrize(
    ('request_', 'said'),
    [
        (ExpressRequest('', math.nan, 0.5), 'valence is nan, allowed is -1 to 1'),
        (ExpressRequest('happy', 0.0, math.nan), 'arousal is nan, allowed is 0 to 1'),
        (ExpressRequest('', -1.5, 0.5), 'valence is -1.5'),
        (ExpressRequest('', 0.0, math.inf), 'arousal is inf'),
    ],
)
def test_a_feeling_that_is_none_is_refused(tmp_path: Path, request_: ExpressRequest, said: str):
    world = World(tmp_path).up()
    world.ask('body/express', request_, 'f')
    ended = world.finish('f')
    assert not ended.ok
    assert said in ended.reason


@pytest.mark.parametrize(
    ('valence', 'arousal', 'face'),
    [(0.8, 0.5, 'happy'), (-0.8, 0.2, 'sad'), (-0.8, 0.9, 'angry'), (0.0, 0.9, 'surprised'),
     (0.0, 0.1, 'sleepy'), (0.0, 0.0, 'neutral'), (math.nan, math.nan, 'neutral'),
     (math.inf, 9.0, 'happy')],
)  # fmt: skip
def test_feelings_as_numbers(valence: float, arousal: float, face: str):
    found = face_for('', valence, arousal)
    assert found is not None
    assert found[0] == face
    assert 0.0 <= found[1] <= 1.0


def test_a_face_is_shown_again_after_a_reconnect(tmp_path: Path):
    world = World(tmp_path).up()
    world.ask('body/express', ExpressRequest('happy'), 'f')
    world.finish('f')
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    world.until(lambda: not world.driver.port.joined)
    assert world.mock.device.face == 'neutral'
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.until(lambda: world.mock.device.face == 'happy')


def test_the_screen_is_told(tmp_path: Path):
    world = World(tmp_path).up()
    world.run(0.1)
    assert world.heard(Screen)[-1].on
    world.cable.to_device.append(
        encode({'t': 'bright', 'q': 1, 'sid': world.driver.port.sid, 'id': 'dark', 'v': 0.0})
    )
    world.run(0.1)
    assert not world.heard(Screen)[-1].on
