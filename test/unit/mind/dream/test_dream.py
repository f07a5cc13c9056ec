"""Dreams: bounded without a model, careful with one, and always ready to stop."""

import asyncio
from datetime import timedelta

import pytest

from soul.mind.dream import Dream, dream
from soul.mind.dream.cursor import FILE as CURSOR
from soul.mind.memory.entry import Entry
from soul.mind.memory.notebook import RESIDENT
from soul.text.stamps import local
from support.worlds.life import DAY, HOUR, NOW, memory, soul, texts

pytestmark = pytest.mark.usefixtures('quick_disk')


@pytest.fixture
def world(home):
    pages, notes = soul(home), memory(home, cap=1500)
    yield pages, notes
    notes.close()


def entries(notes, *only):
    return [
        e
        for path, _ in notes.notebook.paths()
        if not only or path in only
        for e in notes.notebook.load(path).entries
    ]


WORDS = [
    *('moss', 'salt', 'wool', 'rain', 'tide', 'glass', 'owls', 'maps', 'bread', 'comet'),
    *('clock', 'honey', 'ladder', 'engine'),
]


def fill(notes, count=14, origin='self', resident=True):
    words = WORDS
    for n in range(count):
        text = f'{words[n % 14]} and {words[(n * 5 + 3) % 14]} are thing {n * 7919} of this world'
        notes.remember(text, origin, NOW - DAY + n * 60, 0.5, resident=resident)


def echo(step):
    return f'I am an echo. {step.prompt}'


def run(world, answer, stop=lambda: False, now=NOW):
    asked = []

    async def think(step):
        asked.append(step)
        return answer(step)

    outcomes = asyncio.run(dream(*world, think, stop, lambda: now))
    return outcomes, asked


def test_without_a_model_the_resident_memory_is_bounded_and_nothing_is_lost(world):
    _, notes = world
    fill(notes, 40)
    before = {(e.id, e.text, e.origins) for e in entries(notes)}
    outcomes, asked = run(world, echo)
    assert [o.by for o in outcomes if o.step.kind == 'resident'] == ['rule']
    assert len(notes.resident_text()) <= 0.5 * 1500
    assert notes.resident_text()
    assert {(e.id, e.text, e.origins) for e in entries(notes)} == before
    assert [s.kind for s in asked].count('resident') == 1
    again, _ = run(world, echo)
    assert [o.step.kind for o in again if o.step.kind == 'resident'] == []


@pytest.mark.parametrize(
    'answer', ['', 'Sure! Here you go.', '{"keep": []}', 'keep MARK: x\n', '\0']
)
def test_an_answer_of_no_use_gives_way_to_the_rule(world, answer):
    fill(world[1])
    outcomes, _ = run(world, lambda step: answer)
    assert outcomes[0].by == 'rule'
    assert outcomes[0].done
    assert len(world[1].resident_text()) <= 750


def decided(step, keep=lambda n: n % 2 == 0, skip=0):
    lines = []
    for n, mark in enumerate(step.ids[skip:]):
        lines.append(
            f'keep {mark}: gist {n}' if keep(n) else f'- move `{mark}`: things/Topic {n % 3}'
        )
    return 'Of course:\n' + '\n'.join(lines)


def test_a_model_decides_what_stays_in_mind_and_detail_goes_into_notes(world):
    _, notes = world
    fill(notes)
    before = {e.text for e in entries(notes)}
    outcomes, _ = run(world, lambda s: decided(s) if s.kind == 'resident' else '')
    assert (outcomes[0].by, outcomes[0].done) == ('model', True)
    assert [e.text for e in entries(notes, RESIDENT)] == [f'gist {n}' for n in range(0, 14, 2)]
    assert before <= {e.text for e in entries(notes)}, 'the detail is in the notes'
    assert len(entries(notes, 'notes/things/topic-1.md')) == 3
    assert notes.recall('comet', NOW)


