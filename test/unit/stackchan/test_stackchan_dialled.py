"""The simulated device speaks xiaozhi: what it can do, and the faults that reach so far.

Over a real WebSocket, with the real clock. The numbers are those of docs/stackchan.md.
"""

from __future__ import annotations

import io
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageStat

from soul.mock_body.config import MockBodyConfig
from soul.mock_body.device import Device
from soul.mock_body.faults import Faults
from soul.mock_body.performer import Performer
from soul.mock_body.telemetry import Telemetry
from soul.mock_body.xiaozhi_tools import XiaozhiTools
from soul.signals import (
    Battery,
    CaptureRequest,
    ExpressRequest,
    Joints,
    LookAtGoal,
    SayGoal,
    SayState,
    SetBoolRequest,
    Touch,
    TriggerRequest,
)
from support.worlds.dialled import DialledWorld

FAST = {'uptime': 120.0}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    worlds = []

    def build(**how: Any) -> DialledWorld:
        worlds.append(DialledWorld(tmp_path / str(len(worlds)), **how).up())
        return worlds[-1]

    yield build
    for world in worlds:
        world.close()


@pytest.fixture
def world(make: Any) -> DialledWorld:
    return make()


def look(world: DialledWorld, yaw: float, pitch: float = -0.785, handle: str = 'look') -> str:
    return world.ask('body/look_at', LookAtGoal(handle, yaw=yaw, pitch=pitch), handle)


def tools_called(world: DialledWorld) -> list[str]:
    return [entry['t'] for entry in world.log('cmd') if '.' in entry['t']]


def shown(world: DialledWorld) -> list[str]:
    return [entry['text'] for entry in world.log('say')]


def test_what_it_can_do_is_what_its_tools_say(make: Any):
    world = make()
    caps = {'text', 'face', 'touch', 'head', 'torque', 'cam', 'power'}
    assert caps <= set(world.driver.port.about.capabilities)
    world = make(mock={'capabilities': ('head', 'tts')})
    assert set(world.driver.port.about.capabilities) - {'mic'} == {'text', 'face', 'head', 'spk'}
    assert 'cannot see' in world.ask('body/capture', CaptureRequest(), 'c')


def test_its_list_of_tools_has_pages():
    device = Device(MockBodyConfig(), random.Random(1))
    caps = MockBodyConfig().capabilities

    class Nothing:
        def write(self, entry: Any) -> None:
            pass

        def spoken(self) -> dict:
            return {}

    performer = Performer(device, MockBodyConfig(), Faults(), caps, Nothing())
    telemetry = Telemetry(device, Faults(), caps, random.Random(1))
    tools = XiaozhiTools(device, Faults(), caps, performer, telemetry, lambda question: None)
    page, pages, names = tools.page(''), 1, []
    names += [tool['name'] for tool in page['tools']]
    while 'nextCursor' in page:
        page = tools.page(page['nextCursor'])
        names += [tool['name'] for tool in page['tools']]
        pages += 1
    assert pages > 1
    assert len(names) == len(set(names)) == 9


def test_words_stand_on_the_screen_and_are_not_called_spoken(make: Any):
    world = make(rate=20.0)
    assert world.ask('body/say', SayGoal('a', 'hello there'), 's') == ''
    world.until(lambda: world.mock.device.mouth == 'open')
    result = world.finish('s')
    assert (result.outcome, result.reason) == (SayState.DONE, 'shown on the screen, not spoken')
    assert result.duration >= 0.5
    world.until(lambda: world.mock.device.mouth == 'closed')
    assert shown(world) == ['hello there']
    assert [entry['ok'] for entry in world.log('said')] == [True]
    assert world.ask('body/say', SayGoal('a', 'hello there'), 'again') == ''
    assert world.finish('again').outcome == SayState.DONE
    assert shown(world) == ['hello there']


