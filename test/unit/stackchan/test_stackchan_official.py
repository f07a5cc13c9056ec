"""The driver and M5Stack's own firmware: it asks, dials when woken, hangs up, and cuts off angles.

Over real sockets, with the real clock.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from soul.mock_body.degrees import stepped, told
from soul.mock_body.loudspeaker import QUEUE
from soul.signals import (
    Battery,
    CaptureRequest,
    Connection,
    ExpressRequest,
    Joints,
    LookAtGoal,
    SayGoal,
    SayState,
    SetBoolRequest,
    Sound,
    TriggerRequest,
)
from soul.stackchan.config import StackChanConfig
from soul.stackchan.head import HeadMotion
from soul.stackchan.pose_belief import Pose, PoseBelief
from soul.stackchan.transports.commands import (
    HeardCommand,
    SentenceCommand,
    SoundBegin,
    SoundEnd,
    SoundPacket,
)
from soul.stackchan.transports.events import HeadLimits, HeadRead
from soul.stackchan.transports.xiaozhi.server import Listening
from support import opus as peer_opus
from support.worlds.dialled import DEVICE
from support.worlds.official import OfficialWorld

WHOLE_DEGREES = HeadLimits(step=10.0, plans=True)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Any]:
    worlds = []

    def build(**how: Any) -> OfficialWorld:
        worlds.append(OfficialWorld(tmp_path / str(len(worlds)), **how))
        return worlds[-1]

    yield build
    for world in worlds:
        world.close()


@pytest.fixture
def world(make: Any) -> OfficialWorld:
    return make().up()


def express(world: OfficialWorld, name: str) -> None:
    handle = f'express {name}'
    assert world.ask('body/express', ExpressRequest(name), handle) == ''
    assert world.finish(handle).ok


def turns_asked(world: OfficialWorld) -> int:
    return sum(entry['t'].endswith('set_head_angles') for entry in world.log('cmd'))


# --- found, asleep, awake ---------------------------------------------------------------------


def test_it_asks_when_it_boots_and_dials_only_when_it_is_woken(make: Any):
    world = make().begin()
    assert not world.mock.firmware.call
    world.wake()
    told = [c for c in world.heard(Connection) if c.connected][-1]
    assert told.device == DEVICE
    assert told.firmware == 'xiaozhi for StackChan'
    assert set(told.capabilities) >= {'text', 'face', 'head', 'cam', 'power', 'vol', 'spk'}
    assert 'touch' not in told.capabilities


def test_a_hang_up_is_sleep_and_no_lost_body(world: OfficialWorld):
    boots = world.driver.link.boots
    world.poke('hang_up')
    world.until(lambda: not world.driver.port.joined)
    told = world.heard(Connection)[-1]
    assert (told.connected, told.asleep, told.device) == (False, True, DEVICE)
    assert 'lost' not in world.reports()
    assert world.driver.health(world.now).level == 'ok'
    reason = world.ask('body/say', SayGoal('a', 'hello'), 's')
    assert reason.startswith('the body is asleep')
    assert 'wake word' in reason
    world.wake()
    assert world.heard(Connection)[-1].connected
    assert world.driver.link.boots == boots, 'it has not asked, so it has not booted'


def test_a_driver_that_is_put_to_rest_and_wakes_finds_it_still_there(world: OfficialWorld):
    call, driver = world.mock.firmware.call, world.driver
    for step in (driver.deactivate, driver.cleanup):
        world.take(step(world.now))
    assert not driver.port.joined
    boots = driver.link.boots
    for step in (driver.configure, driver.activate):
        world.take(step(world.now))
    world.until(lambda: driver.port.joined)
    assert world.mock.firmware.call == call, 'it would not dial again by itself'
    assert driver.link.boots == boots
    world.ask('body/say', SayGoal('a', 'hello'), 's')
    assert world.finish('s').outcome == SayState.DONE


def test_one_that_is_switched_off_and_on_has_booted(world: OfficialWorld):
    boots, asked = world.driver.link.boots, len(world.asked)
    world.mock.serve_reboot(TriggerRequest(), world.now)
    world.until(lambda: not world.driver.port.joined)
    world.until(lambda: len(world.asked) > asked and world.knows)
    world.wake()
    assert world.driver.link.boots == boots + 1


def test_one_from_which_nothing_comes_is_gone_and_not_asleep(make: Any):
    world = make(silence=1.5, rate=1.0).up()
    world.ask('body/say', SayGoal('a', 'a long story ' * 20), 's')
    world.until(lambda: world.mock.device.utterance is not None)
    world.mock.faults.mute = True
    world.until(lambda: not world.driver.port.joined)
    told = world.heard(Connection)[-1]
    assert (told.connected, told.asleep) == (False, False)
    assert 'nothing has come' in told.detail
    assert world.finish('s').outcome == SayState.UNCERTAIN


def test_one_that_never_answers_a_ping_stays_as_long_as_it_says_anything(make: Any):
    world = make(silence=2.0).up()
    until, joins = world.now + 5.0, world.driver.port.joins
    world.until(lambda: world.now > until)
    assert world.driver.port.joined
    assert world.driver.port.joins == joins


def test_without_a_driver_it_asks_again(make: Any):
    world = make()
    world.until(lambda: len(world.asked) > 1)
    assert 'nobody answers' in world.asked[-1]
    world.take(world.driver.configure(world.now))
    world.until(lambda: world.knows)


def test_one_that_is_refused_goes_on_asking_until_somebody_pairs(make: Any):
    world = make(token='set')
    world.take(world.driver.configure(world.now))
    world.take(world.driver.activate(world.now))
    world.until(lambda: 'HTTP 403' in world.asked)
    world.admission.begin('', 'http://x/')
    world.until(lambda: world.knows)  # nobody has switched it off and on
    world.wake()
    assert world.admission.register.devices == (DEVICE,)


def test_what_it_says_before_it_is_known_is_kept(world: OfficialWorld):
    posts = [s for s in world.said if type(s).__name__ == 'Ask' and s.to == 'door/post']
    assert [ask.request.message.text for ask in posts] == ['Hi, StackChan']


def test_patience_is_what_the_firmware_needs():
    assert Listening().silence == 40.0
    assert StackChanConfig().capture_timeout == Listening().photo_seconds == 10.0


# --- head -------------------------------------------------------------------------------------


def arrived(target: Pose, limits: HeadLimits) -> bool:
    """Whether a turn to a pose ends well with sound servos that cut angles off."""
    head = HeadMotion(StackChanConfig(first_move=0.0))
    head.begin(limits, True)
    head.read(HeadRead(0.0, 450.0, False, True, True), 0.0)
    head.aim(target, 0.0)
    now = 0.0
    while (turn := head.command(now)) is not None or not (head.turn and head.turn.sent):
        now += 0.05
    assert turn is None
    there = [10.0 * told(stepped(round(angle / 10.0))) for angle in (target.yaw, target.pitch)]
    far = now + 60.0
    # it has had time to get there, and is read once more
    head.belief.pose = Pose(*there)
    head.read(HeadRead(*there, False, True, True), far)
    return head.arrived()


def test_every_turn_arrives_although_angles_are_cut_off():
    wishes = [
        Pose(yaw, pitch)
        for yaw, pitch in itertools.product(range(-1275, 1276, 17), range(50, 851, 23))
    ]
    serial = HeadLimits(step=3.125, plans=True)
    missed = sum(not arrived(wish, WHOLE_DEGREES) for wish in wishes)
    before = sum(not arrived(wish, serial) for wish in wishes)  # the tolerance of finer servos
    assert missed == 0
    assert 0.3 < before / len(wishes) < 0.6


def test_turns_arrive_and_are_one_target_each(world: OfficialWorld):
    wishes = [(0.19, -0.2), (0.55, -0.61), (-0.37, -1.01), (-0.99, -0.33), (0.0, -0.785)]
    for n, (yaw, pitch) in enumerate(wishes):
        assert world.ask('body/look_at', LookAtGoal(f'l{n}', yaw=yaw, pitch=pitch), f'l{n}') == ''
        result = world.finish(f'l{n}')
        assert result.ok, result.reason
        assert result.yaw == pytest.approx(yaw, abs=0.045)
    assert turns_asked(world) == len(wishes)


def test_a_failed_read_is_not_believed_however_long_it_lasts(make: Any):
    world = make(driver={'failed_reads': 1000}).up()
    world.mock.faults.stuck_reads = True
    rejected = world.driver.components.neck.head.rejected
    world.until(lambda: world.driver.components.neck.head.rejected > rejected + 25)
    assert all(abs(joints.positions[0]) < 0.1 for joints in world.heard(Joints))
    reason = world.ask('body/look_at', LookAtGoal('l', yaw=0.3, pitch=-0.6), 'l')
    assert 'could not be read' in reason
    assert turns_asked(world) == 0


def test_fault_01_servos_that_answer_again_for_seconds_and_move_are_used_again():
    belief = PoseBelief(failed_reads=3)
    belief.begin(WHOLE_DEGREES, True)
    for n in range(5):
        belief.read(HeadRead(None, None, False, True, False), 0.2 * n)
    assert 'off and on' in belief.fault
    for n in range(30):  # the same again and again: it may be a stuck bus
        belief.read(HeadRead(100.0, 450.0, False, True, True), 1.0 + 0.2 * n)
    assert belief.fault
    belief.read(HeadRead(120.0, 450.0, True, True, True), 7.2)
    assert belief.fault == ''
    belief.read(HeadRead(None, None, False, True, False), 7.4)
    assert belief.fault == ''


def test_fault_01_a_long_way_back_is_slow(world: OfficialWorld):
    world.mock.faults.hang_after_reversals = 1
    for n in range(3):
        goal = LookAtGoal(f'l{n}', yaw=0.9 if n % 2 else -0.9, pitch=-0.785)
        assert world.ask('body/look_at', goal, f'l{n}') == ''
        until = world.now + 0.6
        world.until(lambda t=until: world.now > t)
    world.finish('l2')
    assert not world.mock.faults.servo_hung


# --- face, lights, photo, battery ----------------------------------------------------------------


def test_faces_are_those_it_draws_and_the_lights_are_on(world: OfficialWorld):
    express(world, 'doubt')
    world.until(lambda: world.mock.device.face == 'doubt')
    world.until(lambda: world.mock.device.lights != (0, 0, 0))
    red, green, blue = world.mock.device.lights
    assert (green, max(red, green, blue) <= 168) == (0, True)
    express(world, 'sleepy')
    world.until(lambda: world.mock.device.face == 'neutral')
    assert world.mock.device.pitch.target == pytest.approx(450.0, abs=10.0)
    express(world, 'angry')
    world.until(lambda: world.mock.device.face == 'angry')
    world.until(lambda: world.mock.device.lights == (84, 0, 0))


def test_the_face_comes_back_after_a_speech(world: OfficialWorld):
    express(world, 'happy')
    world.until(lambda: world.mock.device.face == 'happy')
    world.ask('body/say', SayGoal('a', 'hello'), 's')
    assert world.finish('s').outcome == SayState.DONE
    world.until(lambda: world.mock.device.face == 'happy')


def test_a_photo_comes_in_pieces(make: Any):
    world = make(mock={'night_lux': 300.0}).up()
    assert world.ask('body/capture', CaptureRequest('what is there?'), 'c') == ''
    answer = world.finish('c')
    assert answer.ok, answer.reason
    assert Image.open(io.BytesIO(answer.image.data)).size == (320, 240)


def test_how_loud_and_bright_it_is_is_set_when_it_comes(make: Any):
    world = make(driver={'volume': 0.3, 'brightness': 0.5}).up()
    world.until(lambda: world.mock.device.volume == pytest.approx(0.3))
    world.until(lambda: world.mock.device.brightness == pytest.approx(0.5))
    world.until(lambda: world.heard(Battery))


# --- sound --------------------------------------------------------------------------------------


def send(world: OfficialWorld, *commands: Any) -> None:
    for command in commands:
        world.driver.port.send(command, world.now)


def test_sound_is_played_once_it_is_to_speak_and_its_queue_is_short(world: OfficialWorld):
    speaker = world.mock.firmware.speaker
    send(world, SoundPacket(b'early'))
    send(world, SoundBegin())
    world.until(lambda: speaker.speaks)
    begun = world.now + 0.06
    world.until(lambda: world.now > begun)
    send(world, SentenceCommand('hello'), *(SoundPacket(b'%d' % n) for n in range(60)))
    world.until(lambda: speaker.full_drops)
    world.until(lambda: len(speaker.played) + speaker.full_drops == 60)
    assert QUEUE <= len(speaker.played) < 60
    assert list(speaker.played)[:3] == [b'0', b'1', b'2']
    assert speaker.underruns == 0
    send(world, HeardCommand('good morning'), SoundEnd(), SoundPacket(b'late'))
    world.until(lambda: not speaker.speaks)
    assert speaker.silent_drops == 0, 'what comes before the begin and after the end is not sent'
    assert list(world.mock.firmware.words) == ['good morning']


@pytest.mark.parametrize('version', [1, 2, 3])
def test_headers_of_sound_are_those_of_its_version(make: Any, version: int):
    world = make(mock={'sound_version': version}).up()
    speaker = world.mock.firmware.speaker
    send(world, SoundBegin())
    begun = world.now + 0.1
    world.until(lambda: world.now > begun and speaker.speaks)
    send(world, SoundPacket(b'one'), SoundPacket(b'two'))
    world.until(lambda: list(speaker.played) == [b'one', b'two'])


@pytest.mark.skipif(not peer_opus.library(), reason='there is no libopus here')
@pytest.mark.parametrize('version', [1, 2, 3])
def test_it_is_heard_while_it_listens_and_not_while_it_speaks(make: Any, version: int):
    library = peer_opus.library()
    world = make(mock={'sound_version': version, 'libopus': library}, library=library).up()
    world.mock.firmware.microphone.hear(peer_opus.tone(440.0, 1.0).tobytes())
    world.until(lambda: any(max(s.samples) > 5_000 for s in world.heard(Sound)))
    send(world, SoundBegin())
    world.until(lambda: world.mock.firmware.speaker.speaks)
    assert not world.mock.firmware.microphone.listens
    send(world, SoundEnd())
    world.until(lambda: world.mock.firmware.microphone.listens)


def test_a_press_at_the_device_ends_the_speech(make: Any):
    world = make(rate=1.0).up()
    world.ask('body/say', SayGoal('a', 'a long story ' * 20), 's')
    world.until(lambda: world.mock.device.utterance is not None)
    world.poke('press')
    result = world.finish('s')
    assert (result.outcome, 'at the device' in result.reason) == (SayState.ABORTED, True)


def test_what_is_said_when_the_wire_is_cut_is_uncertain_and_never_said_again(make: Any):
    world = make(rate=1.0, silence=2.0).up()
    world.ask('body/say', SayGoal('a', 'a long story ' * 20), 's')
    world.until(lambda: world.mock.device.utterance is not None)
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    assert world.finish('s').outcome == SayState.UNCERTAIN
    asked = len(world.asked)
    world.mock.serve_lose_link(SetBoolRequest(False), world.now)
    world.until(lambda: len(world.asked) > asked and world.knows)
    world.wake()
    assert world.ask('body/say', SayGoal('a', 'a long story ' * 20), 'again') == ''
    assert world.finish('again').outcome == SayState.UNCERTAIN
    assert len(world.log('say')) == 1