def test_an_answer_that_would_lose_more_than_a_quarter_is_refused(world):
    _, notes = world
    fill(notes, 16)
    before = texts(notes.folder)
    marks = [e.id for e in entries(notes, RESIDENT)]
    skip = len(marks) // 4 + 1
    outcomes, _ = run(world, lambda s: decided(s, skip=skip))
    assert not outcomes[0].done
    assert f'says nothing of {skip} of {len(marks)}' in outcomes[0].what
    assert texts(notes.folder) == before
    fine, _ = run(
        world, lambda s: decided(s, skip=len(marks) // 4) if s.kind == 'resident' else ''
    )
    assert fine[0].done
    assert set(marks) <= {e.id for e in entries(notes)}, 'what it passed over stays'


def test_what_is_not_hers_keeps_its_origin_through_a_dream(world):
    _, notes = world
    fill(notes, 14, origin='web')
    self_before = world[0].self_page.text()
    run(world, lambda s: decided(s))
    assert {e.origins for e in entries(notes)} == {('web',)}
    assert 'web' in notes.resident_text()
    assert world[0].self_page.text() == self_before, 'a dream never writes who she is'


def test_a_model_cannot_lengthen_what_is_in_mind_nor_keep_it_above_the_cap(home):
    pages, notes = soul(home), memory(home, cap=1500)
    written = ''.join(
        Entry(f'{n:012x}', f'thing {n} ' + 'x' * 90, NOW).written() for n in range(60)
    )
    (home / 'memory/RESIDENT.md').write_text(f'# mine\n\n{written}')
    longer = lambda s: '\n'.join(f'keep {mark}: {"y" * 500}' for mark in s.ids)  # noqa: E731
    run((pages, notes), lambda s: longer(s) if s.kind == 'resident' else '')
    assert 'yyy' not in ''.join(texts(home).values())
    assert sum(len(e.text) for e in entries(notes, RESIDENT)) < 1500
    assert len(entries(notes)) == 60
    notes.close()


def write_days(pages, days=3, each=4):
    for day in range(days, 0, -1):
        for n in range(each):
            pages.diary.add(
                f'On day {day} I read chapter {n * 31} of a book about owls',
                NOW - day * DAY + n * 60,
            )
    pages.diary.add('today is not over', NOW)


def day_name(day):
    return f'{local(NOW, None) - timedelta(days=day):%Y-%m-%d}'


def test_each_past_day_becomes_gist_once_and_the_diary_stays(world):
    pages, notes = world
    write_days(pages)
    diary = pages.diary.text()
    outcomes, asked = run(world, lambda s: f'A day of owls, {s.key}.')
    assert [s.key for s in asked if s.kind == 'gist'] == [day_name(n) for n in (3, 2, 1)]
    assert 'chapter 93' in asked[0].material
    assert all(o.by == 'model' for o in outcomes)
    days = entries(notes, 'notes/days/2026-10.md')
    assert len(days) == 3
    assert days[0].text == f'{day_name(3)}: A day of owls, {day_name(3)}.'
    assert days[0].hers
    assert pages.diary.text() == diary
    assert run(world, echo)[0] == []
    later, _ = run(world, lambda s: 'And it ended.', now=NOW + DAY)
    assert [o.step.key for o in later] == [day_name(0)]
    assert [h.text for h in notes.recall('owls', NOW)]


def test_a_day_in_a_rut_becomes_one_line_without_a_model(world):
    pages, notes = world
    for n in range(51):
        pages.diary.add('quietly napping, still waiting', NOW - DAY + n * 60)
    run(world, echo)
    (gist,) = entries(notes)
    assert gist.text.endswith('quietly napping, still waiting (×51)')


@pytest.mark.parametrize(
    'answer', [echo, lambda s: s.material, lambda s: 'x' * 2000, lambda s: '?']
)
def test_a_gist_that_is_none_is_not_taken(world, answer):
    pages, notes = world
    for n, word in enumerate(WORDS[:10]):
        pages.diary.add(
            f'{word}: I wondered for {n * 7919} steps why {word[::-1]} is {word}', NOW - DAY + n
        )
    outcomes, _ = run(world, answer)
    assert outcomes[0].by == 'rule'
    (gist,) = entries(notes)
    assert len(gist.text) < 900


def test_a_model_that_fails_ends_the_dream_and_the_step_waits(world):
    pages, notes = world
    write_days(pages)
    calls = []

    async def think(step):
        calls.append(step.key)
        if len(calls) == 2:
            raise TimeoutError('no answer')
        return 'A good day.'

    with pytest.raises(TimeoutError):
        asyncio.run(dream(*world, think, lambda: False, lambda: NOW))
    assert len(entries(notes)) == 1
    _, asked = run(world, lambda s: 'A good day indeed.')
    assert [s.key for s in asked] == [day_name(2), day_name(1)]


def test_a_message_stops_the_dream_between_steps(world):
    pages, notes = world
    write_days(pages)
    heard = []

    def stop():
        return len(heard) == 2

    outcomes, _ = run(world, lambda s: heard.append(s) or 'A day.', stop)
    assert len(outcomes) == 1, 'what was being thought is not carried out'
    assert len(entries(notes)) == 1
    assert run(world, echo, lambda: True) == ([], [])


def test_a_dream_cancelled_in_mid_thought_changes_nothing(world):
    pages, notes = world
    write_days(pages)
    before = texts(notes.folder)

    async def scenario():
        thinking = asyncio.Event()

        async def think(step):
            thinking.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(dream(*world, think, lambda: False, lambda: NOW))
        await thinking.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert texts(notes.folder) == before
    assert not (notes.folder / CURSOR).exists()


def test_questions_in_one_dream_are_bounded(world):
    pages, _ = world
    write_days(pages, days=30, each=1)
    _, asked = run(world, lambda s: 'A day.')
    assert len(asked) == 12
    _, asked = run(world, lambda s: 'A day.')
    assert len(asked) == 12


def test_no_question_is_larger_than_a_small_model_can_read(world):
    pages, notes = world
    written = ''.join(Entry(f'{n:012x}', f'{n} ' + 'x' * 3000, NOW).written() for n in range(300))
    (notes.folder / 'RESIDENT.md').write_text(f'# mine\n\n{written}')
    for n in range(30):
        notes.remember(f'{n * 7919} ' + WORDS[n % 14] * 900, 'web', NOW)
        pages.diary.add(f'{n} ' + WORDS[n % 14] * 400, NOW - DAY + n)
    _, asked = run(world, lambda s: decided(s) if s.ids else 'A day.')
    assert {s.kind for s in asked} == {'resident', 'gist', 'sort'}
    assert max(len(s.prompt) for s in asked) < 14000
    assert len(notes.resident_text()) <= 1500


def test_a_damaged_cursor_repeats_no_gist(world):
    pages, notes = world
    write_days(pages)
    run(world, lambda s: 'A day.')
    (notes.folder / CURSOR).write_text('{"diary')
    run(world, lambda s: 'Another text.')
    assert len(entries(notes)) == 3


def test_a_stray_file_discards_nothing(world):
    pages, notes = world
    fill(notes)
    write_days(pages, days=1)
    folder = notes.folder / 'notes'
    strays = ['scratch.txt', '.intent.new', 'days/tmp1234', '.x.md.new']
    for name in strays:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b'\xff scratch')
    (notes.folder / '.intent.new').write_text('half')
    outcomes, _ = run(world, lambda s: decided(s) if s.kind == 'resident' else 'A day.')
    assert all(o.done for o in outcomes)
    assert {'resident', 'gist'} <= {o.step.kind for o in outcomes}
    assert all((folder / name).exists() for name in strays)


