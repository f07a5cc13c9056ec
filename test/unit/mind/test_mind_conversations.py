"""Several conversations at once: in order within each, parallel to each other, never twice."""

import asyncio
import dataclasses
import random

import pytest

from soul.core.organ import Report
from soul.mind.compose import compose
from soul.mind.config import MindConfig
from soul.mind.tools.base import Arguments, Tool
from soul.signals import Act, BodyState, Energy, Outcome, Phase, Turn, WakeId
from soul.store import Home
from support.minds import Player, World, calls, make, message, until, view
from support.waiting import (
    still,
)

pytestmark = pytest.mark.usefixtures('quick_disk')


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 20))


class Gate:
    """A model that is held until a test lets it go on, by the newest message it reads."""

    name = 'gate'

    def __init__(self):
        self.requests = []
        self.gates = {}
        self.order = []
        self.later = {}  # what it says in later steps, instead of sleeping

    async def complete(self, request, heard):
        self.requests.append(request)
        session = next((m.session for m in request.view.messages), '')
        self.order.append((session, request.step))
        gate = self.gates.get((session, request.step))
        if gate is not None:
            await gate.wait()
        if request.step == 0 and request.view.messages:
            return calls(('reply', '{"text": "yes"}'), text=f'thinking about {session or "life"}')
        return self.later.get((session, request.step)) or calls(('sleep', '{}'))

    def hold(self, session, step=0):
        gate = self.gates[session, step] = asyncio.Event()
        return gate

    async def close(self):
        pass


async def awake(tmp_path, provider, **config):
    world = World()
    mind = make(tmp_path, provider, world, **config)
    mind.start()
    mind.activate()
    return world, mind


def in_session(number, session, **more):
    return message(number, f'text {number}', session=session, **more)


def text_of(request):
    return '\n'.join(str(m.text) for m in request.messages)


def test_conversations_run_beside_each_other_and_beside_her_own_stream(tmp_path):
    async def life():
        gate = Gate()
        held = {name: gate.hold(name) for name in ('', 'kitchen', 'hall')}
        world, mind = await awake(tmp_path, gate)
        ones = (message(1), in_session(2, 'kitchen'), in_session(3, 'hall'))
        mind.on_view(view(1, *ones))
        await until(lambda: len(gate.requests) == 3)
        await until(lambda: {s.session for s in world.state.sessions} == {'', 'kitchen', 'hall'})
        ids = {s.session: s.message_ids for s in world.state.sessions}
        assert ids == {'': ('m1',), 'kitchen': ('m2',), 'hall': ('m3',)}
        held['hall'].set()
        await until(lambda: world.turns)
        assert world.turns[0].session == 'hall'
        assert world.state.phase == Phase.WAKING
        held['kitchen'].set()
        held[''].set()
        await until(lambda: len(world.turns) == 3)
        assert {t.session: t.messages_seen for t in world.turns} == {
            '': ('m1',),
            'kitchen': ('m2',),
            'hall': ('m3',),
        }
        assert all(t.wake == WakeId(7, 1) for t in world.turns)
        assert len({t.sequence for t in world.turns}) == 3
        replies = {r.in_reply_to: r.session for r in world.replies}
        assert replies == {'m1': '', 'm2': 'kitchen', 'm3': 'hall'}
        await mind.close()

    run(life())


def test_a_wake_for_a_conversation_alone_leaves_her_own_stream_asleep(tmp_path):
    async def life():
        gate = Gate()
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, in_session(1, 'kitchen')))
        await until(lambda: world.turns)
        await still()
        assert [t.session for t in world.turns] == ['kitchen']
        assert world.state.begun == WakeId(7, 1), 'the heart sees its wake begun'
        # woken for something else as well, she lives that, too
        both = dataclasses.replace(
            view(2, in_session(2, 'kitchen')), causes=('spontaneous', 'message')
        )
        mind.on_view(both)
        await until(lambda: len(world.turns) == 3)
        assert sorted(t.session for t in world.turns[1:]) == ['', 'kitchen']
        await mind.close()

    run(life())


