"""Finding in three languages, retrieval for what she sees, and an index that can be lost."""

import contextlib
import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest
import yaml

from soul.mind.memory import Memory
from soul.text.terms import search_terms, stem
from support.worlds.life import NOW, memory, texts

pytestmark = pytest.mark.usefixtures('quick_disk')

QUESTIONS = yaml.safe_load((Path(__file__).parents[2] / 'data/questions.yaml').read_text('utf-8'))
NOTES = [asked['note'] for group in QUESTIONS.values() for asked in group]


@pytest.fixture
def notes(home):
    made = memory(home)
    yield made
    made.close()


@pytest.fixture(scope='module')
def corpus(tmp_path_factory):
    """The notes of the questions among six hundred others."""
    home = tmp_path_factory.mktemp('corpus')
    rng = random.Random(4)
    vocabulary = sorted({word for note in NOTES for word in note.split() if word.isascii()})
    characters = sorted({c for note in NOTES for c in note if c > '\u3000'})
    texts_ = list(NOTES)
    texts_ += [' '.join(rng.sample(vocabulary, 9)) + f' {n}' for n in range(300)]
    texts_ += [''.join(rng.sample(characters, 22)) for _ in range(300)]
    rng.shuffle(texts_)
    folder = home / 'memory/notes'
    folder.mkdir(parents=True)
    for n in range(0, len(texts_), 20):
        (folder / f'{n}.md').write_text(
            '\n\n'.join(f'## {n}\n{text}' for text in texts_[n : n + 20])
        )
    made = memory(home)
    yield made
    made.close()


@pytest.mark.parametrize(('language', 'floor'), [('en', 0.9), ('zh', 0.9), ('ja', 0.9)])
def test_recall_at_five(corpus, language, floor):
    assert len(NOTES) >= 30
    missed = [
        asked['question']
        for asked in QUESTIONS[language]
        if not any(asked['wanted'] in hit.text for hit in corpus.recall(asked['question'], NOW, 5))
    ]
    assert len(missed) <= (1 - floor) * len(QUESTIONS[language]), missed


@pytest.mark.parametrize(
    ('query', 'text'),
    [
        ('茶', '小安喜欢茶'),
        ('歌', '鲸鱼唱歌'),
        ('すし', '昨日すしを食べた'),
        ('AI', 'a text about AI and ships'),
        ('Bo', 'Bo called'),
        ('５月', '誕生日は5月3日'),
        ('ｗｈａｌｅ', 'The whale dives'),
        ('WHALES', 'a whale dives'),
        ('😀', 'she sent 😀 back'),
        ('100%', 'charged to 100% today'),
        ('"quoted" AND (', 'a quoted word'),
        ('colou*', 'the colours of moss'),
        ('不', '他说不'),
        ('who are you', 'you asked who you are'),
    ],
)
def test_short_and_odd_queries(notes, query, text):
    notes.remember(text, 'self', NOW)
    notes.remember('something else entirely', 'self', NOW)
    assert [h.text for h in notes.recall(query, NOW)][:1] == [text]


@pytest.mark.parametrize('query', ['', ' ', '?!', '\0', 'zeppelin', '"', 'x' * 5000])
def test_a_query_for_nothing_finds_nothing(notes, query):
    notes.remember('something', 'self', NOW)
    assert notes.recall(query, NOW) == []
    assert notes.retrieve(query, NOW, 100) == ''


def test_stop_words_alone_are_no_search_terms_beside_others():
    assert search_terms('Where is the key?').long == ('key',)
    assert search_terms('who are you').long == ('who', 'are', 'you')
    assert search_terms('这是什么钥匙').short == ('钥匙',)
    assert search_terms('緑茶について').short == ('緑茶',)


@pytest.mark.parametrize(
    ('word', 'left'),
    [
        ('bicycles', 'bicycle'),
        ('boxes', 'box'),
        ('singing', 'sing'),
        ('called', 'call'),
        ('carries', 'carr'),
        ('glass', 'glass'),
        ('bus', 'bus'),
        ('is', 'is'),
        ('red', 'red'),
        ('ring', 'ring'),
        ('whales', 'whale'),
        ('naïvetés', 'naïvetés'),
    ],
)
def test_what_is_left_of_a_word_is_found_in_all_its_forms(word, left):
    assert stem(word) == left
    assert left in word


