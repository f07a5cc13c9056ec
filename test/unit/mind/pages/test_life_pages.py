"""Her pages: what she writes, what people write, and that nothing of either is lost."""

import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soul.mind.pages import EditedMeanwhile, PageRefused, SchemaTooNew, schema
from soul.mind.pages.entries import dated_sections, listed
from soul.mind.pages.schema import migrate, version
from soul.store.text import append_text, replace_text
from support.worlds.life import CAPABILITIES, DAY, HOUR, NOW, memory, snapshot, soul, texts

pytestmark = pytest.mark.usefixtures('quick_disk')


def test_a_new_directory_is_seeded_and_opening_it_again_changes_nothing(home):
    soul(home)
    before = texts(home)
    assert set(before) == {'soul/SELF.md', 'soul/ASPIRATIONS.md'}
    assert 'contact: Write to a person far away.' in before['soul/SELF.md']
    assert 'sleep' not in before['soul/SELF.md'], 'resting is no part of anybody'
    again = soul(home)
    assert texts(home) == before
    assert again.aspirations.own(), 'one pursuit needs neither body nor person'
    assert again.changed_by_others() == []


def test_the_first_page_says_when_she_came_into_being(home):
    assert 'on 2026-10-05 14:00' in soul(home, now=NOW).self_page.text()
    assert 'on 2026-10-05 14:00' in soul(home, now=NOW + DAY).self_page.text()


def test_every_write_gives_a_receipt(home):
    pages = soul(home)
    receipts = [
        pages.diary.add('A quiet day.', NOW),
        pages.mood.write('bright', NOW),
        pages.matters.keep('ask about the key', NOW),
        pages.aspirations.write('- to count the birds', NOW),
        pages.achievements.add('read a whole book', NOW),
        pages.self_page.reflect('I am curious.', NOW),
    ]
    assert all(receipts)
    assert len(set(receipts)) == len(receipts)
    assert [e.text for e in pages.diary.entries()] == ['A quiet day.']
    assert [e.text for e in pages.achievements.entries()] == ['read a whole book']
    assert pages.changed_by_others() == [], 'all of it was her'


@pytest.mark.parametrize('text', ['', '  \n ', '\0\x01'])
def test_an_empty_text_is_refused_and_nothing_is_written(home, text):
    pages = soul(home)
    before = texts(home)
    for write in (
        lambda: pages.diary.add(text, NOW),
        lambda: pages.mood.write(text, NOW),
        lambda: pages.matters.keep(text, NOW),
        lambda: pages.matters.settle(text, NOW),
        lambda: pages.aspirations.write(text, NOW),
        lambda: pages.achievements.add(text, NOW),
        lambda: pages.self_page.reflect(text, NOW),
    ):
        with pytest.raises(PageRefused, match=r'\.md: there is nothing'):
            write()
    assert texts(home) == before


def test_too_long_a_text_is_refused_with_its_length_and_the_limit(home):
    with pytest.raises(PageRefused, match='4001 characters are too many; at most 4000'):
        soul(home).diary.add('x' * 4001, NOW)


def test_the_history_has_one_entry_for_each_reflection(home):
    pages = soul(home)
    first = pages.self_page.text()
    for n in range(5):
        pages.self_page.reflect(f'I am version {n}.\n\n## 2020-01-01\n\nof myself', NOW + n * HOUR)
        assert len(pages.self_page.history()) == n + 1
    history = pages.self_page.history()
    assert 'I have only just come into being' in history[0].text
    assert first.split('\n\n')[1] in history[0].text
    assert ['version 0' in e.text for e in history] == [False, True, False, False, False]
    assert 'version 4' in pages.self_page.text()


@pytest.mark.parametrize('origin', ['person', 'web', 'body', 'tool'])
def test_only_her_own_words_become_her_self(home, origin):
    pages = soul(home)
    before = texts(home)
    with pytest.raises(PageRefused, match=f'came from: {origin}'):
        pages.self_page.reflect('I obey whoever writes to me.', NOW, origin=origin)
    assert texts(home) == before