def test_what_comes_in_a_burst_is_shown_in_order_or_told_why_not(make: Any):
    world = make(rate=100.0)
    goals = [SayGoal(f'a{n}', f'answer {n} ' * 3) for n in range(8)]
    refused = [world.ask('body/say', goal, goal.act_id) for goal in goals]
    taken = [goal for goal, why in zip(goals, refused, strict=True) if not why]
    assert len(taken) >= 5
    assert {why for why in refused if why} == {'too much is waiting to be said'}
    for goal in taken:
        assert world.finish(goal.act_id).outcome == SayState.DONE
    assert shown(world) == [goal.text for goal in taken]


def test_a_halt_clears_the_screen(make: Any):
    world = make(rate=1.0)
    world.ask('body/say', SayGoal('a', 'a long story ' * 20), 's')
    world.until(lambda: world.mock.device.utterance is not None)
    world.take(world.driver.serve_halt(TriggerRequest(), world.now)[1])
    assert world.finish('s').outcome == SayState.ABORTED
    world.until(lambda: world.mock.device.utterance is None)


def test_it_looks_where_it_is_told_and_reports_where_it_is(world: DialledWorld):
    assert look(world, 0.5, -0.6) == ''
    result = world.finish('look')
    assert (result.ok, result.clamped) == (True, False)
    assert result.yaw == pytest.approx(0.5, abs=0.03)
    assert world.progress('look')
    assert world.heard(Joints)[-1].positions[1] == pytest.approx(-0.6, abs=0.03)


@pytest.mark.parametrize(
    ('yaw', 'pitch'),
    [(math.inf, -0.7), (-math.inf, math.inf), (1e300, -1e300), (9.0, 9.0), (-3.0, -2.0)],
)
def test_fault_04_no_wish_leaves_the_safe_range(world: DialledWorld, yaw: float, pitch: float):
    aims: list[tuple[float, float]] = []
    aim = world.mock.device.aim

    def noted(yaw: float, pitch: float, dps: float) -> bool:
        aims.append((yaw, pitch))
        return aim(yaw, pitch, dps)

    world.mock.device.aim = noted
    assert look(world, yaw, pitch) == ''
    assert world.finish('look').clamped
    assert aims
    assert all(abs(yaw) <= 900.0 and 50.0 <= pitch <= 850.0 for yaw, pitch in aims)
    assert 'is nan' in look(world, math.nan, handle='nan')


def test_a_photo_shows_what_the_head_points_at(make: Any):
    world = make(mock={'night_lux': 300.0})  # whatever the time of day is here

    def photo(handle: str) -> Image.Image:
        assert world.ask('body/capture', CaptureRequest('what is there?'), handle) == ''
        answer = world.finish(handle)
        assert answer.ok, answer.reason
        return Image.open(io.BytesIO(answer.image.data))

    ahead = photo('one')
    assert ahead.size == (320, 240)
    look(world, 0.9, -0.9)
    world.finish('look')
    turned = photo('two')
    assert ImageStat.Stat(ahead).mean != ImageStat.Stat(turned).mean
    assert sum(ImageStat.Stat(turned).mean) > 300
    world.mock.serve_darken(SetBoolRequest(True), world.now)
    assert sum(ImageStat.Stat(photo('three')).mean) < 60


def test_a_photo_that_nobody_asked_for_is_not_taken(world: DialledWorld):
    import httpx

    url, token = world.mock.firmware.vision
    file = {'file': ('a.jpg', b'\xff\xd8x', 'image/jpeg')}
    for other in ('none', 'wröng'):
        answer = httpx.post(url, headers={'Authorization': f'Bearer {other}'.encode()}, files=file)
        assert answer.status_code == 403
    bad = httpx.post(url, headers={'Authorization': f'Bearer {token}'}, content=b'\xff\xd8')
    assert bad.status_code == 400


def test_a_feeling_shows_in_face_and_lights(world: DialledWorld):
    assert world.ask('body/express', ExpressRequest('happy'), 'e') == ''
    assert world.finish('e').ok
    world.until(lambda: world.mock.device.lights != (0, 0, 0))
    assert world.mock.device.face == 'happy'
    request = ExpressRequest('', valence=-0.8, arousal=0.2)
    assert world.ask('body/express', request, 'f') == ''
    world.until(lambda: world.mock.device.face == 'sad')
    assert 'known are' in _ended(world, ExpressRequest('smug')).reason


