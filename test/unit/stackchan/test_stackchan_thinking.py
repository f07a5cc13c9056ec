"""Who has said something sees at once that it was heard: the face of somebody who thinks."""

import pytest

from soul.signals import ExpressRequest, GuardState, Message, SayGoal, SayState
from support import opus, voice_process
from support.opus import tone
from support.worlds.dialled import DialledWorld
from support.worlds.official import OfficialWorld
from support.worlds.voiced import VoicedWorld
from support.worlds.wire import World

HEARS = {'voice': True, 'ears_engine': 'topic', 'voice_engine': 'none'}
QUICK = {'first_move': 0.0}


@pytest.fixture
def make(tmp_path):
    """Makes worlds with a body and somebody else's ears."""
    made = []

    def build(kind, **driver):
        world = kind(tmp_path / str(len(made)), driver=HEARS | QUICK | driver)
        made.append(world)
        return world.up()

    yield build
    for one in made:
        if not isinstance(one, World):
            one.close()


def hear(world, text='what do you see'):
    world.take(world.driver.on_message(Message(sender='ann', text=text), world.now))


def face(world):
    return world.mock.device.face


def shows(world, name):
    world.until(lambda: face(world) == name)


@pytest.mark.parametrize('kind', [World, DialledWorld, OfficialWorld])
def test_each_body_looks_thoughtful_until_she_speaks(make, kind):
    world = make(kind)
    hear(world)
    shows(world, 'doubt')
    world.ask('body/say', SayGoal('a', 'a lamp'), 's')
    shows(world, 'neutral')
    assert world.finish('s').outcome == SayState.DONE
    assert face(world) == 'neutral'


def test_it_looks_as_before_after_ten_seconds_of_silence(make):
    world = make(World)
    world.ask('body/express', ExpressRequest('happy'), 'e')
    shows(world, 'happy')
    hear(world)
    heard = world.now
    shows(world, 'doubt')
    shows(world, 'happy')
    assert world.now - heard == pytest.approx(10.0, abs=0.1)


def test_a_second_text_begins_the_time_anew(make):
    world = make(World)
    hear(world)
    world.run(8.0)
    hear(world, 'and there')
    world.run(8.0)
    assert face(world) == 'doubt'
    shows(world, 'neutral')


def test_a_feeling_that_she_shows_meanwhile_stays(make):
    world = make(World)
    hear(world)
    shows(world, 'doubt')
    world.ask('body/express', ExpressRequest('happy'), 'e')
    shows(world, 'happy')
    world.run(20.0)
    assert face(world) == 'happy'
    hear(world)
    shows(world, 'doubt')
    world.ask('body/say', SayGoal('a', 'oh', emotion='sad'), 's')
    assert world.finish('s').outcome == SayState.DONE
    assert face(world) == 'sad'


def test_nobody_looks_thoughtful_who_is_stopped(make):
    world = make(World)
    world.take(world.driver.on_guard_state(GuardState(stopped=True), world.now))
    hear(world)
    world.run(2.0)
    assert face(world) == 'neutral'


def test_a_stop_ends_it(make):
    world = make(World)
    hear(world)
    shows(world, 'doubt')
    world.take(world.driver.on_guard_state(GuardState(stopped=True), world.now))
    shows(world, 'neutral')


def test_a_body_that_boots_meanwhile_begins_with_the_face_of_before(make):
    world = make(World)
    hear(world)
    shows(world, 'doubt')
    joins = world.driver.port.joins
    world.mock.firmware.boot(world.now)
    world.until(lambda: world.driver.port.joins > joins and world.driver.port.joined)
    world.run(20.0)
    assert face(world) == 'neutral'


def test_it_can_be_switched_off(make):
    world = make(World, thinking_seconds=0.0)
    hear(world)
    world.run(2.0)
    assert face(world) == 'neutral'


@pytest.mark.skipif(not opus.library(), reason='there is no libopus here')
def test_it_comes_beside_the_words_and_goes_with_the_first_sound_of_hers(tmp_path):
    life = VoicedWorld(tmp_path, voice_process.command('--text', 'what do you see'))
    try:
        life.device.say(tone(300.0, 0.6).tobytes())
        life.until(lambda: life.device.emotions == ['thinking'])
        kinds = [one['type'] for one in life.device.heard]
        assert kinds[kinds.index('stt') + 1] == 'llm', 'nothing comes between them'
        assert life.said_out(life.say('Good morning')).outcome == SayState.DONE
        life.until(lambda: life.device.emotions == ['thinking', 'neutral'])
    finally:
        life.close()
