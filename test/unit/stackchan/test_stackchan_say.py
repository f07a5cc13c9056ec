"""Speech: once without a fault, never twice with one, and uncertain when it cannot be known."""

from __future__ import annotations

from pathlib import Path

import pytest

from soul.signals import GuardState, SayGoal, SayState, SetBoolRequest, TriggerRequest
from soul.stackchan.speech import command_id
from support.worlds.wire import Conversation, World

FAST = {'speech_rate': 1000.0, 'speech_pause': 0.05}


def says(world: Conversation) -> list[str]:
    """Acts that the device began to speak, in order."""
    return [entry['act'] for entry in world.log('say')]


def test_said_once(tmp_path: Path):
    world = World(tmp_path).up()
    assert world.ask('body/say', SayGoal('act-1', 'hello there'), 's') == ''
    result = world.finish('s')
    assert result.outcome == SayState.DONE
    assert result.duration == pytest.approx(0.3 + 11 / 14, abs=0.05)
    assert [f.state for f in world.progress('s')] == [SayState.ACCEPTED, SayState.PLAYING]
    assert says(world) == ['act-1']


def test_said_one_after_the_other(tmp_path: Path):
    world = World(tmp_path).up()
    for n in range(4):
        assert world.ask('body/say', SayGoal(f'act-{n}', f'number {n}'), f's{n}') == ''
    assert [world.finish(f's{n}').outcome for n in range(4)] == [SayState.DONE] * 4
    assert says(world) == [f'act-{n}' for n in range(4)]


def test_the_same_act_is_answered_not_repeated(tmp_path: Path):
    world = World(tmp_path, mock=FAST).up()
    world.ask('body/say', SayGoal('act', 'hello'), 'one')
    assert world.ask('body/say', SayGoal('act', 'hello'), 'two') == 'that is being said'
    world.finish('one')
    assert world.ask('body/say', SayGoal('act', 'hello'), 'three') == ''
    assert world.finish('three').outcome == SayState.DONE
    assert says(world) == ['act']


@pytest.mark.parametrize('lost', [1, 2])
def test_lost_acknowledgements(tmp_path: Path, lost: int):
    world = World(tmp_path, mock=FAST).up()
    world.mock.faults.ignore_ack = lost
    world.ask('body/say', SayGoal('act', 'hello ' * 100), 's')
    outcome = world.finish('s').outcome
    assert outcome == SayState.DONE
    assert world.driver.port.pending.retries == 1
    assert says(world) == ['act']


def test_never_acknowledged_and_never_ended(tmp_path: Path):
    world = World(tmp_path, mock=FAST).up()
    world.mock.faults.ignore_ack = 9
    world.mock.faults.ignore_done = True
    world.ask('body/say', SayGoal('act', 'hello'), 's')
    assert world.finish('s').outcome == SayState.UNCERTAIN
    assert says(world) == ['act']


def exchange_length(home: Path) -> tuple[int, int]:
    """Bytes on the wire before the host begins a say and after its end has arrived."""
    world = World(home, mock=FAST).up()
    before = world.cable.carried
    world.ask('body/say', SayGoal('act', 'hello'), 's')
    assert world.finish('s').outcome == SayState.DONE
    return before, world.cable.carried


@pytest.mark.long
def test_cut_at_every_byte_of_the_exchange(tmp_path: Path):
    before, after = exchange_length(tmp_path / 'whole')
    for cut in range(before, after):
        home = tmp_path / str(cut)
        world = World(home, mock=FAST).up()
        assert world.cable.carried == before
        world.cable.cut_after = cut
        assert world.ask('body/say', SayGoal('act', 'hello'), 's') == ''
        assert world.finish('s').outcome == SayState.UNCERTAIN, f'cut after {cut - before} bytes'
        played = says(world)
        assert played in ([], ['act'])
        # The cable comes back; whoever insists on the same act still does not hear it twice.
        world.cable.cut_after = None
        world.mock.serve_lose_link(SetBoolRequest(False), world.now)
        world.until(lambda w=world: w.driver.port.joined)
        world.run(2.0)
        assert says(world) == played, 'something was replayed'
        world.ask('body/say', SayGoal('act', 'hello'), 'again')
        world.new_driver()
        world.up()
        world.ask('body/say', SayGoal('act', 'hello'), 'anew')
        world.finish('anew')
        assert len(says(world)) <= 1


def test_never_twice_across_restarts_of_both(tmp_path: Path):
    world = World(tmp_path, mock=FAST).up()
    world.ask('body/say', SayGoal('act', 'hello'), 'one')
    world.finish('one')
    world.new_mock()
    world.new_driver()
    world.up()
    world.ask('body/say', SayGoal('act', 'hello'), 'two')
    assert world.finish('two').outcome == SayState.DONE
    assert says(world) == ['act']