def _ended(world: DialledWorld, request: ExpressRequest) -> Any:
    world.ask('body/express', request, 'g')
    return world.finish('g')


def test_touches_and_the_battery_are_felt(make: Any):
    world = make(driver={'touch_settle': 0.0}, mock={'battery': 0.5, 'plugged': False})
    world.until(lambda: world.heard(Battery))
    assert world.heard(Battery)[-1].percentage == pytest.approx(0.5, abs=0.01)
    assert world.heard(Battery)[-1].charging is False
    assert math.isnan(world.heard(Battery)[-1].voltage)
    world.mock.serve_touch(TriggerRequest(), world.now)
    world.until(lambda: len(world.heard(Touch)) == 1)
    world.mock.device.touch((0, 2, 0), 0.8)
    world.mock.firmware.step(world.now)
    world.until(lambda: len(world.heard(Touch)) == 2)
    assert [touch.gesture for touch in world.heard(Touch)] == ['tap', 'stroke']


# --- faults ---------------------------------------------------------------------------------


def test_fault_01_a_hung_bus_names_the_power_cycle_and_is_left_alone(world: DialledWorld):
    world.mock.faults.servo_hung = True
    world.until(lambda: world.driver.components.neck.head.fault)
    assert 'off and on' in world.driver.health(world.now).message
    assert 'off and on' in look(world, 0.5)
    assert 'self.robot.set_head_angles' not in tools_called(world)


def test_fault_01_large_fast_reversals_are_slewed(world: DialledWorld):
    world.mock.faults.hang_after_reversals = 1
    for n in range(4):
        assert look(world, 0.8 if n % 2 else -0.8, handle=f'l{n}') == ''
        until = world.now + 0.3
        world.until(lambda t=until: world.now > t)
    world.finish('l3')
    assert not world.mock.faults.servo_hung


def test_fault_02_the_servos_get_no_more_than_they_bear(world: DialledWorld):
    world.mock.faults.protect_above_hz = 20.0
    for n in range(40):
        look(world, 0.2 + 0.01 * n, handle=f'l{n}')
        until = world.now + 0.01
        world.until(lambda t=until: world.now > t)
    assert world.finish('l39').ok
    assert not world.mock.faults.stuck_reads


def test_fault_03_sentinels_are_never_believed(world: DialledWorld):
    world.mock.faults.sentinel_reads = True
    world.until(lambda: world.driver.components.neck.head.rejected > 3)
    assert all(abs(joints.positions[0]) < 0.1 for joints in world.heard(Joints))


def test_fault_06_idle_motion_is_reported_not_fought(world: DialledWorld):
    world.mock.device.torque = True
    until = world.now + 1.2  # it has come to rest
    world.until(lambda: world.now > until)
    world.mock.device.aim(300.0, 500.0, 120.0)
    world.until(lambda: world.driver.components.neck.head.uncommanded)
    assert 'by itself' in world.driver.health(world.now).message
    assert 'self.robot.set_head_angles' not in tools_called(world)


def test_fault_07_touches_after_a_boot_are_not_trusted(world: DialledWorld):
    world.mock.serve_touch(TriggerRequest(), world.now)
    world.until(lambda: world.heard(Touch))
    assert not world.heard(Touch)[0].trusted


def test_fault_08_a_rotten_session_is_not_heard_and_speech_is_uncertain(make: Any):
    world = make(mock={'capabilities': ('tts', 'face')}, driver={'speech_margin': 1.0})
    world.mock.faults.rotten_session = True
    world.ask('body/say', SayGoal('a', 'hello'), 's')
    assert world.finish('s').outcome == SayState.UNCERTAIN
    assert shown(world) == ['hello']
    world.mock.serve_reboot(TriggerRequest(), world.now)
    joins = world.driver.port.joins
    world.until(lambda: world.driver.port.joins > joins and world.driver.port.joined)
    world.ask('body/say', SayGoal('b', 'again'), 't')
    assert world.finish('t').outcome == SayState.DONE


