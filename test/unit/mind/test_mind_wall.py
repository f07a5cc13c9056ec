"""Money and time: nothing a model says gets past the limits, and nobody is forgotten for it."""

import asyncio
import collections
import itertools
import random
import shutil

import pytest

from soul.core.clock import VirtualClock
from soul.signals import Energy, Outcome
from support import odd_model
from support.strict_server import strict_problems
from support.worlds.fortnight import BIRTH, DAY
from support.worlds.metered import CEILING, COST, LIMITS, TOKENS, WAKES, World, live

pytestmark = pytest.mark.usefixtures('quick_disk')


def used(world):
    """What the guard says was used of the day at the end."""
    return world.energies[-1]


FRUITLESS = ('refused', 'no arguments', 'refused, not counted', 'unknown tool')


@pytest.mark.parametrize('odd', FRUITLESS)
def test_a_model_whose_calls_have_no_effect_is_stopped_after_some_steps(tmp_path, odd):
    """found 1: one waking with a `sleep` that was refused made 635 requests, past every cap."""
    world = live(tmp_path, odd_model.ODD[odd], 40.0, [(1.0, 1)])
    first = world.turns[0]
    assert first.outcome == Outcome.CUT
    assert 'no effect' in first.detail
    assert first.steps == 5
    # pauses of 2, 4, 8, 16 s
    assert len(world.turns) <= 6
    assert len(world.model.requests) <= 5 * 6
    assert [r.in_reply_to for r in world.replies] == ['m1'], 'told once'
    assert not world.replies[0].is_final


@pytest.mark.parametrize('arguments', ['null', '""', '[]', '{}', '', ' '])
def test_what_says_that_there_are_no_arguments_is_none(tmp_path, arguments):
    """found 1: a `sleep` with the text `null` was refused; it means no arguments."""
    behave = lambda v, b: odd_model.stream(  # noqa: E731
        *odd_model.calls(odd_model.call('sleep', arguments)), odd_model.usage(), odd_model.END
    )
    world = live(tmp_path, behave, 5.0, [(1.0, 1)])
    assert [t.outcome for t in world.turns] == [Outcome.SLEPT]
    assert len(world.model.requests) == 1


@pytest.mark.parametrize('odd', ['empty', 'empty, not counted', 'nothing at all', 'only thinking'])
def test_an_empty_answer_is_a_failure_with_a_growing_pause(tmp_path, odd):
    """found 2: an empty stream began again at once, 14 wakings in 2 s, the whole day on one."""
    world = live(tmp_path, odd_model.ODD[odd], 120.0, [(1.0, 1)])
    times = [at for at, _ in world.model.requests]
    gaps = [b - a for a, b in itertools.pairwise(times)]
    assert gaps
    assert all(b >= a for a, b in itertools.pairwise(gaps)), gaps
    assert gaps[0] >= 2.0
    assert len(times) <= 7
    assert used(world).tokens_used > 0 or odd == 'nothing at all', 'what it cost is counted'
    assert used(world).wakes_used <= 1 + len(world.turns)
    assert [(r.in_reply_to, r.is_final) for r in world.replies] == [('m1', False)]


def test_a_server_that_counts_nothing_is_estimated(tmp_path):
    """found 2: with no usage told, one endless waking of 642 requests counted "0 tokens"."""
    behave = lambda v, b: odd_model.stream(  # noqa: E731
        *odd_model.calls(odd_model.call('diary', {'text': f'x {len(b["messages"])}'})),
        odd_model.END,
    )
    world = live(tmp_path, behave, 3600.0, [(1.0, 1)], waking_tokens=1000)
    assert world.turns[0].outcome == Outcome.CUT
    assert 'used its 1000 tokens' in world.turns[0].detail
    assert world.turns[0].tokens_in > 1000
    assert used(world).tokens_used > 0
    assert used(world).cost_used > 0.0


def test_a_cut_waking_begins_again_only_after_a_growing_pause(tmp_path):
    """found 2: a waking that was cut at its tokens began again at once."""
    behave = lambda v, b: odd_model.stream(  # noqa: E731
        *odd_model.calls(odd_model.call('body_status', {})),
        odd_model.usage(9000), odd_model.END,
    )  # fmt: skip
    world = live(tmp_path, behave, 300.0, [(1.0, 1)], waking_tokens=20_000)
    begun = [t.stamp for t in world.turns if t.outcome == Outcome.CUT]
    gaps = [b - a for a, b in itertools.pairwise(begun)]
    assert len(gaps) >= 3
    assert gaps[-1] > 2 * gaps[0]


