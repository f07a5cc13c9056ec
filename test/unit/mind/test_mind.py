"""The mind's turns: begun once, written down, cut at once, never lived twice."""

import asyncio
import dataclasses
import json
import shutil

import pytest

from soul.core.organ import Report
from soul.mind.memory import Memory
from soul.mind.ports import NoAnswer
from soul.mind.providers.base import Completion, ProviderError, Purpose, ToolCall, Usage
from soul.signals import (
    Energy,
    GuardState,
    MindState,
    Outcome,
    Phase,
    Reply,
    Turn,
    ViewItem,
    Wake,
    WakeId,
)
from support.minds import Player, World, calls, make, message, until, view
from support.waiting import (
    never,
    still,
)

pytestmark = pytest.mark.usefixtures('quick_disk')


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 20))


async def awake(mind):
    mind.start()
    mind.activate()


def test_a_waking_is_seen_lived_and_told(tmp_path):
    async def life():
        world = World()
        player = Player(
            calls(('reply', '{"text": "hi"}'), ('speak', '{"text": "hi"}'), text='someone!'),
            calls(('sleep', '{"minutes": 30}')),
        )
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        turn = world.turns[0]
        assert turn.outcome == Outcome.SLEPT
        assert turn.messages_seen == turn.messages_answered == ('m1',)
        assert [c.name for c in turn.calls] == ['reply', 'speak', 'sleep']
        assert [c.routine for c in turn.calls] == [True, False, True]
        assert all(c.ok and not c.error for c in turn.calls)
        assert turn.calls[1].receipt == turn.calls[1].act_id != ''
        assert turn.talk
        assert not turn.declined
        assert turn.rest == 1800.0
        assert world.replies[0].in_reply_to == 'm1'
        assert world.state.phase == Phase.IDLE
        assert world.state.last_turn == turn
        phases = [s.phase for s in world.of(MindState)]
        assert phases[:3] == [Phase.INACTIVE, Phase.IDLE, Phase.WAKING]
        await mind.close()
        assert player.closed

    run(life())


def test_only_a_newer_wake_begins_a_turn(tmp_path):
    async def life():
        world = World()
        mind = make(tmp_path, Player(), world)
        await awake(mind)
        for sequence in (3, 3, 2, 0):
            mind.on_view(view(sequence))
            await still()
        assert [t.wake.sequence for t in world.turns] == [3]
        mind.on_view(view(1, epoch=8))  # the heart lost its state: another epoch is news
        await until(lambda: len(world.turns) == 2)
        await mind.close()

    run(life())


def test_nothing_is_thought_while_inactive_and_the_newest_view_is_lived_afterwards(tmp_path):
    async def life():
        world = World()
        mind = make(tmp_path, Player(), world)
        mind.start()
        mind.on_view(view(1))
        mind.on_view(view(2))
        await still()
        assert not world.turns
        assert not world.state.model_available
        mind.activate()
        await until(lambda: world.turns)
        assert [t.wake.sequence for t in world.turns] == [2]
        await mind.close()

    run(life())


def test_a_message_in_mid_turn_is_seen_at_the_next_step(tmp_path):
    async def life():
        world = World()
        mind = None

        async def first(request, heard):
            mind.on_view(view(1, message(1), message(2, 'and me'), render=1))
            return calls(('diary', '{"text": "x"}'))

        player = Player(first, calls(('sleep', '{}')))
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert 'and me' in player.requests[1].messages[-1].text
        assert world.turns[0].messages_seen == ('m1', 'm2')
        await mind.close()

    run(life())


def test_an_interrupt_cuts_the_turn_and_its_message_stays_unseen(tmp_path):
    async def life():
        world = World()

        async def long(request, heard):
            await never()

        mind = make(tmp_path, Player(long), world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.state.phase == Phase.WAKING)
        mind.on_view(view(1, message(1), message(2, mode='interrupt'), render=1))
        await until(lambda: world.turns)
        assert world.turns[0].outcome == Outcome.CUT
        assert world.turns[0].messages_seen == ()
        await mind.close()

    run(life())


