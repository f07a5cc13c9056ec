"""The snapshot: its windows, what fades, and that she does not imitate her own rut."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.mind.pages import words
from soul.mind.pages.entries import PageEntry
from soul.mind.pages.repetition import is_rut, openings
from soul.mind.pages.snapshot import Material, compose, cut
from support.worlds.life import DAY, HOUR, NOW, snapshot, soul

pytestmark = pytest.mark.usefixtures('quick_disk')

ENGLISH = words.load('en')
SUBJECTS = [
    *('whales', 'rain', 'bridges', 'comets', 'bread', 'mirrors', 'moss', 'engines', 'letters'),
    *('maps', 'salt', 'owls', 'clocks', 'rivers', 'ladders', 'honey', 'paint', 'tides', 'glass'),
    'wool',
]


def made(scale=1.0, seed=1, now=NOW, **material):
    return compose(Material(**material), now, random.Random(seed), ENGLISH, scale)


def day(number, text=None):
    subject = SUBJECTS[number % len(SUBJECTS)]
    told = f'{subject}: {number * 7919} things I read about {subject[::-1]} and {subject * 2}'
    return PageEntry(text or told, NOW - (100 - number) * DAY)


def test_the_last_ten_entries_and_one_older_are_shown():
    diary = [day(n) for n in range(20)]
    journal = made(diary=diary).journal.splitlines()
    assert len(journal) == 11
    assert journal[0].startswith('Long before, ')
    for line, entry in zip(journal[1:], diary[-10:], strict=True):
        assert entry.text in line
    others = {made(diary=diary, seed=seed).journal.splitlines()[0] for seed in range(30)}
    assert len(others) > 3, 'which older one is chance'
    assert made(diary=diary).left_out == ('diary: 9 older entries',)


@pytest.mark.parametrize(
    'template',
    [
        'quietly napping, still waiting',
        'Day {n} of the fault. body_status still false. Staying steady.',
        'Day {n} of the fault!! Body_status still FALSE; staying steady, {n}.',
        '故障第{n}天。身体还是没有反应。我很平静。',
    ],
)
def test_of_entries_that_are_alike_never_more_than_two_are_shown(template):
    diary = [day(n, template.format(n=n)) for n in range(51)]
    shown = made(diary=diary)
    lines = shown.journal.splitlines()
    assert len(lines) <= 2
    assert 'and 9 more that say nearly the same, since' in lines[-1]
    assert shown.rut is ('{n}' not in template), 'by the first 20 characters, literally'
    assert 'diary: 9 entries nearly the same as one shown' in shown.left_out


def test_what_is_different_is_shown_beside_what_repeats():
    diary = [day(n) for n in range(8)] + [day(n, f'Day {n}: still waiting.') for n in range(8, 15)]
    diary.insert(12, day(12))
    lines = made(diary=diary).journal.splitlines()
    assert sum('still waiting' in line for line in lines) == 1
    assert sum(SUBJECTS[12] in line for line in lines) == 1
    two = [*diary[:8], *[day(n, 'still waiting.') for n in (20, 21)]]
    assert made(diary=two).journal.count('still waiting.') == 2, 'two alike are life'


@given(
    st.lists(st.sampled_from(['napping, waiting', 'Napping - waiting!', 'read of whales', 'x']))
)
def test_identical_entries_never_fill_the_snapshot(told):
    diary = [day(n, text) for n, text in enumerate(told)]
    lines = made(diary=diary).journal.splitlines()
    for text in ('waiting', 'read of whales', ': x'):
        assert sum(text in line for line in lines) <= 2


@pytest.mark.parametrize(('different', 'rut'), [(1, True), (2, True), (3, False), (10, False)])
def test_a_rut_is_two_openings_or_fewer_in_the_last_ten(different, rut):
    diary = [day(n) for n in range(10)]
    diary += [day(n, f'{n % different} opening of {"x" * 30} {n}') for n in range(10)]
    assert openings(diary) == different
    assert is_rut(diary) is rut
    assert made(diary=diary).rut is rut
    assert made(diary=diary).openings == different


def test_a_young_diary_is_no_rut():
    assert not made(diary=[day(n, 'hello') for n in range(9)]).rut
    assert made().openings == 0


@pytest.mark.parametrize(
    ('hours', 'mood'),
    [
        (0, 'bright (just now)'),
        (5.99, 'bright (some hours ago)'),
        (6, 'bright (fading, some hours ago)'),
        (23.9, 'bright (fading, earlier today)'),
        (24, 'no recent feeling'),
        (-1, 'bright (just now)'),
        (-90 * 24, 'no recent feeling'),
    ],
)
def test_her_feeling_fades_by_the_hours(hours, mood):
    assert made(mood=PageEntry('bright', NOW - hours * HOUR)).mood == mood
    assert made().mood == 'no recent feeling'


def test_a_long_feeling_fades_in_length_too():
    text = 'the light was strange today, ' * 10
    full = made(mood=PageEntry(text, NOW)).mood
    assert text.strip() in full
    assert len(made(mood=PageEntry(text, NOW - 7 * HOUR)).mood) < 100


@pytest.mark.parametrize(('days', 'stale'), [(2.99, False), (3, True), (9, True)])
def test_a_matter_is_stale_from_the_third_day(days, stale):
    text = 'ask Anna whether the key under the pot is still there'
    shown = made(matters=[PageEntry(text, NOW - days * DAY)])
    assert (text in shown.matters) is not stale
    assert text[:30] in shown.matters
    assert ('Set aside for a while' in shown.matters) is stale
    assert (f'{int(days)} days ago' in shown.matters) is stale
    assert shown.open_loops == (not stale)


def test_a_matter_without_a_date_is_fresh_and_stale_ones_are_together():
    matters = [
        PageEntry('old one', NOW - 5 * DAY),
        PageEntry('no date'),
        PageEntry('older one', NOW - 9 * DAY),
        PageEntry('new', NOW),
    ]
    assert made(matters=matters).matters.splitlines() == [
        '- no date',
        '- new',
        'Set aside for a while:',
        '- 5 days ago: old one',
        '- 9 days ago: older one',
    ]


def test_what_does_not_fit_is_told():
    long = 'One sentence about me. ' * 200
    matters = [PageEntry(f'{n} ' + 'x' * 900, NOW) for n in range(10)]
    matters += [PageEntry(f'stale {n}', NOW - 9 * DAY) for n in range(14)]
    shown = made(
        self_page=f'# Self\n\n{long}', aspirations='- count birds\n' * 200, matters=matters
    )
    assert 1900 < len(shown.self_text) <= 2000
    assert 1400 < len(shown.aspirations) <= 1500
    assert shown.self_text.endswith('.…')
    told = '\n'.join(shown.left_out)
    assert 'self: 2' in told
    assert 'aspirations: ' in told
    assert 'matters: 10 kept longer ago' in told
    assert '9 xxx' in shown.matters
    assert '0 xxx' not in shown.matters
    assert made(self_page='short', aspirations='- short').left_out == ()


def test_the_pursuit_of_her_own_is_never_what_is_cut_away():
    page = '- see Anna and her friends ' + 'x' * 2000 + '\n- count the birds'
    assert '- count the birds' in made(aspirations=page).aspirations
    for scale in (1.0, 0.3, 0.1):
        assert len(made(scale, aspirations=page * 3).aspirations) <= 1500 * scale
    assert 'None of this is mine alone' in made(aspirations='- see my friends').aspirations


def test_a_small_model_gets_a_small_snapshot():
    material = {
        'self_page': 'I am. ' * 1000,
        'aspirations': '- count birds ' * 200,
        'diary': [day(n, f'{SUBJECTS[n]} ' * 300) for n in range(20)],
        'matters': [PageEntry(f'{n} ' + 'y' * 500, NOW) for n in range(20)],
    }
    sizes = []
    for scale in (1.0, 0.5, 0.25):
        shown = made(scale=scale, **material)
        sizes.append(len(shown.self_text + shown.aspirations + shown.matters + shown.journal))
        assert len(shown.self_text) <= 2000 * scale
        assert len(shown.journal.splitlines()) <= 10 * scale + 1.5
    assert sizes[1] < 0.55 * sizes[0]
    assert sizes[2] < 0.55 * sizes[1]
    assert made(scale=0.0, **material).self_text, 'never nothing'


def test_the_same_chance_gives_the_same_snapshot(home: Path):
    pages = soul(home)
    for n in range(30):
        pages.diary.add(day(n).text, NOW + n * HOUR)
    assert snapshot(pages) == snapshot(pages)
    assert snapshot(pages) == snapshot(soul(home))


@given(st.text(max_size=300), st.integers(1, 100))
def test_cutting_never_exceeds(text, most):
    assert len(cut(text, most)) <= max(2, most)
    if len(text) <= most:
        assert cut(text, most) == text