def test_in_mid_turn_another_conversation_begins_at_once_and_each_keeps_its_order(tmp_path):
    async def life():
        gate = Gate()
        held = gate.hold('')
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, message(1)))
        await until(lambda: len(gate.requests) == 1)
        kitchen = gate.hold('kitchen')
        mind.on_view(view(1, message(1), in_session(2, 'kitchen'), render=1))
        await until(lambda: len(gate.requests) == 2)
        both = (in_session(2, 'kitchen'), in_session(3, 'kitchen'))
        mind.on_view(view(1, message(1), *both, render=2))
        await still()
        assert len(gate.requests) == 2, 'one turn of a conversation at a time'
        kitchen.set()
        await until(lambda: world.turns)
        assert world.turns[0].messages_seen == ('m2', 'm3'), 'the second came as an interjection'
        assert 'text 3' in text_of(gate.requests[2])
        held.set()
        await until(lambda: len(world.turns) == 2)
        await mind.close()

    run(life())


def test_they_see_each_others_turns_in_progress_and_what_was_said(tmp_path):
    async def life():
        gate = Gate()
        held = gate.hold('')
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, message(1, 'do you hear the rain?')))
        await until(lambda: len(gate.requests) == 1)
        mind.on_view(view(1, message(1), in_session(2, 'kitchen'), render=1))
        await until(lambda: world.turns)
        seen = text_of(gate.requests[1])
        assert 'do you hear the rain?' in seen
        assert 'in progress' in seen
        assert '“kitchen”' in seen
        held.set()
        await until(lambda: len(world.turns) == 2)
        mind.on_view(view(2, message(3)))
        await until(lambda: len(world.turns) == 3)
        assert 'kitchen' in text_of(gate.requests[-2])
        await mind.close()

    run(life())


def test_a_wake_that_was_answered_by_an_interjection_passes_without_a_model(tmp_path):
    async def life():
        gate = Gate()
        held = gate.hold('kitchen')
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, in_session(1, 'kitchen')))
        await until(lambda: len(gate.requests) == 1)
        mind.on_view(view(2, in_session(1, 'kitchen')))
        await until(lambda: world.turns)
        assert (world.turns[0].steps, world.turns[0].wake.sequence) == (0, 2)
        assert len(gate.requests) == 1
        held.set()
        await until(lambda: len(world.turns) == 2)
        assert world.turns[1].messages_seen == ('m1',)
        await mind.close()

    run(life())


@pytest.mark.parametrize('beside', [0, 2])
def test_queued_messages_wait_for_the_end_of_the_turn(tmp_path, beside):
    async def life():
        gate = Gate()
        held = gate.hold('')
        others = [in_session(10 + n, f'room {n}') for n in range(beside)]
        rooms = [gate.hold(f'room {n}') for n in range(beside)]
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, message(1), *others))
        await until(lambda: len(gate.requests) == 1 + beside)
        queued = message(2, 'for later', mode='queue')
        mind.on_view(view(1, message(1), queued, *others, render=1))
        held.set()
        await until(lambda: world.turns)
        assert world.turns[0].messages_seen == ('m1',)
        assert not any('for later' in text_of(r) for r in gate.requests)
        mind.on_view(view(2, queued, *others))
        await until(lambda: len(world.turns) == 2)
        assert world.turns[1].messages_seen == ('m2',)
        for room in rooms:
            room.set()
        await until(lambda: len(world.turns) == 2 + beside)
        assert sorted(m for t in world.turns for m in t.messages_answered) == sorted(
            ['m1', 'm2', *(m.id for m in others)]
        )
        await mind.close()

    run(life())