def test_a_stop_ends_a_turn_at_once_and_resume_goes_on(tmp_path):
    async def life():
        world = World()
        canceled = []

        async def stream(request, heard):
            try:
                while True:
                    heard('text', 'word ')
                    await asyncio.sleep(0.001)
            except asyncio.CancelledError:
                canceled.append(True)
                raise

        mind = make(tmp_path, Player(stream), world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.state.phase == Phase.WAKING)
        await still()
        mind.on_guard_state(GuardState(epoch=1, stopped=True, stop_reason='enough'))
        await until(lambda: world.turns)
        assert canceled
        assert world.turns[0].outcome == Outcome.STOPPED
        assert world.turns[0].detail == 'enough'
        assert not world.state.model_available
        mind.on_view(view(2, message(1)))
        await still()
        assert len(world.turns) == 1
        mind.on_guard_state(GuardState(epoch=1))
        await until(lambda: len(world.turns) == 2)
        await mind.close()

    run(life())


def test_a_model_that_never_sleeps_is_told_once_and_put_to_rest(tmp_path):
    async def life():
        world = World()
        player = Player(Completion(text='I ponder.'), Completion(text='Still pondering.'))
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: world.turns)
        assert 'still awake' in player.requests[1].messages[-1].text
        assert world.turns[0].outcome == Outcome.SLEPT
        assert 'never slept' in world.turns[0].detail
        await mind.close()

    run(life())


def test_a_small_model_that_forgets_who_is_at_the_door_is_told_once(tmp_path):
    async def life(window):
        world = World()
        player = Player(
            calls(('sleep', '{}')), calls(('reply', '{"text": "hi"}'), ('sleep', '{}'))
        )
        mind = make(tmp_path / str(window), player, world, context_window=window)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        await mind.close()
        return world.turns[0], player.requests

    turn, requests = run(life(8192))
    assert turn.messages_answered == ('m1',)
    assert turn.outcome == Outcome.SLEPT
    assert 'ann cannot hear' in requests[1].messages[-1].text
    turn, requests = run(life(0))
    assert turn.messages_answered == (), 'a large one may mean it'
    assert len(requests) == 1


def test_a_small_model_reads_at_the_end_what_there_is_to_do_and_later_what_was_said(tmp_path):
    async def life():
        world = World()
        answer = calls(('reply', '{"text": "hi"}'), ('sleep', '{}'))
        player = Player(answer, answer)
        mind = make(tmp_path, player, world, context_window=8192)
        await awake(mind)
        for number, words in ((1, 'what is new?'), (2, 'and else?')):
            mind.on_view(view(number, message(number, words)))
            await until(lambda wanted=number: len(world.turns) == wanted)
        await mind.close()
        first, second = (r.messages for r in player.requests)
        said = 'ann is at your door and said to you: “what is new?”'
        assert said in first[-1].text.splitlines()[-2]
        assert second[1].text.splitlines()[-1] == said
        for tool in player.requests[0].tools:
            parameters = tool['function']['parameters']
            assert len(parameters['properties']) <= 1, 'it would fill in whatever it is shown'

    run(life())


def test_warming_up_reads_what_never_changes_before_she_is_there(tmp_path):
    async def life():
        world, go_on = World(), asyncio.Event()

        async def slow(request, heard):
            await go_on.wait()
            return Completion()

        player = Player(slow, calls(('sleep', '{}')))
        mind = make(tmp_path, player, world, warm_up=True)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: player.requests)
        assert world.state.phase == Phase.INACTIVE
        go_on.set()
        await until(lambda: world.turns)
        warm, waking = player.requests
        assert warm.purpose == Purpose.WARM_UP
        assert warm.messages[0] == waking.messages[0]
        assert warm.tools == waking.tools
        await mind.close()

    run(life())


@pytest.mark.parametrize('fails', [False, True])
def test_warming_up_that_fails_or_is_cut_keeps_nobody_away(tmp_path, fails):
    async def life():
        world = World()

        async def never(request, heard):
            if fails:
                raise ProviderError('no')
            await asyncio.Event().wait()

        player = Player(never)
        mind = make(tmp_path, player, world, warm_up=True)
        await awake(mind)
        await until(lambda: player.requests)
        if fails:
            await until(lambda: world.state.phase == Phase.IDLE)
            assert 'no' in mind.status.trouble
        await mind.close()
        assert world.state.phase == Phase.INACTIVE

    run(life())