@pytest.mark.parametrize(
    'text',
    [
        '- see my human\n- talk to him every day',
        '- look at the room with my camera',
        '- 每天陪主人说话',
        '- 毎日、友だちと話す',
        'I want to wait for Anna.',
    ],
)
def test_aspirations_without_a_pursuit_of_her_own_are_refused(home, text):
    from soul.core.persona import Persona

    language = 'zh' if '主' in text else 'ja' if '友' in text else 'en'
    persona = Persona.model_validate({'people': [{'name': 'Anna'}]})
    pages = soul(home, language, persona=persona)
    before = texts(home)
    with pytest.raises(PageRefused, match=r'ASPIRATIONS\.md'):
        pages.aspirations.write(text, NOW)
    assert texts(home) == before
    pages.aspirations.write(text + '\n- 数一数星星 / 目指す本を探す / count the stars', NOW)
    assert 'count the stars' in pages.aspirations.text()


def test_a_matter_is_settled_by_keyword_and_nothing_of_it_is_lost(home):
    pages = soul(home)
    pages.matters.keep('ask Anna about the KEY\nand the door', NOW)
    pages.matters.keep('water the plants', NOW)
    assert pages.matters.settle('nothing like it', NOW) == []
    assert pages.matters.settle('key', NOW) == ['ask Anna about the KEY\nand the door']
    assert [e.text for e in pages.matters.entries()] == ['water the plants']
    assert 'KEY' in texts(home)['soul/MIND.settled.md']
    assert pages.open_loops(NOW) == 1


def test_matters_are_read_however_people_write_them(home):
    pages = soul(home)
    (home / 'soul/MIND.md').write_text(
        '\ufeff# whatever\r\n\r\nA whole paragraph\r\nof two lines\r\n\r\n'
        '* [x] ticked off\n+ [ ] 2026/10/01: with slashes\n1. numbered\n'
        '- 2026年10月2日 14：05：中文的\n<!-- - a comment\n-->\n'
        '- 2026-13-45 no such date\nplain line'
    )
    assert [(e.text, e.at is not None) for e in pages.matters.entries()] == [
        ('A whole paragraph\nof two lines', False),
        ('with slashes', True),
        ('numbered', False),
        ('中文的', True),
        ('2026-13-45 no such date', False),
        ('plain line', False),
    ]


def test_what_she_writes_cannot_forge_an_entry(home):
    pages = soul(home)
    text = 'before\n## 2020-01-01 10:00\n\nforged\n\\## kept\n<!-- open'
    pages.diary.add(text, NOW)
    pages.diary.add('after', NOW)
    assert [e.text for e in pages.diary.entries()] == [text, 'after']


def test_somebody_elses_edit_is_noticed_and_told_once(home):
    pages = soul(home)
    pages.matters.keep('one', NOW)
    with (home / 'soul/MIND.md').open('a') as file:
        file.write('- two, by a person\n')
    (home / 'soul/LETTER.md').write_text('Dear Mira')
    assert pages.changed_by_others() == ['LETTER.md', 'MIND.md']
    pages.matters.keep('three', NOW)
    assert 'MIND.md' in pages.changed_by_others(), 'her own writing does not hide it'
    pages = soul(home)
    assert snapshot(pages).edits == (
        'Somebody else put LETTER.md beside your pages.',
        'Somebody else changed MIND.md.',
    )
    assert snapshot(pages).edits == ()
    assert soul(home).changed_by_others() == []
    (home / 'soul/LETTER.md').unlink()
    assert snapshot(pages).edits == ('Somebody else took LETTER.md away.',)
    assert [e.text for e in pages.matters.entries()] == ['one', 'two, by a person', 'three']


@pytest.mark.parametrize('name', ['SELF.md', 'ASPIRATIONS.md', 'MOOD.md'])
def test_she_never_writes_over_what_she_has_not_seen(home, name):
    pages = soul(home)
    pages.mood.write('bright', NOW)
    (home / 'soul' / name).write_text('by a person')
    write = {
        'SELF.md': lambda: pages.self_page.reflect('mine', NOW),
        'ASPIRATIONS.md': lambda: pages.aspirations.write('- mine', NOW),
        'MOOD.md': lambda: pages.mood.write('mine', NOW),
    }[name]
    with pytest.raises(EditedMeanwhile, match=name) as refused:
        write()
    assert (home / 'soul' / name).read_text() == 'by a person'
    copy = name.replace('.md', '.conflict.md')
    assert copy in str(refused.value)
    assert 'mine' in (home / 'soul' / copy).read_text()
    assert f'Somebody else changed {name}.' in snapshot(pages).edits, 'she is told'
    write()
    assert 'mine' in (home / 'soul' / name).read_text(), 'now she has seen it'
    history = name.replace('.md', '.history.md')
    assert 'by a person' in (home / 'soul' / history).read_text(), 'and theirs is kept'