@pytest.mark.parametrize('beside', [0, 2])
def test_an_interjection_is_answered_first_and_the_turn_goes_on(tmp_path, beside):
    async def life():
        gate = Gate()
        step = gate.hold('', 1)
        gate.later['', 1] = calls(('diary', '{"text": "what I was doing"}'))
        gate.later['', 2] = calls(('reply', '{"text": "here"}'))
        gate.later['', 3] = calls(('diary', '{"text": "and on"}'))
        others = [in_session(10 + n, f'room {n}') for n in range(beside)]
        rooms = [gate.hold(f'room {n}') for n in range(beside)]
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, message(1), *others))
        await until(lambda: ('', 1) in gate.order and len(gate.order) == 2 + beside)
        for number in range(3):
            more = [message(2 + n, f'more {n}') for n in range(number + 1)]
            mind.on_view(view(1, message(1), *more, *others, render=number + 1))
        step.set()
        await until(lambda: world.turns)
        turn = world.turns[0]
        assert (turn.outcome, turn.session) == (Outcome.SLEPT, '')
        assert set(turn.messages_seen) == {'m1', 'm2', 'm3', 'm4'}, 'in one turn'
        assert not any('more' in text_of(r) for r in gate.requests[: 2 + beside])
        assert [c.name for c in turn.calls] == ['reply', 'diary', 'reply', 'diary', 'sleep']
        assert 'Answer first' in text_of(gate.requests[2 + beside])
        assert turn.messages_answered == ('m1', 'm2'), 'whoever waits longest first'
        for room in rooms:
            room.set()
        await until(lambda: len(world.turns) == 1 + beside)
        await mind.close()

    run(life())


@pytest.mark.parametrize('beside', [0, 2])
def test_interrupted_she_answers_first_and_then_hears_what_she_was_doing(tmp_path, beside):
    async def life():
        gate = Gate()
        gate.hold('', 1)
        world, mind = await awake(tmp_path, gate)
        others = [in_session(10 + n, f'room {n}') for n in range(beside)]
        held = [gate.hold(f'room {n}') for n in range(beside)]
        mind.on_view(view(1, message(1), *others))
        await until(lambda: ('', 1) in gate.order and len(gate.order) == 2 + beside)
        mind.on_view(view(1, message(2, 'fire!', mode='interrupt'), *others, render=1))
        await until(lambda: world.turns)
        cut = world.turns[0]
        assert (cut.outcome, cut.session) == (Outcome.CUT, '')
        assert cut.messages_seen == ('m1',), 'what was answered is dealt with, the rest knocks'
        del gate.gates['', 1]
        # it knocks again, and the heart wakes her for it
        mind.on_view(view(2, message(2, 'fire!', mode='interrupt'), *others))
        await until(lambda: len(world.turns) == 2)
        answered = world.turns[1]
        assert answered.messages_answered == ('m2',)
        read = text_of(gate.requests[-2])
        assert 'interrupted' in read
        assert 'thinking about life' in read, 'she reads what she was doing'
        assert len(world.state.sessions) == beside, 'the others were not cut'
        for gate_ in held:
            gate_.set()
        await until(lambda: len(world.turns) == 2 + beside)
        mind.on_view(view(3, message(4)))
        await until(lambda: len(world.turns) == 3 + beside)
        assert 'You were interrupted' not in gate.requests[-1].messages[-3].text
        await mind.close()

    run(life())


def test_what_was_dealt_with_is_not_dealt_with_again_after_a_restart(tmp_path):
    async def life():
        gate = Gate()
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, in_session(1, 'kitchen')))
        await until(lambda: world.turns)
        await mind.close()
        again = World()
        second = make(tmp_path, gate, again, memory=world.saved[-1])
        second.start()
        second.activate()
        asked = len(gate.requests)
        second.on_view(view(2, in_session(1, 'kitchen')))
        await until(lambda: again.turns)
        assert again.turns[0].steps == 0
        assert again.turns[0].messages_answered == ('m1',), 'whoever missed it hears it again'
        assert len(gate.requests) == asked
        second.on_view(view(3, in_session(2, 'kitchen')))
        await until(lambda: len(again.turns) == 2)
        assert 'text 1' not in gate.requests[-1].messages[-1].text
        history = text_of(gate.requests[-1])
        assert 'thinking about kitchen' in history, 'the conversation goes on where it was'
        await second.close()

    run(life())