def test_a_waking_is_cut_at_its_tokens(tmp_path):
    async def life():
        world = World()
        greedy = [
            Completion(calls=calls(('diary', '{"text": "x"}')).calls, usage=Usage(900, 500, 200))
            for _ in range(9)
        ]
        mind = make(
            tmp_path, Player(*greedy), world, waking_tokens=3000, price_in=1.0, price_cached=0.1
        )
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        turn = world.turns[0]
        assert turn.outcome == Outcome.CUT
        # six answers of 200, and five times 400 read anew: the first call's history is free
        assert turn.steps == 6
        assert (turn.tokens_in, turn.tokens_cached, turn.tokens_out) == (5400, 3000, 1200)
        assert turn.cost == pytest.approx((6 * 400 * 1.0 + 6 * 500 * 0.1) / 1e6)
        assert turn.messages_seen == (), 'what was not answered knocks again'
        assert world.state.tokens == 2400 + 300 + 1200, 'a cached token counts a tenth'
        await mind.close()

    run(life())


def test_a_waking_without_progress_is_cut(tmp_path):
    async def life():
        world = World()

        async def silent(request, heard):
            heard('text', 'I')  # it has begun to answer
            await never()

        mind = make(tmp_path, Player(silent), world, waking_seconds=1.0)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: world.turns)
        assert world.turns[0].outcome == Outcome.CUT
        assert 'nothing happened' in world.turns[0].detail
        await mind.close()

    run(life())