def test_a_long_text_is_shown_around_what_was_found(notes):
    notes.remember(
        'padding words ' * 60 + 'the needle lies here ' + 'more of it ' * 60, 'self', NOW
    )
    (hit,) = notes.recall('needle', NOW)
    assert 'needle' in hit.snippet
    assert len(hit.snippet) <= 242
    assert len(hit.text) > 1000


def test_retrieval_keeps_to_its_budget_and_to_one_order(notes):
    for n in range(30):
        notes.remember(
            f'{n * 7919} whales sing in sea number {n}', 'web', NOW + n * 60, topic=f'sea/{n % 5}'
        )
    notes.remember('Nothing to do with it', 'self', NOW)
    views = ['whales in the sea', 'In the sea, whales!', 'a letter:\n\nsea ... whales']
    told = {notes.retrieve(view, NOW, 2000) for view in views}
    assert len(told) == 1
    lines = told.pop().splitlines()
    assert len(lines) == 12
    assert all('whales sing' in line for line in lines)
    for budget in (0, 30, 100, 500):
        assert len(notes.retrieve(views[0], NOW, budget)) <= budget


def test_what_is_rare_in_a_long_view_decides(notes):
    for n in range(150):
        notes.remember(
            f'{n * 7919} considerations concerning extraordinary circumstances', 'web', NOW
        )
    notes.remember('Anna is afraid of dogs.', 'person', NOW)
    notes.remember('小安怕狗。', 'person', NOW)
    words = [f'{word}ation' for word in QUESTIONS['en'][0]['note'].split() for _ in range(3)]
    view = (
        'extraordinary circumstances, considerations ' + ' '.join(words) + ' Anna waits. 小安在等'
    )
    told = notes.retrieve(view, NOW, 400).splitlines()
    assert len([line for line in told if 'Anna' in line or '小安' in line]) == 2


def test_what_is_only_faintly_related_is_not_retrieved(notes):
    notes.remember('whales sing songs in the northern sea', 'web', NOW)
    for n in range(20):
        notes.remember(
            f'{n * 7919} words were said in the {"morning" if n % 2 else "evening"}', 'web', NOW
        )
    told = notes.retrieve('whales sing in the northern sea this morning', NOW, 2000)
    assert 'whales' in told
    assert 'words were said' not in told


def test_people_edit_the_notes_while_she_lives(home, notes):
    notes.remember('the garden has a well', 'self', NOW, topic='garden')
    path = home / 'memory/notes/garden.md'
    path.write_text(path.read_text().replace('a well', 'a fountain'))
    assert [h.text for h in notes.recall('fountain', NOW)] == ['the garden has a fountain']
    assert notes.recall('well', NOW) == []
    (home / 'memory/notes/new/deep').mkdir(parents=True)
    (home / 'memory/notes/new/deep/letter.md').write_text('# Title\n\nBo was here.\n')
    (hit,) = notes.recall('Bo', NOW)
    assert (hit.text, hit.origins) == ('Bo was here.', ('person',))
    (home / 'memory/notes/new/deep/more.md').write_text('Bo came back.')
    assert len(notes.recall('Bo', NOW)) == 2
    (home / 'memory/notes/new/deep/letter.md').rename(home / 'memory/notes/moved.md')
    assert {h.entry.path for h in notes.recall('Bo', NOW)} == {
        'notes/moved.md',
        'notes/new/deep/more.md',
    }
    shutil.rmtree(home / 'memory/notes/new')
    path.unlink()
    assert len(notes.recall('Bo', NOW)) == 1
    assert notes.recall('fountain', NOW) == []
    assert notes.index_text().count('\n') == 2