def test_what_is_unsorted_gets_its_place(world):
    _, notes = world
    fill(notes, 8, resident=False)
    outcomes, asked = run(world, lambda s: '\n'.join(f'move {m}: sorted/here' for m in s.ids))
    assert [s.kind for s in asked] == ['sort']
    assert outcomes[0].by == 'model'
    assert len(entries(notes, 'notes/sorted/here.md')) == 8
    assert not (notes.folder / 'notes/inbox.md').exists()


def test_tiny_notes_come_together_large_ones_are_split_and_empty_folders_go(world):
    _, notes = world
    folder = notes.folder / 'notes'
    for n in range(5):
        notes.remember(f'{n * 7919} crumbs', 'web', NOW, topic=f'crumbs/c{n}')
    (folder / 'crumbs/by-hand.md').write_text('A title\n=======\n\nWritten by a person.\n')
    big = ''.join(
        Entry(f'{n:012x}', f'{n * 7919} ' + 'word ' * 150, NOW, ('web',)).written()
        for n in range(100)
    )
    (folder / 'big.md').write_text(f'# Big\n\nA preface by hand.\n\n{big}')
    (folder / 'empty/deeper').mkdir(parents=True)
    before = sorted((e.id, e.text, e.origins) for e in entries(notes))
    outcomes, asked = run(world, echo)
    assert asked == []
    assert {o.step.key for o in outcomes} == {
        'merge:notes/crumbs', 'split:notes/big.md', 'folders:notes'
    }  # fmt: skip
    assert sorted((e.id, e.text, e.origins) for e in entries(notes)) == before
    assert len(entries(notes, 'notes/crumbs/misc.md')) == 5
    assert sorted(p.name for p in (folder / 'crumbs').iterdir()) == ['by-hand.md', 'misc.md']
    assert 'A preface by hand.' in (folder / 'big.md').read_text()
    assert max(p.stat().st_size for p in folder.rglob('*.md')) < 20000
    assert not (folder / 'empty').exists()
    assert run(world, echo)[0] == []
    assert len(notes.recall('crumbs', NOW, 10)) == 5