def test_a_new_message_makes_her_ask_sooner_once_and_never_against_the_server(tmp_path):
    """found 13: 300 s of silence though somebody spoke; a wanted pause is kept (found 2)."""
    world = live(tmp_path, odd_model.ODD['401'], 100.0, [(1.0, 1), (50.0, 2), (60.0, 2)])
    assert [round(at - BIRTH) for at, _ in world.model.requests] == [1, 50]
    wanted = lambda v, b: odd_model.error(429, 'slow down', **{'retry-after': '60'})  # noqa: E731
    world = live(tmp_path / 'wanted', wanted, 55.0, [(1.0, 1), (30.0, 2)])
    assert len(world.model.requests) == 1


def test_no_minute_has_more_requests_than_its_ceiling(tmp_path):
    """found 1, 2: 1,083 requests for one message within 40 s."""
    steps = iter(range(10**6))
    behave = lambda v, b: odd_model.stream(  # noqa: E731
        *odd_model.calls(odd_model.call('diary', {'text': f'thought {next(steps)}'})),
        odd_model.usage(500), odd_model.END,
    )  # fmt: skip
    world = live(tmp_path, behave, 600.0, [(1.0, 1)], waking_tokens=0)
    times = [at for at, _ in world.model.requests]
    assert len(times) >= CEILING
    assert busiest_minute(times) == CEILING


def busiest_minute(times):
    return max((sum(1 for t in times if at <= t < at + 60.0) for at in times), default=0)


@pytest.mark.parametrize(
    ('limit', 'value'), [('daily_tokens', 20_000), ('daily_cost', 0.02), ('daily_wakes', 3)]
)
def test_the_day_is_a_wall_also_within_a_waking(tmp_path, monkeypatch, limit, value):
    """found 1: nothing asked for the day's energy inside a waking; 9.30 USD of 2 were spent."""
    monkeypatch.setitem(LIMITS, limit, value)
    numbers = iter(range(10**6))
    behave = lambda v, b: odd_model.stream(  # noqa: E731
        *odd_model.calls(odd_model.call('diary', {'text': f'thought {next(numbers)}'})),
        odd_model.usage(2000, 0, 200), odd_model.END,
    )  # fmt: skip
    posts = [(60.0 * n, n) for n in range(1, 8)]
    world = live(tmp_path, behave, 3600.0, posts, waking_tokens=6000)
    energy = used(world)
    assert energy.tokens_used <= energy.tokens_limit + 2200
    assert energy.cost_used <= energy.cost_limit + 2800 / 1e6 + 1e-9
    assert energy.wakes_used <= energy.wakes_limit
    asked = len(world.model.requests)
    assert 0 < asked < 60
    assert {r.in_reply_to for r in world.replies} == {f'm{n}' for _, n in posts}
    assert len([r for r in world.replies if not r.is_final]) == len(posts), 'each is told once'


def test_the_reserve_is_for_her_people(tmp_path):
    """found 1: the wall keeps the last part of a day for people she trusts."""
    from soul.mind.counters import Counters
    from soul.mind.day import Day, Expense

    day = Day(Counters())
    day.hear(Energy(level=0.1, tokens_used=850, tokens_limit=1000, reserve=0.1))
    assert day.refusal(Expense(tokens=60), trusted=False)
    assert day.spent(trusted=False), 'nothing changes before the guard says so'
    assert not day.refusal(Expense(tokens=60), trusted=True)
    assert day.refusal(Expense(tokens=160), trusted=True)
    day.hear(Energy(level=1.0, tokens_limit=1000, reserve=0.1, resets_at=5.0))
    assert not day.spent(trusted=False)


def test_what_the_guard_has_not_counted_yet_is_counted_all_the_same():
    """found 1: between two words of the guard no request slips through."""
    from soul.mind.counters import Counters
    from soul.mind.day import Day, Expense
    from soul.mind.providers.base import Usage

    counters = Counters(tokens=5000)
    day = Day(counters)
    day.hear(Energy(tokens_used=100, tokens_limit=1000, counted_tokens=5000))
    assert not day.refusal(Expense(tokens=800), False)
    counters.add(Usage(500, 0, 0), 0.0)
    assert day.refusal(Expense(tokens=800), False)
    again = Day(counters, day.memory())
    assert again.refusal(Expense(tokens=800), False), 'the last word holds over a restart'