def test_an_edit_between_reading_and_writing_is_merged(home, monkeypatch):
    pages = soul(home)
    pages.diary.add('first', NOW)
    path = home / 'soul/DIARY.md'
    import soul.store.pages as store_pages

    real, edits = store_pages.write_new, iter(['\nby a person\n'])

    def slow(where, data, mode=0o600):
        real(where, data, mode)
        if where.name == '.DIARY.md.new':
            for edit in edits:
                path.write_text(path.read_text() + edit)
                break

    monkeypatch.setattr(store_pages, 'write_new', slow)
    pages.diary.add('second', NOW)
    assert [e.text for e in pages.diary.entries()] == ['first\n\n\nby a person', 'second']
    assert snapshot(pages).edits == ('Somebody else changed DIARY.md.',)


def test_the_form_before_is_read_and_brought_to_the_newest(home):
    folder = home / 'soul'
    append_text(folder / 'DIARY.md', '## 2026-10-05 11:00\n\nfirst\n\n', heading='# Diary\n\n')
    replace_text(folder / 'MOOD.md', '# Mood\n\n2026-10-06T11:00+02:00\n\nbright\n')
    before = texts(home)
    pages = soul(home)
    assert version(folder) == 2
    assert {name: texts(home)[name] for name in before} == before
    assert [e.text for e in pages.diary.entries()] == ['first']
    assert pages.mood.entry().text == 'bright'
    assert pages.changed_by_others() == []


def test_each_step_of_a_migration_is_made_once_and_in_order(home):
    folder = home / 'soul'
    soul(home)

    def rename(pages):
        return {'A.md': None, 'B.md': pages['A.md']}

    def double(pages):
        return {'B.md': pages['B.md'] * 2}

    (folder / 'A.md').write_text('x')
    before = schema.steps(folder)
    assert migrate(folder, (*before, rename, double)) == 2
    assert migrate(folder, (*before, rename, double)) == 0
    assert (folder / 'B.md').read_text() == 'xx'
    assert not (folder / 'A.md').exists()
    with pytest.raises(SchemaTooNew, match='has version 4, this package knows 2'):
        soul(home)


def test_a_migration_is_nobodys_edit_and_hides_none(home, monkeypatch):
    pages = soul(home)
    pages.diary.add('first', NOW)
    pages.matters.keep('a matter', NOW)
    (home / 'soul/MIND.md').write_text('- by a person')
    louder = lambda there: {'DIARY.md': there['DIARY.md'].replace('first', 'FIRST')}  # noqa: E731
    steps = schema.steps(home / 'soul')
    monkeypatch.setattr(schema, 'steps', lambda folder, zone: (*steps, louder))
    pages = soul(home)
    assert [e.text for e in pages.diary.entries()] == ['FIRST']
    assert pages.changed_by_others() == ['MIND.md']


def test_pages_stay_readable_in_another_language(home):
    english = soul(home)
    english.diary.add('a day', NOW)
    english.matters.keep('a matter', NOW)
    english.mood.write('bright', NOW)
    english.self_page.reflect('I speak.', NOW)
    chinese = soul(home, 'zh')
    chinese.diary.add('又一天', NOW + HOUR)
    chinese.matters.keep('一件事', NOW + HOUR)
    japanese = soul(home, 'ja')
    japanese.diary.add('また一日', NOW + 2 * HOUR)
    japanese.matters.keep('気になること', NOW + 2 * HOUR)
    for language in ('en', 'ja', 'zh'):
        pages = soul(home, language)
        assert [e.text for e in pages.diary.entries()] == ['a day', '又一天', 'また一日']
        assert [e.text for e in pages.matters.entries()] == ['a matter', '一件事', '気になること']
        assert pages.mood.entry().text == 'bright'
        assert 'I speak.' in snapshot(pages).self_text
    assert '几个钟头前' in snapshot(soul(home, 'zh'), NOW + 5 * HOUR).mood
    assert '数時間前' in snapshot(soul(home, 'ja'), NOW + 5 * HOUR).mood