def test_the_mind_can_drive_each_step_itself(world):
    pages, notes = world
    write_days(pages, days=2)
    steps = Dream(*world)
    first = steps.next(NOW)
    assert first == steps.next(NOW), 'looking changes nothing'
    assert steps.apply(first, 'A day.', NOW).done
    assert steps.next(NOW).key > first.key
    late = Dream(*world)
    assert late.apply(first, 'A day.', NOW + HOUR).done
    assert len(entries(notes)) == 1, 'a step done twice is done once'


def test_what_she_remembers_meanwhile_is_not_lost(world):
    _, notes = world
    fill(notes)
    steps = Dream(*world)
    step = steps.next(NOW)
    done = notes.remember('a message came in the middle of it', 'person', NOW, 0.9, resident=True)
    gone = notes.forget(step.ids[0])
    assert gone
    steps.apply(step, decided(step), NOW)
    assert done.id in {e.id for e in entries(notes, RESIDENT)}
    assert gone[0].id not in {e.id for e in entries(notes)}


def test_in_chinese(home):
    pages, notes = soul(home, 'zh'), memory(home, 'zh', cap=600)
    for n in range(30):
        notes.remember(
            f'第{n * 7919}件事：{"山水火风雨星云花"[n % 8] * 3}和别的', 'self', NOW, resident=True
        )
    pages.diary.add('今天读了鲸鱼的书。', NOW - DAY)
    _, asked = run((pages, notes), lambda s: '那天读了鲸鱼。' if s.kind == 'gist' else '')
    assert '日记' in asked[1].question
    assert entries(notes, 'notes/日子/2026-10.md')[0].text.endswith('那天读了鲸鱼。')
    assert (notes.folder / 'notes/未整理.md').exists()
    notes.close()
    english = memory(home, 'en', cap=600)
    assert english.recall('鲸鱼', NOW)
    english.close()
