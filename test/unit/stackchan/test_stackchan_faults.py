"""The faults that users of such robots report, each against the simulated device.

The numbers are those of the list in docs/stackchan.md. Both are connected by a real pty, their
clock is virtual; more faults of the transport itself, on the real clock, are tested in
test_stackchan_transport_faults.py, those of bodies that dial in test_stackchan_dialled.py.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soul.core.organ import Ask
from soul.signals import (
    Battery,
    Connection,
    Illuminance,
    Imu,
    Joints,
    LookAtGoal,
    SayGoal,
    SayState,
    SetBoolRequest,
    Temperature,
    Touch,
    TriggerRequest,
)
from soul.stackchan.config import StackChanConfig
from soul.stackchan.device_clock import DeviceClock
from soul.stackchan.head import HeadMotion, Pose
from soul.stackchan.senses import BatteryGauge, Skin
from soul.stackchan.speech import Speech
from soul.stackchan.transports.events import HeadRead, PowerRead, ZonesTouched
from support.worlds.wired import WiredWorld as World

QUICK = {'first_move': 0.0}


@pytest.fixture(autouse=True)
def _ended():
    yield
    World.close_all()


def heads(world: World) -> list[dict]:
    """Head commands that the host has sent, in order."""
    found = re.findall(rb'(\{"t":"head".*?\})\*', world.cable.sent)
    return [json.loads(text) for text in found]


def look(world: World, yaw: float, pitch: float = -0.785, handle: str = 'look') -> str:
    return world.ask('body/look_at', LookAtGoal(handle, yaw=yaw, pitch=pitch), handle)


def test_fault_01_large_fast_reversals_are_slewed(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.mock.faults.hang_after_reversals = 2
    for n in range(12):
        assert look(world, 1.0 if n % 2 else -1.0, handle=f'l{n}') == ''
        world.run(0.25)
    world.finish('l11')
    assert not world.mock.faults.servo_hung
    yaws = [head['yaw'] for head in heads(world)]
    steps = [abs(after - before) for before, after in itertools.pairwise(yaws)]
    assert max(steps) <= 10.0 * 120.0 / 20.0 + 0.2


def test_fault_01_a_hung_bus_names_the_power_cycle_and_is_left_alone(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    assert look(world, 1.0) == ''
    world.run(0.3)
    world.mock.faults.servo_hung = True
    result = world.finish('look')
    assert not result.ok
    world.until(lambda: world.driver.components.neck.head.fault)
    health = world.driver.health(world.now)
    assert health.level == 'error'
    assert 'off and on' in health.message
    written = len(heads(world))
    assert 'off and on' in look(world, 0.0, handle='again')
    world.run(5.0)
    assert len(heads(world)) == written
    world.mock.serve_reboot(TriggerRequest(), world.now)
    world.until(
        lambda: (
            not world.driver.components.neck.head.fault and world.driver.components.neck.head.pose
        )
    )
    assert look(world, 0.2, handle='after') == ''
    assert world.finish('after').ok


def test_fault_02_writes_are_coalesced(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.mock.faults.protect_above_hz = 20.0
    for n in range(300):
        look(world, 0.5 * math.sin(n / 20), handle=f'l{n}')
        world.run(0.01)
    world.finish('l299')
    assert not world.mock.faults.stuck_reads
    assert len(heads(world)) <= 20 * 4 + 2


def test_fault_02_protected_servos_are_unknown_not_hung(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.mock.faults.stuck_reads = True
    world.mock.device.torque = False
    world.run(5.0)
    assert world.driver.components.neck.head.fault == ''
    assert 'could not be read' in look(world, 0.3)
    world.mock.faults.stuck_reads = False
    world.run(0.5)
    assert look(world, 0.3, handle='again') == ''
    assert world.finish('again').ok


def test_fault_03_sentinels_are_never_believed(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.mock.faults.sentinel_reads = True
    assert look(world, 0.4) == ''
    assert world.finish('look').ok
    world.run(20.0)
    assert world.driver.components.neck.head.rejected > 20
    assert world.driver.components.neck.head.fault == ''
    assert all(-0.1 <= joints.positions[0] <= 0.5 for joints in world.heard(Joints))
    assert all(-100 <= head['yaw'] <= 300 for head in heads(world))


@pytest.mark.parametrize(
    'reading',
    [
        {'ok': False}, {'yaw': None}, {'yaw': -1440.0}, {'yaw': -1940.0}, {'pitch': -144.0},
        {'yaw': 900.0}, {'pitch': 820.0},
    ],
)  # fmt: skip
def test_fault_03_readings_that_are_rejected(reading: dict):
    head = HeadMotion(StackChanConfig())
    sound = {'yaw': 0.0, 'pitch': 450.0, 'moving': False, 'torque': True, 'ok': True}
    assert head.read(HeadRead(**sound), 1.0)
    assert not head.read(HeadRead(**(sound | reading)), 1.05)
    assert head.pose == Pose(0.0, 450.0)


def test_fault_03_a_head_turned_by_hand_is_believed_in_the_end():
    head = HeadMotion(StackChanConfig())
    limp = {'pitch': 450.0, 'moving': False, 'torque': False, 'ok': True}
    assert head.read(HeadRead(**limp, yaw=0.0), 1.0)
    believed = [head.read(HeadRead(**limp, yaw=900.0 + n), 1.05 + n * 0.05) for n in range(3)]
    assert believed == [False, False, True]


@given(st.floats() | st.floats(-10, 10), st.floats() | st.floats(-10, 10))
def test_fault_04_no_wish_leaves_the_safe_range(yaw: float, pitch: float):
    head = HeadMotion(StackChanConfig())
    target, clamped = head.clamp(yaw, pitch)
    assert -1280.0 <= target.yaw <= 1280.0
    assert 50.0 <= target.pitch <= 850.0
    assert clamped == (not (-1280.0 <= yaw <= 1280.0 and 50.0 <= pitch <= 850.0))


@settings(max_examples=20, deadline=None)
@given(st.floats(), st.floats())
def test_fault_04_nothing_written_leaves_the_safe_range(tmp_path_factory, yaw, pitch):
    world = World(tmp_path_factory.mktemp('safe'), driver=QUICK).up()
    refusal = look(world, yaw, pitch)
    if math.isnan(yaw) or math.isnan(pitch):
        assert f'{"yaw" if math.isnan(yaw) else "pitch"} is nan' in refusal
        assert not heads(world)
        return
    assert refusal == ''
    result = world.finish('look')
    assert result.ok
    inside = abs(yaw) <= math.radians(128) and -math.radians(85) <= pitch <= -math.radians(5)
    assert result.clamped == (not inside)
    for head in heads(world):
        assert -1280.0 <= head['yaw'] <= 1280.0
        assert 50.0 <= head['pitch'] <= 850.0


def test_fault_05_the_first_move_is_read_first_and_slow(tmp_path: Path):
    world = World(tmp_path).up()
    began = world.now
    look(world, 1.0)
    assert world.finish('look').ok
    assert 4.0 <= world.now - began < 6.0
    began = world.now
    look(world, 0.0, handle='second')
    world.finish('second')
    assert world.now - began < 2.0


def test_fault_05_no_move_before_a_reading(tmp_path: Path):
    world = World(tmp_path)
    world.mock.faults.stuck_reads = True
    world.take(world.driver.configure(world.now))
    world.take(world.driver.activate(world.now))
    world.until(lambda: world.driver.port.joined)
    world.run(0.5)
    assert 'could not be read' in look(world, 0.5)
    assert heads(world) == []


def test_fault_06_idle_motion_is_reported_not_fought(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.idle_motion = True
    world.run(30.0)
    assert world.driver.components.neck.head.uncommanded >= 2
    health = world.driver.health(world.now)
    assert health.level == 'warn'
    assert 'by itself' in health.message
    assert heads(world) == []


def test_fault_07_phantom_touches_after_a_boot_are_not_trusted(tmp_path: Path):
    world = World(tmp_path, mock={'uptime': 0.0}).up()
    world.mock.faults.phantom_touch = True
    world.run(30.0)
    early = world.heard(Touch)
    assert len(early) >= 4
    assert not any(touch.trusted for touch in early)
    world.mock.faults.phantom_touch = False
    world.run(10.0)
    before = len(world.heard(Touch))
    world.mock.serve_touch(TriggerRequest(), world.now)
    world.run(2.0)
    late = world.heard(Touch)[before:]
    assert [touch.gesture for touch in late] == ['press', 'release']
    assert all(touch.trusted for touch in late)


def test_fault_07_a_bounce_is_one_touch_and_a_tap_is_not_missed():
    skin = Skin(StackChanConfig())

    def reading(now: float, zone: int) -> list[str]:
        touch = ZonesTouched((0, zone, 0))
        said = [*skin.step(now), *skin.read(touch, 100_000, now, now)]
        return [touch.gesture for touch in said]

    assert reading(1.00, 2) == ['press']
    assert reading(1.02, 0) == []
    assert reading(1.04, 3) == ['']  # the same touch goes on
    assert reading(1.20, 0) == []
    assert reading(1.50, 1) == ['release', 'press']


def test_fault_08_a_session_forgotten_without_a_word_is_refreshed(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.rotten_session = True
    sessions = world.driver.port.joins
    world.ask('body/say', SayGoal('one', 'hello'), 's')
    assert world.finish('s').outcome == SayState.UNCERTAIN
    world.until(lambda: world.driver.port.joins > sessions)
    world.ask('body/say', SayGoal('two', 'hello'), 's2')
    assert world.finish('s2').outcome == SayState.DONE
    assert [entry['act'] for entry in world.log('say')] == ['two']


def test_fault_08_sent_but_not_played_times_out(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.ignore_done = True
    world.ask('body/say', SayGoal('one', 'hello'), 's')
    result = world.finish('s')
    assert result.outcome == SayState.UNCERTAIN
    assert 'never said' in result.reason


def test_fault_09_nothing_survives_a_reconnect(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/say', SayGoal('one', 'hello'), 's1')
    world.ask('body/say', SayGoal('two', 'hello'), 's2')
    look(world, 1.0)
    world.run(0.1)
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    for handle in ('s1', 's2', 'look'):
        world.finish(handle)
    moves = len(heads(world))
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.until(lambda: world.driver.port.joined)
    world.run(5.0)
    assert [entry['act'] for entry in world.log('say')] == ['one']
    assert len(heads(world)) == moves


def test_fault_10_own_speech_is_not_heard_as_somebody_elses():
    speech = Speech(StackChanConfig())
    assert not speech.is_echo('good morning', 0.0)
    speech.add('h', SayGoal('a', 'Good morning, how are you?'), 0.0)
    assert speech.next() is not None
    speech.sent('id', 0.0)
    assert speech.is_echo('anything', 1.0)  # while it speaks
    speech.finish(SayState.DONE, '', 3.0)
    assert speech.is_echo('anything', 3.0 + 1.0)  # the tail
    assert speech.is_echo('how are you', 3.0 + 5.0)  # its own words, late
    assert not speech.is_echo('fine, thanks', 3.0 + 5.0)
    assert not speech.is_echo('how are you', 3.0 + 60.0)


def test_fault_10_its_own_words_are_no_message(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.hears_itself = True
    world.ask('body/say', SayGoal('one', 'Good morning, how are you?'), 's')
    assert world.finish('s').outcome == SayState.DONE
    world.run(1.0)
    assert world.driver.components.inbound.echoes == 1
    assert world.heard(Ask) == []


def test_fault_11_a_sleeping_radio_does_not_change_when_readings_were_taken(tmp_path: Path):
    world = World(tmp_path).up()
    world.run(5.0)
    before = len(world.heard(Joints))
    world.mock.faults.jitter = 0.8
    ages = []
    for _ in range(600):
        world.run(0.05)
        ages.append(world.driver.components.readings.late)
    world.mock.faults.jitter = 0.0
    stamps = [joints.stamp for joints in world.heard(Joints)[before:]]
    assert max(ages) > 0.3, 'some came late'
    # Taken every tenth of a second, whenever they came; the first few find a session anew.
    steps = [after - before for before, after in itertools.pairwise(stamps)]
    assert sum(abs(step - 0.1) < 0.02 for step in steps) >= 0.9 * len(steps)


def test_fault_11_late_readings_carry_the_time_they_were_taken():
    clock = DeviceClock()
    truth = [100.0 + 0.1 * n for n in range(200)]
    delays = [0.002 if n % 7 else 0.8 for n in range(200)]
    stamps = []
    for taken, delay in zip(truth, delays, strict=True):
        stamps.append(clock.stamp(round(1000 * (taken - 90.0)), taken + delay))
    settled = list(zip(truth, stamps, delays, strict=True))[2:]
    assert all(abs(stamp - taken) < 0.004 for taken, stamp, _ in settled)
    assert all(stamp <= taken + delay for taken, stamp, delay in settled)
    assert stamps[2:] == sorted(stamps[2:])


def test_fault_11_a_drifting_clock_is_followed():
    clock = DeviceClock()
    for n in range(10_000):  # the device's clock is 50 ppm slow
        taken = float(n)
        stamp = clock.stamp(round(1000 * taken * (1 - 50e-6)), taken + 0.001)
    assert stamp == pytest.approx(9999.0, abs=0.01)


def test_fault_12_a_move_that_partly_ran_is_read_again_and_never_applied_twice(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    look(world, 1.0)
    world.run(0.4)
    world.mock.device.yaw.high = 300.0  # something is in its way
    result = world.finish('look')
    assert not result.ok
    assert result.yaw == pytest.approx(math.radians(30.0), abs=0.01)  # where it really is
    ids = [head['id'] for head in heads(world)]
    assert len(ids) == len(set(ids))
    world.mock.device.yaw.high = 1280.0
    look(world, 1.0, handle='again')
    assert world.finish('again').yaw == pytest.approx(1.0, abs=0.03)


def test_fault_12_head_commands_are_never_retried(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.mock.faults.ignore_ack = 1000
    look(world, 0.5)
    world.finish('look')
    ids = [head['id'] for head in heads(world)]
    assert len(ids) == len(set(ids))


def test_fault_13_a_mute_port_has_its_own_diagnosis(tmp_path: Path):
    world = World(tmp_path)
    world.mock.faults.mute = True
    world.take(world.driver.configure(world.now))
    world.until(lambda: 'mute' in world.driver.detail)
    assert 'plug it in again' in world.driver.health(world.now).message
    world.mock.faults.mute = False
    world.until(lambda: world.driver.port.joined)


def test_fault_15_motion_is_shed_before_the_supply_breaks_down(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    look(world, 2.0)
    world.run(0.5)
    world.mock.faults.vbus_sag = 560.0  # 5.05 V less the load of the servos: below 4.45 V
    result = world.finish('look')
    assert not result.ok
    assert 'supply' in result.reason
    world.mock.faults.vbus_sag = 610.0
    world.run(2.0)
    assert 'supply is too low' in look(world, 0.0, handle='again')
    world.mock.faults.vbus_sag = 0.0
    world.run(2.0)
    assert look(world, 0.0, handle='later') == ''


def test_fault_15_a_brownout_is_reported_with_its_boot(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.firmware.boot(world.now, 'brownout')
    world.until(lambda: 'brownout' in world.reports())
    assert world.heard(Connection)[-1].reset_cause == 'brownout'
    assert world.mock.firmware.boot_id in world.reports()


def test_fault_16_a_gauge_that_never_moves_is_unknown(tmp_path: Path):
    world = World(tmp_path, mock={'plugged': False, 'battery_mah': 30.0}).up()
    world.mock.faults.constant_charge = 96.0
    world.run(150.0)
    assert math.isnan(world.heard(Battery)[-1].percentage)
    assert not math.isnan(world.heard(Battery)[-1].voltage)
    assert 'charge never changes' in world.driver.health(world.now).message


def test_fault_16_a_full_battery_on_its_charger_stays_known(tmp_path: Path):
    world = World(tmp_path, mock={'battery': 1.0}).up()
    world.run(300.0)
    assert world.heard(Battery)[-1].percentage == 1.0


def test_fault_16_a_flapping_flag_is_steadied():
    gauge = BatteryGauge(4.45)
    flags = [True, False, True, False, False, True, False, True, True]
    assert [gauge.read(PowerRead(charging=f), 0.0).charging for f in flags] == [True] * 9
    assert [gauge.read(PowerRead(charging=False), 0.0).charging for _ in range(3)] == [
        True,
        True,
        False,
    ]


def test_fault_16_outliers_and_unknown_values():
    gauge = BatteryGauge(4.45)
    shown = [
        gauge.read(PowerRead(percent=p), 0.0).percentage for p in (50, 51, 0, 51, 50, 100, 50)
    ]
    assert all(0.0 < value <= 0.51 for value in shown[3:])
    unknown = gauge.read(PowerRead(millivolts=0, percent=255), 0.0)
    assert math.isnan(unknown.percentage)
    assert math.isnan(unknown.voltage)
    assert math.isnan(unknown.current)
    assert unknown.charging is None


def test_fault_17_an_absent_capability_is_not_zero(tmp_path: Path):
    world = World(tmp_path, mock={'capabilities': ('head', 'tts')}).up()
    world.run(5.0)
    for kind in (Battery, Illuminance, Temperature, Imu, Touch):
        assert world.heard(kind) == []


def test_fault_17_a_chip_that_does_not_answer_is_unknown(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.dead_env = True
    world.mock.faults.unknown_power = True
    world.run(2.0)
    lights, batteries = len(world.heard(Illuminance)), len(world.heard(Battery))
    world.run(10.0)
    assert len(world.heard(Illuminance)) == lights
    assert len(world.heard(Battery)) > batteries
    assert math.isnan(world.heard(Battery)[-1].percentage)
    assert world.heard(Battery)[-1].charging is None


def test_fault_18_own_servos_do_not_shake_the_body(tmp_path: Path):
    world = World(tmp_path, driver=QUICK | {'imu_hz': 50.0, 'joint_hz': 50.0}).up()
    world.mock.faults.shaken_by_servos = True
    look(world, 1.0)
    world.run(0.2)
    before = len(world.heard(Imu))
    world.run(0.3)
    assert world.mock.device.moving
    assert len(world.heard(Imu)) == before
    world.finish('look')
    world.run(0.5)
    assert len(world.heard(Imu)) > before
    assert world.heard(Touch) == []


def test_fault_19_a_new_boot_begins_cleanly(tmp_path: Path):
    world = World(tmp_path, driver=QUICK).up()
    world.ask('body/say', SayGoal('one', 'a long story ' * 10), 's')
    look(world, 1.0)
    world.run(0.5)
    world.mock.firmware.boot(world.now, 'panic')
    assert world.finish('s').outcome == SayState.UNCERTAIN
    assert not world.finish('look').ok
    world.until(lambda: world.driver.port.joined)
    connection = world.heard(Connection)[-1]
    assert (connection.connected, connection.reset_cause) == (True, 'panic')
    assert connection.boot_id == world.mock.firmware.boot_id
    world.run(1.0)
    assert look(world, -0.2, handle='after') == ''
    assert world.finish('after').ok
    assert [entry['act'] for entry in world.log('say')] == ['one']


def test_another_major_version_is_listened_to_and_never_driven(tmp_path: Path):
    world = World(tmp_path)
    world.mock.faults.major = 2
    world.take(world.driver.configure(world.now))
    world.take(world.driver.activate(world.now))
    world.until(lambda: 'protocol 2.0' in world.driver.detail)
    world.run(10.0)
    assert world.driver.health(world.now).level == 'error'
    assert 'no body' in world.ask('body/say', SayGoal('a', 'hello'), 's')
    assert set(re.findall(rb'\{"t":"(\w+)"', world.cable.sent)) <= {b'hello'}


def test_a_noisy_line_loses_frames_but_not_acts(tmp_path: Path):
    world = World(tmp_path).up()
    world.mock.faults.corrupt = 0.1
    for n in range(5):
        world.ask('body/say', SayGoal(f'act-{n}', 'hello'), f's{n}')
        assert world.finish(f's{n}').outcome in (SayState.DONE, SayState.UNCERTAIN)
        world.until(lambda: world.driver.port.joined)
    played = [entry['act'] for entry in world.log('say')]
    assert played == sorted(set(played))
    assert world.driver.port.stream.decoder.stats.bad_frames > 0
    assert world.driver.port.stream.sequence.lost > 0