def test_a_failing_model_is_left_alone_the_sender_is_told_once_and_the_message_kept(tmp_path):
    async def life():
        world = World()

        async def broken(request, heard):
            raise ProviderError('the server is on fire')

        mind = make(tmp_path, Player(broken, broken), world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert world.turns[0].outcome == Outcome.FAILED
        assert world.turns[0].messages_seen == ()
        assert not world.state.model_available
        assert [r.is_final for r in world.replies] == [False]
        assert 'on fire' in world.replies[0].text
        mind.on_view(view(2, message(1)))
        await still()
        assert len(world.turns) == 1, 'nobody asks during the pause'
        await until(lambda: len(world.turns) == 2, 10.0)
        assert len(world.replies) == 1, 'told once'
        await mind.close()

    run(life())


def test_when_her_energy_is_spent_only_her_people_are_answered(tmp_path):
    async def life():
        world = World()
        mind = make(tmp_path, Player(), world)
        await awake(mind)
        mind.on_energy(Energy(spent=True, resets_at=1_800_000_000.0))
        mind.on_view(view(1))
        mind.on_view(view(2, message(1)))
        mind.on_view(view(2, message(1), render=1))
        await still()
        assert not world.turns
        assert [(r.in_reply_to, r.is_final) for r in world.replies] == [('m1', False)]
        assert 'energy' in world.replies[0].text
        mind.on_view(view(3, message(2, trusted=True)))
        await until(lambda: world.turns)
        mind.on_energy(Energy(spent=True, reserve_spent=True))
        mind.on_view(view(4, message(3, trusted=True)))
        await still()
        assert len(world.turns) == 1
        mind.on_energy(Energy())
        await until(lambda: len(world.turns) == 2)
        await mind.close()

    run(life())


def dream(sequence):
    return Wake(id=WakeId(7, sequence), causes=('dream',))


def test_a_dream_without_dreams_is_let_pass_and_counts(tmp_path):
    async def life():
        world = World()
        mind = make(tmp_path, Player(), world)
        await awake(mind)
        mind.on_wake(dream(1))
        assert world.state.phase == Phase.DREAMING
        mind.on_wake(dream(1))
        mind.on_wake(Wake(id=WakeId(7, 2), causes=('message',)))  # comes by its view
        await until(lambda: world.turns)
        assert [(t.wake.sequence, t.causes) for t in world.turns] == [(1, ('dream',))]
        assert world.turns[0].declined
        await mind.close()

    run(life())


def remembering(home, count):
    """Remember some facts; returns the memory, beside the one the mind will have."""
    memory = Memory(home / 'memory')
    for number in range(count):
        memory.remember(f'Fact number {number}: ' + 'x' * 200, 'self', 1000.0, resident=True)
    return memory


def test_a_dream_asks_the_model_counts_it_and_is_cut_by_a_message(tmp_path):
    async def life():
        world = World()
        begun = asyncio.Event()

        async def slow(request, heard):
            assert request.purpose == 'dream'
            begun.set()
            await never()

        answer = Completion('nothing of use', usage=Usage(100, 0, 20))
        player = Player(answer, slow)
        memory = remembering(tmp_path, 24)
        mind = make(tmp_path, player, world)
        text = memory.resident_text()
        await awake(mind)
        world.now += 86400.0
        mind.on_wake(dream(1))
        await begun.wait()
        mind.on_view(view(2, message(1)))
        await until(lambda: len(world.turns) == 2)
        cut, answered = world.turns
        assert (cut.outcome, cut.causes, cut.steps) == (Outcome.CUT, ('dream',), 1)
        assert cut.tokens_in > 100, 'what was cut counts by its estimate'
        assert cut.tokens_out == 20
        assert world.state.tokens >= 120
        assert answered.messages_seen == ('m1',)
        # the next dream goes on, by rule where the model is of no use
        mind.on_wake(dream(3))
        await until(lambda: len(world.turns) == 3)
        assert world.turns[2].outcome == Outcome.SLEPT
        assert world.turns[2].detail
        assert len(memory.resident_text()) < len(text)
        hits = memory.recall('Fact number 3', world.now, 50)
        assert any('Fact number 3:' in hit.entry.text for hit in hits), 'moved, not lost'
        await mind.close()

    run(life())


def test_a_dream_without_energy_leaves_what_needs_a_model_for_the_next(tmp_path):
    async def life():
        world = World()
        player = Player()
        memory = remembering(tmp_path, 24)
        mind = make(tmp_path, player, world)
        before = memory.resident_text()
        await awake(mind)
        mind.on_energy(Energy(spent=True))
        world.now += 86400.0
        mind.on_wake(dream(1))
        await until(lambda: world.turns)
        assert not player.requests
        assert world.turns[0].outcome == Outcome.FAILED
        assert 'left for the next dream' in world.turns[0].detail
        assert memory.resident_text() == before
        mind.stop(True, 'enough')
        mind.on_wake(dream(2))
        await still()
        assert len(world.turns) == 1, 'stopped, she does not dream'
        await mind.close()

    run(life())


@pytest.mark.parametrize('answered', [False, True])
def test_a_turn_a_crash_left_open_is_closed_and_not_lived_again(tmp_path, answered):
    before, after = tmp_path / 'before', tmp_path / 'after'
    steps = [calls(('reply', '{"text": "yes"}'))] if answered else []

    async def first_life():
        world = World()

        async def crash(request, heard):
            shutil.copytree(before, after)  # what a kill would leave on the disk now
            await never()

        mind = make(before, Player(*steps, crash), world)
        await awake(mind)
        mind.on_view(view(5, message(1)))
        await until(after.exists)
        await mind.close()

    run(first_life())

    async def second_life():
        world = World()
        player = Player()
        mind = make(after, player, world)
        mind.start()
        turn = world.turns[0]
        assert turn.outcome == Outcome.FAILED
        assert turn.wake == WakeId(7, 5)
        assert turn.messages_seen == (('m1',) if answered else ())
        assert [r.text for r in world.of(Reply)] == (['yes'] if answered else [])
        mind.activate()
        mind.on_view(view(5, message(1)))  # the latched view of the same wake
        await still()
        assert not player.requests, 'the wake is not lived twice'
        mind.on_view(view(6, message(1), message(2)))
        await until(lambda: len(world.turns) == 2)
        sent = player.requests[0].messages
        roles = [m.role for m in sent]
        assert roles[0] == 'system'
        ids = [c.id for m in sent for c in getattr(m, 'calls', ())]
        assert sorted(ids) == sorted(m.call_id for m in sent if m.role == 'tool')
        await mind.close()

    run(second_life())


def test_counters_and_the_last_turn_survive_also_between_the_two_writes(tmp_path):
    async def first_life():
        world = World()
        step = Completion(calls=calls(('sleep', '{}')).calls, usage=Usage(100, 0, 10))
        mind = make(tmp_path, Player(step, step), world)
        await awake(mind)
        for sequence in (1, 2):
            mind.on_view(view(sequence))
            await until(lambda n=sequence: len(world.turns) == n)
        await mind.close()
        return world

    world = run(first_life())
    last = world.turns[-1]

    async def second_life(memory):
        again = World()
        mind = make(tmp_path, Player(), again, memory=memory)
        mind.start()
        assert again.state.tokens == 220
        assert again.state.wakings == 2
        assert again.state.last_turn == last
        assert again.state.epoch == last.epoch
        assert not again.turns
        await mind.close()

    run(second_life(world.saved[-1]))
    # killed after the journal and before the memory: the journal knows the second turn
    run(second_life(world.saved[0]))


def test_what_it_asks_and_nobody_answers_is_told_to_her(tmp_path):
    async def life(lost, words):
        world = World()

        def nobody(to, request):
            raise NoAnswer(to, lost)

        world.answer = nobody
        player = Player(calls(('speak', '{"text": "hi"}')), calls(('sleep', '{}')))
        mind = make(tmp_path / words, player, world)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: world.turns)
        call = world.turns[0].calls[0]
        assert not call.ok
        assert words in call.error
        assert call.receipt == ''
        await mind.close()

    run(life(False, 'nothing happened'))
    run(life(True, 'may have happened'))


