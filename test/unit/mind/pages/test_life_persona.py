"""Who she is in the beginning, her world, and her languages."""

import pytest
import yaml

from soul.core import persona
from soul.mind.pages import words
from soul.mind.pages.canon import Canon
from soul.text.phrases import differences
from soul.text.resources import resource
from soul.text.tables import TableUnreadable
from support.worlds.life import NOW, soul


@pytest.mark.parametrize(
    ('name', 'language'), [('mira', 'en'), ('mira_ja', 'ja'), ('mira_zh', 'zh')]
)
def test_a_persona_that_comes_along_can_be_lived(home, name, language):
    found = persona.load(name)
    assert found.language == language
    assert found.character
    pages = soul(home, language='', persona=found)
    assert pages.aspirations.own()


def test_a_persona_of_ones_own_seeds_her_pages(home, tmp_path):
    (tmp_path / 'world').mkdir()
    path = tmp_path / 'ada.yaml'
    path.write_text(
        yaml.safe_dump(
            {
                'name': 'Ada',
                'character': 'You are Ada.',
                'people': [{'name': 'Bo', 'trusted': True}],
                'seeds': {'SELF.md': 'I am Ada.', 'DIARY.md': '## 2026-01-01\n\nborn'},
                'canon': 'world',
            }
        )
    )
    found = persona.load(str(path))
    assert found.people[0].trusted
    assert found.canon == str(tmp_path / 'world')
    pages = soul(home, language='', persona=found)
    assert 'I am Ada.' in pages.self_page.text()
    assert [e.text for e in pages.diary.entries()] == ['born']
    pages.self_page.reflect('I grew.', NOW)
    assert 'I grew.' in soul(home, language='', persona=found).self_page.text()


@pytest.mark.parametrize(
    ('content', 'complaint'),
    [
        ('nam: Ada', 'nam: Extra inputs'),
        ('name: ""', 'name: String should have at least 1'),
        ('people: [{trusted: true}]', 'people.0.name: Field required'),
        ('seeds: {DRIVES.json: x}', 'seeds.DRIVES.json'),
        ('canon: nowhere', 'canon: there is no folder'),
        ('- a', 'not a table'),
        ('a: [', 'cannot be read'),
    ],
)
def test_a_wrong_persona_is_named_with_what_is_wrong(tmp_path, content, complaint):
    path = tmp_path / 'x.yaml'
    path.write_text(content)
    with pytest.raises(TableUnreadable) as refused:
        persona.load(str(path))
    assert complaint in str(refused.value)
    assert str(path) in str(refused.value)


def test_unknown_names_say_which_are_known():
    with pytest.raises(TableUnreadable, match='known are mira, mira_ja, mira_zh'):
        persona.load('nobody')
    with pytest.raises(TableUnreadable, match='known are mira, mira_ja, mira_zh'):
        persona.load('../persona/mira')
    with pytest.raises(TableUnreadable, match='known are en, ja, zh'):
        words.load('tlh')


def test_every_language_says_everything():
    model = yaml.safe_load(resource('life/en.yaml').read_text())
    for path in resource('life').glob('*.yaml'):
        table = yaml.safe_load(path.read_text())
        assert differences(model, table) == []
        assert differences(table, model) == [], 'and nothing more'


def test_a_language_that_lacks_something_is_refused(tmp_path):
    table = yaml.safe_load(resource('life/en.yaml').read_text())
    del table['receipts']['diary']
    table['mood_full'] = '{text} {nonsense}'
    path = tmp_path / 'xx.yaml'
    path.write_text(yaml.safe_dump(table))
    with pytest.raises(TableUnreadable, match=r'mood_full knows no \{nonsense\}; receipts\.diary'):
        words.load(str(path))


@pytest.fixture
def world(tmp_path):
    folder = tmp_path / 'world'
    folder.mkdir()
    (folder / 'house.md').write_text(
        'The house stands alone.\n\n# The house\n\nIt has a tower.\n\n## The garden\n\nRoses '
        'and an old well.\n\n## The cellar\n\nBarrels, and a door nobody opens.\n'
    )
    (folder / '海.md').write_text(
        '# 海边\n\n## 灯塔\n\n灯塔每晚七点亮灯。\n\n## 渔港\n\n渔船清早出海。\n'
    )
    (folder / 'ja.md').write_text(
        '# 町\n\n## 神社\n\n神社の鈴は風で鳴る。\n\n## 駅\n\n電車は朝だけ来る。\n'
    )
    return folder


@pytest.mark.parametrize(
    ('view', 'told'),
    [
        ('somebody digs near the wells', '## The garden\n\nRoses and an old well.'),
        ('what is behind the closed door?', '## The cellar\n\nBarrels, and a door nobody opens.'),
        ('远处的灯塔亮了', '## 灯塔\n\n灯塔每晚七点亮灯。'),
        ('神社の鈴が聞こえる', '## 神社\n\n神社の鈴は風で鳴る。'),
        ('nothing of this world', ''),
        ('', ''),
    ],
)
def test_what_belongs_to_the_view_is_told(world, view, told):
    assert Canon(world).retrieve(view, 400) == told


def test_the_canon_keeps_its_order_and_its_budget(world):
    canon = Canon(world)
    both = canon.retrieve('the door in the cellar and the old well in the garden', 400)
    assert both.index('garden') < both.index('cellar')
    assert both == canon.retrieve('garden well, cellar door', 400), "the order is the files'"
    for budget in range(0, 200, 7):
        assert len(canon.retrieve('old well, nobody opens the door', budget)) <= budget
    assert [s.heading for s in canon.sections()][:4] == [
        '',
        'The house',
        'The house / The garden',
        'The house / The cellar',
    ]


def test_the_canon_follows_its_files(world):
    canon = Canon(world)
    assert canon.retrieve('the observatory', 400) == ''
    (world / 'new.md').write_text('# Observatory\n\nIt has a copper dome.\n')
    assert 'copper dome' in canon.retrieve('the observatory', 400)
    (world / 'new.md').unlink()
    assert canon.retrieve('the observatory', 400) == ''
    assert Canon(None).retrieve('anything', 100) == ''