def test_killed_while_speaking_is_uncertain(tmp_path: Path):
    world = World(tmp_path).up()
    world.ask('body/say', SayGoal('act', 'hello'), 'one')
    world.run(0.1)
    world.new_mock()
    assert world.finish('one').outcome == SayState.UNCERTAIN
    world.new_driver()
    world.up()
    world.ask('body/say', SayGoal('act', 'hello'), 'two')
    assert world.finish('two').outcome == SayState.UNCERTAIN
    assert says(world) == ['act']


def test_what_has_not_been_sent_is_aborted(tmp_path: Path):
    world = World(tmp_path).up()
    world.ask('body/say', SayGoal('one', 'hello'), 's1')
    world.ask('body/say', SayGoal('two', 'hello'), 's2')
    world.run(0.1)
    world.mock.serve_lose_link(SetBoolRequest(True), world.now)
    assert world.finish('s1').outcome == SayState.UNCERTAIN
    result = world.finish('s2')
    assert result.outcome == SayState.ABORTED
    assert result.reason.startswith('not said')


def test_cancelled_speech_falls_silent(tmp_path: Path):
    world = World(tmp_path).up()
    world.ask('body/say', SayGoal('one', 'a long story ' * 20), 's1')
    world.ask('body/say', SayGoal('two', 'never said'), 's2')
    world.run(0.5)
    world.take(world.driver.cancel('s2', world.now))
    world.take(world.driver.cancel('s1', world.now))
    world.run(0.5)
    assert [world.finished(h).state for h in ('s1', 's2')] == ['canceled', 'canceled']
    assert world.mock.device.utterance is None
    assert says(world) == ['one']


@pytest.mark.parametrize('way', ['halt', 'guard', 'file'])
def test_a_stop_silences_at_once(tmp_path: Path, way: str):
    world = World(tmp_path).up()
    world.ask('body/say', SayGoal('one', 'a long story ' * 20), 's')
    world.run(0.5)
    sent = len(world.cable.sent)
    if way == 'halt':
        answer, outputs = world.driver.serve_halt(TriggerRequest(), world.now)
        assert answer.success
        world.take(outputs)
    elif way == 'guard':
        state = GuardState(stopped=True, stop_reason='enough')
        world.take(world.driver.on_guard_state(state, world.now))
    else:
        world.take(world.driver.on_stop_file(True, world.now))
    # Before anything else and before any time has passed.
    assert world.cable.sent[sent:].startswith(b'{"t":"stop"')
    assert world.finished('s').result.outcome == SayState.ABORTED
    world.run(0.1)
    assert world.mock.device.utterance is None
    refused = world.ask('body/say', SayGoal('two', 'hello'), 's2')
    assert ('stopped' in refused) == (way != 'halt')


def test_goals_are_accepted_again_after_a_resume(tmp_path: Path):
    world = World(tmp_path, mock=FAST).up()
    world.take(world.driver.on_guard_state(GuardState(stopped=True), world.now))
    world.take(world.driver.on_stop_file(True, world.now))
    world.take(world.driver.on_guard_state(GuardState(stopped=False), world.now))
    assert 'STOP file' in world.ask('body/say', SayGoal('a', 'hello'), 'a')
    world.take(world.driver.on_stop_file(False, world.now))
    assert world.ask('body/say', SayGoal('b', 'hello'), 'b') == ''


def test_refusals_say_why(tmp_path: Path):
    world = World(tmp_path, mock={'capabilities': ('head',)})
    goal = SayGoal('a', 'hello')
    assert 'not active' in world.ask('body/say', goal, 'a')
    world.take(world.driver.activate(world.now))
    assert 'no body is connected' in world.ask('body/say', goal, 'a')
    world.take(world.driver.configure(world.now))
    world.until(lambda: world.driver.port.joined)
    assert 'cannot speak' in world.ask('body/say', goal, 'a')
    assert world.cable.sent.count(b'"say"') == 0


@pytest.mark.parametrize(
    ('text', 'why'), [('', 'nothing'), (' \n', 'nothing'), ('x' * 1001, '1001')]
)
def test_texts_that_cannot_be_said(tmp_path: Path, text: str, why: str):
    assert why in World(tmp_path).up().ask('body/say', SayGoal('a', text), 'a')


def test_a_text_too_long_for_a_frame_is_aborted_not_sent(tmp_path: Path):
    world = World(tmp_path).up()
    assert world.ask('body/say', SayGoal('a', '\x01' * 1000), 'a') == ''
    assert world.finish('a').outcome == SayState.ABORTED
    assert says(world) == []


def test_command_ids_fit_and_differ():
    ids = {command_id(f'act-{n}') for n in range(1000)}
    assert len(ids) == 1000
    assert {len(id) for id in ids} == {16}