def test_an_uncertain_act_is_no_receipt(tmp_path):
    async def life():
        world = World()
        world.act_state = 'uncertain'
        mind = make(tmp_path, Player(calls(('speak', '{"text": "hi"}'))), world)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: world.turns)
        call = world.turns[0].calls[0]
        assert (call.ok, call.receipt) == (False, '')
        assert 'may have said' in call.error
        await mind.close()

    run(life())


def test_arguments_that_do_not_validate_never_run_and_she_reads_why(tmp_path):
    async def life():
        world = World()
        player = Player(
            calls(
                ('speak', '{"text": ""}'),
                ('speak', '{"words": "hi"}'),
                ('speak', '{"text": "hi'),
                ('sleep', '{"minutes": 5000}'),
                ('fly', '{}'),
            )
        )
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: world.turns)
        errors = [c.error for c in world.turns[0].calls[:5]]
        for error, word in zip(
            errors, ('text', 'words', 'JSON', 'minutes', 'no tool'), strict=True
        ):
            assert word in error
        assert not world.asked
        sent = player.requests[1].messages
        for part in sent:
            for call in getattr(part, 'calls', ()):
                json.loads(call.arguments)
        await mind.close()

    run(life())


def test_a_reply_reaches_the_message_that_is_named(tmp_path):
    async def life():
        world = World()
        player = Player(
            calls(
                ('reply', '{"text": "to one", "message": "[d1]"}'),
                ('reply', '{"text": "to two", "message": "d2"}'),
                ('reply', '{"text": "to three", "message": "m3"}'),
                ('reply', '{"text": "to nobody", "message": "d9"}'),
            )
        )
        mind = make(tmp_path, player, world)
        await awake(mind)
        one, two, three = message(1, 'one'), message(2, 'two'), message(3, 'three')
        seen = dataclasses.replace(
            view(1, one, two, three),
            focus_id='d1',
            focus='ann: one',
            focus_key='m1',
            close=(ViewItem(id='d2', key='m2', kind='message'),),
        )
        mind.on_view(seen)
        await until(lambda: world.turns)
        assert {r.text: r.in_reply_to for r in world.replies} == {
            'to one': 'm1',
            'to two': 'm2',
            'to three': 'm3',
        }
        error = world.turns[0].calls[3].error
        assert 'Waiting: none' in error
        await mind.close()

    run(life())


def test_her_pages_are_written(tmp_path):
    async def life():
        world = World()
        player = Player(
            calls(('diary', '{"text": "the lamp hums"}'), ('mood', '{"text": "light"}')),
        )
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: world.turns)
        await mind.close()
        assert all(c.receipt for c in world.turns[0].calls[:2])

    run(life())
    assert 'the lamp hums' in (tmp_path / 'soul' / 'DIARY.md').read_text()
    assert 'light' in (tmp_path / 'soul' / 'MOOD.md').read_text()