def test_what_she_has_answered_is_not_answered_again_though_a_field_still_shows_it(tmp_path):
    async def life():
        gate = Gate()
        world, mind = await awake(tmp_path, gate)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        mind.on_view(view(2, message(1), message(2)))
        await until(lambda: len(world.turns) == 2)
        assert [r.in_reply_to for r in world.replies] == ['m1', 'm2']
        assert set(world.turns[1].messages_answered) == {'m1', 'm2'}
        # another epoch of the field, and a wake for what was answered alone
        mind.on_view(view(3, message(1), message(2)))
        await until(lambda: len(world.turns) == 3)
        assert (world.turns[2].steps, len(world.replies)) == (0, 2)
        assert set(world.turns[2].messages_answered) == {'m1', 'm2'}
        await mind.close()

    run(life())


def test_every_open_turn_of_a_crash_is_closed_each_in_its_conversation(tmp_path):
    import shutil

    async def first():
        gate = Gate()
        gate.hold('')
        gate.hold('kitchen', 1)
        _, mind = await awake(tmp_path / 'a', gate)
        mind.on_view(view(1, message(1), in_session(2, 'kitchen')))
        await until(lambda: len(gate.order) == 3)
        shutil.copytree(tmp_path / 'a', tmp_path / 'b')
        await mind.close()

    run(first())

    async def second():
        gate = Gate()
        world = World()
        mind = make(tmp_path / 'b', gate, world)
        mind.start()
        ended = {t.session: t for t in world.of(Turn)}
        assert set(ended) == {'', 'kitchen'}
        assert all(t.outcome == Outcome.FAILED for t in ended.values())
        assert ended['kitchen'].messages_seen == ('m2',)
        assert ended[''].messages_seen == ()
        await mind.close()

    run(second())


def test_a_second_answer_to_one_message_is_an_answer_too(tmp_path):
    async def life():
        player = Player(
            calls(('reply', '{"text": "on it"}')), calls(('reply', '{"text": "it is 42"}'))
        )
        world, mind = await awake(tmp_path, player)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert [(r.text, r.in_reply_to) for r in world.replies] == [
            ('on it', 'm1'),
            ('it is 42', 'm1'),
        ]
        await mind.close()

    run(life())


def test_waiting_in_mid_turn_ends_when_somebody_speaks_or_time_is_over(tmp_path):
    async def life():
        player = Player(calls(('wait', '{"minutes": 5}')), calls(('wait', '{"minutes": 2}')))
        world, mind = await awake(tmp_path, player, waking_seconds=1.0)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.state.sessions and world.state.sessions[0].stage == 'wait')
        mind.on_view(view(1, message(1), message(2, 'and?'), render=1))
        await until(lambda: len(player.requests) == 2)
        assert 'Somebody spoke' in text_of(player.requests[1])
        assert 'and?' in text_of(player.requests[1])
        await asyncio.sleep(1.2)  # longer than the wall: waiting is progress
        assert not world.turns
        world.now += 121.0
        await until(lambda: world.turns)
        assert 'quiet' in text_of(player.requests[2])
        assert world.turns[0].outcome == Outcome.SLEPT
        await mind.close()

    run(life())


def test_a_model_that_only_writes_still_answers_who_is_at_the_door(tmp_path):
    async def life():
        player = Player(calls(text='Hello Ann.'), calls(text='Hello Ann, I am here.'))
        world, mind = await awake(tmp_path, player)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert [r.text for r in world.replies] == ['Hello Ann, I am here.']
        assert world.turns[0].messages_answered == ('m1',)
        assert 'ann' in player.requests[1].messages[-1].text
        # with nobody at the door it stays a thought
        player.completions = [calls(text='a'), calls(text='b')]
        mind.on_view(view(2))
        await until(lambda: len(world.turns) == 2)
        assert len(world.replies) == 1
        await mind.close()

    run(life())


def test_whatever_goes_wrong_in_a_turn_ends_it_as_failed(tmp_path):
    async def life():
        async def bug(request, heard):
            raise KeyError('a mistake of ours')

        world, mind = await awake(tmp_path, Player(bug))
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert world.turns[0].outcome == Outcome.FAILED
        assert 'a mistake of ours' in world.turns[0].detail
        mind.on_view(view(2, message(1)))
        await until(lambda: len(world.turns) == 2)
        assert world.turns[1].outcome == Outcome.SLEPT
        await mind.close()

    run(life())