@pytest.mark.parametrize(
    'delta',
    [
        {'content': 'la ' * 50},
        {'reasoning_content': 'hm ' * 50},
        {'tool_calls': [odd_model.call('diary', 'x' * 200)]},
    ],
)
def test_an_answer_that_grows_without_end_is_ended(tmp_path, delta):
    """found 2: one endless answer spent the day many times over; no limit looked inside it."""
    behave = lambda v, b: odd_model.stream(  # noqa: E731
        *(odd_model.chunk(delta) for _ in range(20_000))
    )
    world = live(tmp_path, behave, 30.0, [(1.0, 1)], answer_tokens=2000)
    assert world.turns[0].outcome == Outcome.FAILED
    assert 'did not come to an end' in world.turns[0].detail
    assert 2000 <= world.turns[0].tokens_out <= 2200
    assert [(r.in_reply_to, r.is_final) for r in world.replies] == [('m1', False)]


def test_an_answer_that_drips_without_end_is_ended(tmp_path, monkeypatch):
    """found 2: a word a second for ever was progress for ever."""
    clock = iter(range(10**6))
    monkeypatch.setattr('soul.mind.wall.time.monotonic', lambda: float(next(clock)))
    behave = lambda v, b: odd_model.stream(  # noqa: E731
        *(odd_model.chunk({'content': 'la '}) for _ in range(5000))
    )
    world = live(tmp_path, behave, 30.0, [(1.0, 1)], answer_seconds=100.0)
    assert world.turns[0].outcome == Outcome.FAILED
    assert 'did not come to an end' in world.turns[0].detail
    assert world.turns[0].tokens_out < 200


class Moody:
    """A server that mostly answers oddly; when it is `well` it always answers."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.well = False
        self.deck = []
        self.names = collections.Counter()

    def __call__(self, view, body):
        wrong = strict_problems(body['messages'])
        assert not wrong, wrong
        if self.well or self.rng.random() < 0.25:
            return odd_model.good(view, body)
        if not self.deck:  # each has its turn, in any order
            self.deck = self.rng.sample(list(odd_model.ODD), len(odd_model.ODD))
        name = self.deck.pop()
        self.names[name] += 1
        return odd_model.ODD[name](view, body)


@pytest.mark.long
@pytest.mark.parametrize(
    ('seed', 'wakings'),
    [(1, 100), *(pytest.param(seed, 300, marks=pytest.mark.soak) for seed in (1, 2))],
)
def test_many_wakings_with_a_model_that_answers_oddly(tmp_path, seed, wakings):
    """found 1, 2, 4 to 14, 55: whatever a model answers, she stays within her means and answers.

    Half-way she is killed (what lies on the disk at that instant goes on in another home).
    """

    async def life():
        moody, rng = Moody(seed), random.Random(100 + seed)
        world = World(tmp_path / 'a', moody, seed)
        world.graph.start()
        await world.life.settle()
        number, killed, worlds = 0, False, [world]
        while sum(len(w.turns) for w in worlds) < wakings:
            number += 1
            world.post(number, trusted=rng.random() < 0.3)
            await world.life.until(world.clock.now() + rng.choice([5.0, 60.0, 600.0, 1800.0]))
            if not killed and len(world.turns) >= wakings // 2:
                killed = True
                shutil.copytree(tmp_path / 'a', tmp_path / 'b')
                await world.close()
                later = VirtualClock(world.clock.now())
                world = World(tmp_path / 'b', moody, seed + 50, later)
                worlds.append(world)
                world.graph.start()
                await world.life.settle()
            assert number < 3000, 'she lives on'
        moody.well = True
        await world.life.until(world.clock.now() + 2 * DAY)
        await world.close()
        return worlds, number, moody

    worlds, posted, moody = asyncio.run(life())
    assert set(moody.names) == set(odd_model.ODD), 'each odd answer was met'
    times = sorted(at for w in worlds for at, _ in w.model.requests)
    assert busiest_minute(times) <= CEILING
    largest = max(t.tokens_in + t.tokens_out for w in worlds for t in w.turns)
    for energy in (e for w in worlds for e in w.energies):
        assert energy.tokens_used <= TOKENS + min(largest, 45_000)
        assert energy.cost_used <= COST + 0.05
        assert energy.wakes_used <= WAKES
    answered = {r.in_reply_to for w in worlds for r in w.replies if r.is_final and r.in_reply_to}
    assert answered == {f'm{n}' for n in range(1, posted + 1)}
    told = collections.Counter(r.in_reply_to for w in worlds for r in w.replies if not r.is_final)
    assert not told or max(told.values()) <= 1, 'told once, also over a restart'
    words = ' '.join(r.text for w in worlds for r in w.replies)
    assert 'think>' not in words
    assert '\ud83d' not in words
    broken = [r for w in worlds for r in w.reports if 'Traceback' in str(r)]
    assert not broken, broken[:1]