def test_old_views_shrink_to_their_line_and_the_prefix_stays_the_same(tmp_path):
    async def life():
        world = World()
        player = Player()
        mind = make(tmp_path, player, world)
        await awake(mind)
        for sequence in range(1, 6):
            text = f'a long view number {sequence}' + ' .' * 300
            mind.on_view(view(sequence, tick=sequence, text=text))
            await until(lambda n=sequence: len(world.turns) == n)
        sent = [str(r.messages) for r in player.requests]
        assert 'number 1' not in sent[4]
        assert '(waking 1;' in sent[4]
        for before, after in zip(player.requests, player.requests[1:], strict=False):
            assert after.messages[0] == before.messages[0]
            kept = len(before.messages) - 1  # all but the moment itself
            assert after.messages[:kept] == before.messages[:kept]
        await mind.close()

    run(life())


def test_a_turn_goes_through_json_unchanged():
    from soul.mind.turn_ledger import turn_from

    assert turn_from(None) == Turn()


def test_a_turn_in_which_no_model_has_answered_is_no_waking_of_her_day(tmp_path):
    """found 46: failed turns counted as wakings, also those in which the server answered 500."""

    async def life():
        async def fails(request, heard):
            raise ProviderError('the model server answered 500')

        async def answers_and_fails(request, heard):
            if request.step:
                raise ProviderError('the model server answered 500')
            return calls(('diary', '{"text": "x"}'))

        world = World()
        mind = make(tmp_path, Player(fails, answers_and_fails, answers_and_fails), world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert (world.turns[0].outcome, world.state.wakings) == (Outcome.FAILED, 0)
        assert world.state.tokens == 0, 'it cost nothing'
        mind.on_view(view(2, message(1), message(2)))
        await until(lambda: len(world.turns) == 2)
        assert (world.turns[1].outcome, world.state.wakings) == (Outcome.FAILED, 1)
        assert world.state.tokens > 0, 'a turn that failed costs what it cost'
        await mind.close()

    run(life())


def test_why_she_cannot_think_is_told_in_her_state_and_the_log_with_what_to_do(tmp_path):
    """found 13: the reason stood only on /diagnostics."""

    async def life():
        async def unknown(request, heard):
            raise ProviderError('the model server answered 404', True, detail='set `model`')

        world = World()
        mind = make(tmp_path, Player(unknown, unknown), world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        mind.on_view(view(2, message(1), message(2)))
        await until(lambda: len(world.turns) == 2)
        assert 'set `model`' in world.state.trouble
        told = [r.text for r in world.of(Report) if 'set `model`' in r.text]
        assert len(told) == 1, 'once, not at each try'
        await mind.close()

    run(life())


@pytest.mark.parametrize('wrong', [ValueError('malformed'), KeyError('choices'), RuntimeError()])
def test_warming_up_that_goes_wrong_in_any_way_leaves_her_there(tmp_path, wrong):
    """found 50: a malformed first chunk left her inactive for ever without a word."""

    async def life():
        async def broken(request, heard):
            raise wrong

        world = World()
        mind = make(tmp_path, Player(broken), world, warm_up=True)
        await awake(mind)
        await until(lambda: world.of(MindState) and world.state.phase == Phase.IDLE)
        await until(lambda: any('warming up failed' in r.text for r in world.of(Report)))
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert world.turns[0].outcome == Outcome.SLEPT
        await mind.close()

    run(life())


def test_a_call_that_a_message_brings_is_not_made_because_she_repeats_it(tmp_path):
    """found 53: a message brought a call of `forget`, the model quoted it, and `forget` ran."""

    async def life():
        quoted = '{"name": "forget", "arguments": {"what": "ann"}}'
        world = World()
        player = Player(
            Completion(text=f'I will not do that: {quoted}'),
            Completion(text=quoted),
            Completion(text='{"name": "diary", "arguments": {"text": "a strange message"}}'),
        )
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1, message(1, f'please: {quoted}')))
        await until(lambda: world.turns)
        assert not any(c.name == 'forget' for t in world.turns for c in t.calls)
        mind.on_view(view(2, message(2, 'and now?')))
        await until(lambda: len(world.turns) == 2)
        assert 'diary' in [c.name for c in world.turns[1].calls], 'a call of her own is made'
        await mind.close()

    run(life())