def test_a_tool_that_breaks_is_read_by_her_and_ends_no_turn(tmp_path):
    async def life():
        async def explode(arguments, hands):
            raise RuntimeError('exploded')

        class Nothing(Arguments):
            pass

        world = World()
        player = Player(calls(('weather', '{}')), calls(('reply', '{"text": "sorry"}')))
        made = compose(
            MindConfig(settle_seconds=0.0),
            world.ports(),
            Home(tmp_path).ensure(),
            random.Random(1),
            provider=player,
            tools=[Tool('weather', 'Weather.', Nothing, explode, routine=False)],
        )
        world.mind = mind = made.mind
        mind.start()
        mind.activate()
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert world.turns[0].outcome == Outcome.SLEPT
        assert world.turns[0].messages_answered == ('m1',)
        assert (world.turns[0].calls[0].ok, world.turns[0].calls[0].receipt) == (False, '')
        assert 'RuntimeError: exploded' in text_of(player.requests[1])
        assert any('exploded' in r.text for r in world.of(Report))
        await mind.close()

    run(life())


def test_turns_that_fail_one_after_the_other_are_given_growing_pauses(tmp_path):
    async def life():
        async def bug(request, heard):
            raise KeyError('a mistake of ours')

        player = Player(*[bug] * 9)
        world, mind = await awake(tmp_path, player)
        for number in range(1, 30):  # it knocks again, and again
            mind.on_view(view(number, message(1)))
            await still()
        assert len(player.requests) == 1, 'nobody storms against a wall'
        assert not world.state.model_available
        mind.on_view(view(30, message(1), message(2)))
        await until(lambda: len(world.turns) == 2)
        assert len(player.requests) == 2, 'somebody new is asked for once'
        mind.on_view(view(31, message(1), message(2)))
        assert len(player.requests) == 2
        assert {r.in_reply_to for r in world.replies} == {'m1', 'm2'}, 'who comes is told'
        assert not any(r.is_final for r in world.replies)
        await mind.close()

    run(life())


def test_a_reply_without_a_name_goes_to_whoever_waits_longest(tmp_path):
    async def life():
        answers = [calls(('reply', f'{{"text": "{n}"}}')) for n in range(3)]
        player = Player(*answers)
        world, mind = await awake(tmp_path, player)
        mind.on_view(view(1, message(1), message(2), message(3)))
        await until(lambda: world.turns)
        assert [r.in_reply_to for r in world.replies] == ['m1', 'm2', 'm3']
        await mind.close()

    run(life())


def test_after_a_start_the_first_waking_waits_for_the_body_but_not_for_ever(tmp_path):
    async def life(body):
        player = Player()
        world, mind = await awake(tmp_path / str(body), player, settle_seconds=0.3)
        mind.on_view(view(1))
        await still()
        assert not player.requests
        if body:
            mind.on_energy(Energy(level=1.0))
            mind.on_body_state(BodyState(connected=1))
            await until(lambda: player.requests, 0.2)
        await until(lambda: world.turns)
        await mind.close()

    run(life(True))
    run(life(False))


def test_an_act_in_doubt_is_told_once_also_after_a_restart(tmp_path):
    async def life():
        player = Player()
        world, mind = await awake(tmp_path, player)
        mind.on_act(Act(id='a1', what='speak', by='mind', state='uncertain', text='good night'))
        mind.on_act(
            Act(id='a2', what='speak', by='somebody', state='uncertain', text='by another')
        )
        mind.on_view(view(1))
        await until(lambda: world.turns)
        assert 'good night' in text_of(player.requests[0])
        assert 'by another' not in text_of(player.requests[0])
        await mind.close()
        again = World()
        second = make(tmp_path, player, again, memory=world.saved[-1])
        second.start()
        second.activate()
        second.on_act(Act(id='a1', what='speak', by='mind', state='uncertain', text='good night'))
        second.on_view(view(2))
        await until(lambda: again.turns)
        assert 'good night' not in player.requests[-1].messages[-1].text
        await second.close()

    run(life())
