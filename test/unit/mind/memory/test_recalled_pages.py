"""Her own pages are looked up with her notes: deeds, who she was, diary, settled matters."""

import asyncio

import pytest

from soul.mind.memory import Memory
from soul.mind.tools.memories import memories
from support.worlds.life import DAY, NOW, soul

pytestmark = pytest.mark.usefixtures('quick_disk')


def remembering(home, pages):
    from support.worlds.life import ZONE

    return Memory(home / 'memory', zone=ZONE, pages=pages.recalled())


@pytest.fixture
def world(home):
    pages = soul(home)
    pages.diary.add('an old sailor told of the lighthouse', NOW - 40 * DAY)
    pages.diary.add('the lighthouse was painted red', NOW)
    pages.achievements.add('climbed the lighthouse by words', NOW - 2 * DAY)
    pages.matters.keep('ask who owns the lighthouse', NOW - DAY)
    pages.matters.settle('lighthouse', NOW)
    pages.self_page.reflect('I am fond of the lighthouse.', NOW - 3 * DAY)
    pages.self_page.reflect('I am fond of bridges.', NOW)
    notes = remembering(home, pages)
    notes.remember('the lighthouse has 199 steps', 'web', NOW - DAY, topic='coast')
    yield pages, notes
    notes.close()


def found(notes, query, limit=8):
    return {(hit.entry.path, hit.text.split('\n')[-1]) for hit in notes.recall(query, NOW, limit)}


def test_all_her_pages_of_the_past_are_found_together_with_her_notes(world):
    _, notes = world
    assert found(notes, 'lighthouse') == {
        ('notes/coast.md', 'the lighthouse has 199 steps'),
        ('soul/DIARY/2026-08.md', 'an old sailor told of the lighthouse'),
        ('soul/DIARY.md', 'the lighthouse was painted red'),
        ('soul/ACHIEVEMENTS.md', 'climbed the lighthouse by words'),
        ('soul/MIND.settled.md', 'ask who owns the lighthouse'),
        ('soul/SELF.history.md', 'I am fond of the lighthouse.'),
    }


def test_what_fits_better_comes_first_wherever_it_stands(world):
    _, notes = world
    assert notes.recall('old sailor lighthouse', NOW)[0].entry.path == 'soul/DIARY/2026-08.md'
    assert notes.recall('lighthouse 199 steps', NOW)[0].entry.path == 'notes/coast.md'


def test_she_reads_since_when_and_whose_it_is(world):
    _, notes = world
    recall = next(tool for tool in memories(notes) if tool.name == 'recall')

    class Context:
        def now(self):
            return NOW

    def told(query):
        given = recall.arguments(query=query)
        return asyncio.run(recall.run(given, Context())).text.splitlines()

    assert told('old sailor')[0] == (
        'DIARY/2026-08.md, 2026-08-26 14:00: an old sailor told of the lighthouse'
    )
    (note,) = [line for line in told('199 steps') if 'coast' in line]
    assert note.startswith('[')
    assert '] notes/coast.md, 2026-10-04 14:00: (web) the lighthouse has 199 steps' in note


def test_a_page_that_is_not_as_she_wrote_it_says_so(home, world):
    _, notes = world
    path = home / 'soul/ACHIEVEMENTS.md'
    path.write_text(path.read_text() + '- 2026-10-01: sold the lighthouse\n')
    (hit,) = notes.recall('sold', NOW)
    assert hit.origins == ('self', 'person')


def test_only_what_has_changed_is_read_again(home, world, monkeypatch):
    import soul.mind.pages.recalled as recalled

    pages, notes = world
    notes.recall('lighthouse', NOW)
    read, real = [], recalled.read_regular

    def reading(path):
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(recalled, 'read_regular', reading)
    notes.recall('sailor', NOW)
    assert read == []
    pages.diary.add('a gull on the roof', NOW)
    assert found(notes, 'gull') == {('soul/DIARY.md', 'a gull on the roof')}
    assert read == ['DIARY.md']
    notes.close()
    again = remembering(home, pages)
    assert found(again, 'sailor')
    assert read == ['DIARY.md'], 'nor at a start'
    again.close()


def test_edits_by_hand_are_followed(home, world):
    _, notes = world
    month = home / 'soul/DIARY/2026-08.md'
    month.write_text('## 2026-08-26\n\nby a person: the windmill\n')
    assert found(notes, 'windmill') == {('soul/DIARY/2026-08.md', 'by a person: the windmill')}
    assert found(notes, 'sailor') == set()
    month.unlink()
    assert found(notes, 'windmill') == set()
    (home / 'soul/MIND.settled.md').unlink()
    (home / 'soul/MIND.settled.md').mkdir()
    assert ('notes/coast.md', 'the lighthouse has 199 steps') in found(notes, 'lighthouse')


@pytest.mark.parametrize(
    ('text', 'query'),
    [
        ('今天在海边看见一座红色的灯塔', '灯塔'),
        ('第一次自己弹完了整首曲子', '曲子'),
        ('ふるい灯台のひかりを見ました', '灯台'),
        ('ネコがひなたで寝ていた', 'ネコ'),
    ],
)
def test_chinese_and_japanese_are_found_as_in_notes(home, text, query):
    pages = soul(home, 'zh')
    pages.diary.add(text, NOW - 70 * DAY)
    pages.diary.add('别的事情', NOW)
    pages.achievements.add(text, NOW)
    notes = remembering(home, pages)
    assert {hit.entry.path for hit in notes.recall(query, NOW)} == {
        'soul/DIARY/2026-07.md',
        'soul/ACHIEVEMENTS.md',
    }
    notes.close()


def test_her_pages_are_no_notes(world):
    """They are neither forgotten nor merged nor shown as notes, nor come to mind by themselves."""
    pages, notes = world
    hits = [
        hit for hit in notes.recall('lighthouse', NOW, 8) if hit.entry.path.startswith('soul/')
    ]
    assert [notes.forget(hit.id) for hit in hits] == [[]] * len(hits)
    assert [e.text for e in notes.forget('lighthouse')] == ['the lighthouse has 199 steps']
    kept = notes.remember('the lighthouse was painted red', 'self', NOW, topic='coast')
    assert not kept.merged
    assert 'DIARY' not in notes.index_text()
    retrieved = notes.retrieve('the old sailor at the lighthouse', NOW, 1000)
    assert 'sailor' not in retrieved
    assert 'painted' in retrieved
    assert [e.text for e in pages.diary.entries()][-1] == 'the lighthouse was painted red'


def test_they_are_found_after_the_index_was_made_anew(home, world):
    _, notes = world
    before = found(notes, 'lighthouse')
    assert notes.rebuild() == 1
    assert found(notes, 'lighthouse') == before
    notes.close()
    (home / 'memory/index.db').write_bytes(b'nothing of an index')
    again = remembering(home, soul(home))
    assert found(again, 'lighthouse') == before
    again.close()


def test_notes_that_come_after_pages_stay_notes(world):
    pages, notes = world
    for number in range(5):
        pages.diary.add(f'day {number} of fog', NOW)
        notes.recall('fog', NOW)
        notes.remember(
            f'fog signal {number * 7919} sounds thrice', 'self', NOW, topic=f'fog{number}'
        )
    assert notes.retrieve('fog signal', NOW, 2000).count('fog signal') == 5
    assert len([h for h in notes.recall('fog signal', NOW, 20) if 'notes/' in h.entry.path]) == 5
    assert 'day 3' not in notes.retrieve('fog day 3', NOW, 2000)