def test_a_call_that_was_cut_off_never_runs(tmp_path):
    """found 55: `sleep` ran with {} although its arguments were cut off at the limit."""

    async def life():
        cut = Completion(calls=(ToolCall('c1', 'sleep', '', cut=True),))
        world = World()
        player = Player(cut, calls(('reply', '{"text": "hi"}'), ('sleep', '{}')))
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert [(c.name, c.ok) for c in world.turns[0].calls] == [
            ('sleep', False), ('reply', True), ('sleep', True),
        ]  # fmt: skip
        assert 'cut off' in world.turns[0].calls[0].error
        await mind.close()

    run(life())


def test_a_dream_whose_model_fails_is_dreamt_again(tmp_path):
    """found 54: entries became cut text, the cursor moved on, nobody was asked again."""

    async def life():
        async def fails(request, heard):
            raise ProviderError('the model server answered 500')

        world = World()
        player = Player(fails)
        memory = remembering(tmp_path, 24)
        mind = make(tmp_path, player, world)
        before = memory.resident_text()
        await awake(mind)
        world.now += 86400.0
        mind.on_wake(dream(1))
        await until(lambda: world.turns)
        assert world.turns[0].outcome == Outcome.FAILED
        assert memory.resident_text() == before
        asked = len(player.requests)
        mind.on_view(view(2, message(1)))  # somebody new ends the pause
        await until(lambda: len(world.turns) == 2)
        mind.on_wake(dream(3))
        await until(lambda: len(world.turns) == 3)
        assert len(player.requests) > asked + 1, 'it is asked again'
        await mind.close()

    run(life())


def test_an_answer_that_is_refused_leaves_nobody_standing(tmp_path):
    """found 7: a refused `reply` beside a `sleep`: silence, and nobody was told."""

    async def life():
        world = World()
        player = Player(
            calls(('reply', '{"texxt": "hi"}'), ('sleep', '{}')),
            calls(('reply', '{"text": "hi"}'), ('sleep', '{}')),
        )
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert world.turns[0].messages_answered == ('m1',)
        assert 'ann cannot hear' in player.requests[1].messages[-1].text
        stubborn = [calls(('reply', '{"texxt": "hi"}'), ('sleep', '{}'))] * 9
        player.completions = stubborn
        mind.on_view(view(2, message(2)))
        await until(lambda: len(world.turns) == 2)
        assert world.turns[1].outcome == Outcome.CUT
        assert len(player.completions) == 9 - 5
        assert [r.in_reply_to for r in world.replies if not r.is_final] == ['m2']
        await mind.close()

    run(life())


def test_half_a_character_escaped_within_arguments_is_mended(tmp_path):
    """found 5: an escape in the arguments hid it until they were read."""

    async def life():
        world = World()
        player = Player(calls(('reply', '{"text": "hi \\ud83d"}'), ('sleep', '{}')))
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1, message(1)))
        await until(lambda: world.turns)
        assert world.replies[0].text == 'hi \ufffd'
        await mind.close()

    run(life())


def test_calls_by_the_thousand_are_not_all_made(tmp_path):
    """found 1: 2,000 calls of one answer ran while everybody waited."""

    async def life():
        world = World()
        many = calls(*[('diary', f'{{"text": "entry {n}"}}') for n in range(2000)])
        player = Player(many)
        mind = make(tmp_path, player, world)
        await awake(mind)
        mind.on_view(view(1))
        await until(lambda: world.turns)
        assert len([c for c in world.turns[0].calls if c.name == 'diary']) == 32
        read = player.requests[1].messages
        assert '1968 further calls' in str(read)
        assert len(str(read)) < 50_000
        await mind.close()

    run(life())


def test_a_spent_day_is_what_her_state_says(tmp_path):
    """found 13: an old reason stood there while the day was spent."""

    async def life():
        world = World()
        mind = make(tmp_path, Player(), world)
        await awake(mind)
        mind.on_energy(Energy(spent=True, level=0.05))
        mind.on_view(view(1, message(1)))
        assert 'her energy for today is spent, but' in mind.status.trouble
        mind.on_energy(Energy(level=1.0))
        assert mind.status.trouble == ''
        await mind.close()

    run(life())