def test_other_files_are_none_of_hers(home, notes):
    for name in ('scratch.txt', '.hidden.md', 'a.md~', 'b.md.swp', '.git/c.md'):
        path = home / 'memory/notes' / name
        path.parent.mkdir(exist_ok=True)
        path.write_text('stray words')
    (home / 'memory/notes/link.md').symlink_to('/etc/hostname')
    (home / 'memory/notes/folder.md').mkdir()
    (home / 'memory/notes' / os.fsdecode(b'\xff.md')).write_text('stray words')
    assert notes.recall('stray words', NOW) == []
    notes.remember('stray words of mine', 'self', NOW)
    assert len(notes.recall('stray words', NOW)) == 1


def found(made):
    return [(h.id, h.text, h.score) for h in made.recall('moss on stones', NOW, 50)]


@pytest.fixture
def full(home):
    notes = memory(home)
    for n in range(40):
        notes.remember(
            f'moss {n * 7919} grows on {"stones" if n % 3 else "wood"}', 'web', NOW + n * 60
        )
    (home / 'memory/notes/hand.md').write_text('Moss by hand.\n\n' + 'y ' * 800 + '\n\nmoss again')
    before = found(notes), notes.index_text()
    notes.close()
    return before


def test_the_index_made_anew_is_the_index_that_grew(home, full):
    notes = memory(home)
    assert (found(notes), notes.index_text()) == full
    assert notes.rebuild() == 43
    assert (found(notes), notes.index_text()) == full
    notes.close()
    for path in (home / 'memory').glob('index.db*'):
        path.unlink()
    notes = memory(home)
    assert (found(notes), notes.index_text()) == full
    assert notes.anomalies == []
    notes.close()


@pytest.mark.parametrize('damage', [b'', b'?' * 9000, b'SQLite format 3\0' + b'\1' * 9000])
def test_a_corrupt_index_is_set_aside_and_made_anew(home, full, damage):
    before = texts(home)
    (home / 'memory/index.db').write_bytes(damage)
    notes = memory(home)
    assert (found(notes), notes.index_text()) == full
    notes.close()
    assert texts(home) == before
    if damage:
        assert (home / 'memory/index.db.corrupt').read_bytes() == damage
        assert any('index.db' in anomaly for anomaly in notes.anomalies)


@pytest.mark.parametrize('seed', range(4))
def test_an_index_damaged_inside_never_breaks_her(home, full, seed):
    rng = random.Random(seed)
    path = home / 'memory/index.db'
    data = bytearray(path.read_bytes())
    for _ in range(5):
        start = rng.randrange(4096, len(data) - 4096)
        data[start : start + 3000] = rng.randbytes(3000)
    path.write_bytes(data)
    notes = memory(home)
    notes.remember('one more about moss on stones', 'self', NOW)
    notes.recall('moss on stones', NOW)
    notes.rebuild()
    assert len(notes.recall('moss', NOW, 100)) == 43
    notes.close()


def outside(home, statements):
    """Let somebody else work on the index."""
    with contextlib.closing(sqlite3.connect(home / 'memory/index.db')) as database:
        database.executescript(statements)


def test_an_index_lost_while_she_lives_is_made_anew(home, full):
    notes = memory(home)
    outside(home, 'DROP TABLE words; DROP TABLE entries')
    assert (found(notes), notes.index_text()) == full
    assert notes.anomalies
    notes.close()


def test_an_index_of_another_form_is_made_anew(home, full):
    notes = memory(home)
    outside(home, 'PRAGMA user_version=99')
    notes.close()
    notes = memory(home)
    assert found(notes) == full[0]
    notes.close()


def test_reading_only_changes_nothing(home, full):
    before = texts(home)
    (home / 'memory/notes/unseen.md').write_text('moss nobody has seen')
    reader = Memory(home / 'memory', read_only=True)
    assert found(reader) == full[0]
    reader.close()
    assert {k: v for k, v in texts(home).items() if 'unseen' not in k} == before


def test_a_tree_of_many_notes_still_gives_a_short_table(home):
    for n in range(300):
        path = home / f'memory/notes/folder{n % 60}/{n}.md'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'thing {n}')
    notes = memory(home)
    table = notes.index_text()
    assert len(table.splitlines()) == 43
    assert '| folder0/ | 5 |' in table
    assert '| (20 more) | 100 | |' in table
    notes.close()