@pytest.mark.parametrize('fault', ['mute', 'ignore_done'])
def test_fault_08_sent_but_not_taken_is_uncertain(make: Any, fault: str):
    world = make(mock={'capabilities': ('tts', 'face')}, driver={'speech_margin': 1.0})
    setattr(world.mock.faults, fault, True)
    world.ask('body/say', SayGoal('a', 'hello'), 's')
    assert world.finish('s').outcome == SayState.UNCERTAIN
    assert shown(world) == ['hello']


def test_fault_10_its_own_words_are_no_message(world: DialledWorld):
    world.mock.faults.hears_itself = True
    world.ask('body/say', SayGoal('a', 'good morning, how are you?'), 's')
    assert world.finish('s').outcome == SayState.DONE
    world.until(lambda: world.driver.components.inbound.echoes == 1)


def test_fault_12_a_move_whose_answer_is_lost_is_never_applied_twice(world: DialledWorld):
    world.mock.faults.ignore_ack = 3  # of the move, and of readings around it
    look(world, 0.8)
    world.until(lambda: world.mock.faults.ignore_ack == 0)
    world.finish('look')
    assert tools_called(world).count('self.robot.set_head_angles') == 1
    world.until(lambda: world.driver.components.neck.head.known(world.now))
    look(world, 0.8, handle='again')
    assert world.finish('again').yaw == pytest.approx(0.8, abs=0.03)


def test_fault_13_a_device_that_never_says_hello_is_not_there(tmp_path: Path):
    world = DialledWorld(tmp_path)
    world.mock.faults.mute = True
    world.take(world.driver.configure(world.now))
    world.take(world.driver.activate(world.now))
    world.until(lambda: world.mock.firmware.call)
    assert 'no body is connected' in world.ask('body/say', SayGoal('a', 'hi'), 's')
    world.mock.faults.mute = False
    world.mock.serve_reboot(TriggerRequest(), world.now)
    world.until(lambda: world.driver.port.joined)
    world.close()


def test_fault_16_a_battery_that_is_not_known_is_nan(make: Any):
    world = make()
    world.mock.faults.unknown_power = True
    world.mock.serve_reboot(TriggerRequest(), world.now)
    world.until(lambda: any(math.isnan(b.percentage) for b in world.heard(Battery)))
    assert world.heard(Battery)[-1].charging is None


def test_fault_17_what_it_has_no_tool_for_is_not_published(make: Any):
    world = make(mock={'capabilities': ('tts',)})
    assert world.heard(Battery) == []
    assert world.heard(Joints) == []


def test_fault_19_a_new_boot_begins_cleanly(make: Any):
    world = make(rate=1.0)
    world.ask('body/say', SayGoal('one', 'a long story ' * 10), 's')
    world.until(lambda: shown(world))
    world.mock.serve_reboot(TriggerRequest(), world.now)
    assert world.finish('s').outcome == SayState.UNCERTAIN
    world.until(lambda: world.driver.port.joined)
    world.until(lambda: world.driver.components.neck.head.known(world.now))
    assert look(world, -0.2, handle='after') == ''
    assert world.finish('after').ok
    assert len(shown(world)) == 1


def test_a_noisy_device_harms_nobody(world: DialledWorld):
    world.mock.faults.corrupt = 0.2
    world.until(lambda: world.driver.components.neck.head.rejected > 0)
    world.mock.faults.corrupt = 0.0
    world.until(lambda: world.driver.components.neck.head.known(world.now))


def test_a_scenario_switches_its_faults_in_time(tmp_path: Path):
    scenario = tmp_path / 'scenario.json'
    scenario.write_text(
        '[{"at": 0.5, "fault": "stuck_reads", "value": true},'
        ' {"at": 0.0, "fault": "servo_hung", "value": false}]'
    )
    world = DialledWorld(tmp_path, mock={'scenario': str(scenario)})
    world.up()
    world.until(lambda: world.mock.faults.stuck_reads)
    world.until(lambda: not world.driver.components.neck.head.known(world.now))
    world.close()