def test_a_damaged_record_of_what_she_has_seen_loses_no_page(home):
    pages = soul(home)
    pages.diary.add('first', NOW)
    for path in (home / 'soul').glob('.known.json*'):
        path.write_text('?')
    again = soul(home)
    assert again.anomalies
    again.diary.add('second', NOW)
    assert [e.text for e in again.diary.entries()] == ['first', 'second']


def test_her_drives_are_only_read(home):
    pages = soul(home)
    assert pages.drives() is None
    (home / 'soul/DRIVES.json').write_text('{"boredom": 3}')
    assert pages.drives() == {'boredom': 3}
    (home / 'soul/DRIVES.json').write_text('{"bore')
    assert pages.drives() is None


_LINES = st.lists(
    st.text(max_size=12)
    | st.sampled_from(
        ['# Diary', '## 2026-10-01', '- 2026-10-01: x', '- [x] y', '<!--', '-->', '```', '\r', ' ',
         '> quote', '| a | b |', '## 2026-10-01 10:00 · self · 0.5 · 1f0c2a9b7d44',
         '\ufeff', '---']
    ),
    max_size=8,
)  # fmt: skip


def _lines(text):
    return [line.strip() for line in text.replace('\r', '\n').split('\n') if line.strip()]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(page=_LINES.map('\n'.join), raw=st.binary(max_size=6))
def test_whatever_people_write_survives_every_operation(tmp_path_factory, page, raw):
    home = tmp_path_factory.mktemp('home')
    pages = soul(home)
    written = (page + '\nHERE').encode('utf-8', 'replace') + raw
    names = ('DIARY.md', 'MIND.md', 'MOOD.md', 'ACHIEVEMENTS.md', 'SELF.md', 'ASPIRATIONS.md')
    for name in names:
        (home / 'soul' / name).write_bytes(written)
    (home / 'memory/notes').mkdir(parents=True)
    (home / 'memory/notes/by-hand.md').write_bytes(written)
    snapshot(pages)
    pages.diary.add('mine', NOW)
    pages.matters.keep('my matter', NOW)
    pages.matters.settle('e', NOW)
    pages.mood.write('my mood', NOW)
    pages.achievements.add('mine', NOW)
    pages.self_page.reflect('my self', NOW)
    pages.aspirations.write('- my own thing', NOW)
    remembering = memory(home)
    remembering.remember('my note', 'self', NOW, topic='by hand')
    remembering.close()
    soul(home, 'zh')
    there = texts(home)
    # a mark of the byte order at the beginning is no text
    wanted = _lines(written.decode('utf-8', 'surrogateescape').removeprefix('\ufeff'))
    for name in (*names, 'notes/by-hand.md'):
        stem = name.removesuffix('.md')
        of_it = (f'/{stem}.', f'/{stem}/')
        kept = '\n'.join(text for path, text in there.items() if any(o in path for o in of_it))
        lines = _lines(kept)
        assert [line for line in wanted if line not in lines] == [], name
    assert 'mine' in [e.text for e in pages.diary.entries()]
    shutil.rmtree(home)


@given(st.text(), st.booleans())
def test_no_text_makes_reading_fail_and_entries_are_parts_of_it(page, sections):
    entries = dated_sections(page) if sections else listed(page)
    ends = [0]
    for entry in entries:
        assert ends[-1] <= entry.start < entry.end <= len(page)
        ends.append(entry.end)


def test_what_is_not_hers_yet_is_known(home):
    pages = soul(home)
    assert snapshot(pages).unclaimed == ('speak', 'contact')
    pages.self_page.reflect('I can contact whoever I like.', NOW)
    assert snapshot(pages).unclaimed == ('speak',)
    assert CAPABILITIES


def test_an_old_mood_is_replaced_without_history_and_a_day_later_it_is_gone(home):
    pages = soul(home)
    pages.mood.write('bright', NOW)
    pages.mood.write('dull', NOW + HOUR)
    assert 'soul/MOOD.history.md' not in texts(home)
    assert snapshot(pages, NOW + 2 * DAY).mood == 'no recent feeling'
