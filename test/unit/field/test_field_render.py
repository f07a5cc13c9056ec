"""The form of the view, in words and bars, with figures, in her language."""

import pytest
from pydantic import ValidationError

from soul.field import words
from soul.field.beliefs import Observation
from soul.field.config import FieldConfig
from soul.field.words import amount, bar
from soul.signals import AttendAction, BodyState, Energy, Percept
from soul.text.phrases import (
    differences,
    language_table,
)
from soul.text.resources import resource
from soul.text.tables import TableUnreadable, read_table
from support.worlds.field import NOW, Life, config, enter, perception, sight


def lived(**given):
    """A field with something in every part of the view."""
    life = Life(**given)
    life.attend(AttendAction.INTEND, text='finish the essay about whale song before Friday')
    intention = next(i for i in life.world.items if i.kind == 'intention')
    life.attend(AttendAction.HOLD, item=intention.id)
    for n in range(12):
        life.attend(AttendAction.NOTE, text=f'a thought about whales, number {n}')
    life.attend(AttendAction.FOCUS, text='the whale essay')
    life.hear(Energy(level=0.61, tokens_used=78000, tokens_limit=200000))
    life.hear(BodyState(feelings=('warm',)))
    for _ in range(6):
        life.later(120).wake(ids=[])
        life.end('web_search', 'workbench', 'sleep')
    life.later(30).post('did you see the SpaceX launch tonight?', 'Trent')
    life.wake()
    return life


def test_all_of_it():
    text = lived().text
    lines = text.split('\n')
    assert lines[0] == 'FIELD · Mon 05 Oct'
    assert lines[1].startswith(
        '⏱ night, 03:03 · a moment since you last looked · ⚡ ▮▮▮▮▮▮▱▱▱▱ · '
    )
    assert '✉ one is waiting · field ▮' in lines[1]
    assert lines[2] == '✋ you just used web_search and workbench'
    assert lines[3] == '✋ warm'
    assert lines[4] == 'Trent at the door woke you.'
    assert lines[5].startswith('Mood: ')
    assert lines[6].startswith('Your focus was pulled from the whale essay by: Trent: did you')
    assert lines[7] == ''
    assert lines[8].startswith('FOCUS ▸ [d')
    assert lines[8].endswith('] Trent: did you see the SpaceX launch tonight?')
    assert lines[9] == 'CLOSE'
    assert '◆ you intend to finish the essay about whale song before Friday' in text
    at = [lines.index(name) for name in ('CLOSE', 'AROUND', 'EDGE', 'ALERTS')]
    assert at == sorted(at)
    assert lines[at[2] + 1] == '  a thought'
    assert '  ! you woke sooner than you expected' in lines[at[3] :]


def test_words_and_bars_for_her_figures_only_where_asked_for():
    text = lived().text.split('FOCUS')[0]
    assert '%' not in text
    assert 'tick' not in text
    assert '122,000' not in text
    text = lived(figures=True).text
    assert text.startswith('FIELD · tick 7 · Mon 05 Oct')
    assert '⚡ ▮▮▮▮▮▮▱▱▱▱ 61% (122,000 tokens left today)' in text
    assert '✉ 1 waiting' in text
    assert '% full' in text
    assert '! you woke sooner than you expected (30s; you expected ' in text


def test_in_chinese():
    text = lived(language='zh').text
    assert '焦点 ▸ [d' in text
    assert 'Trent: did you see' in text, 'what people say stays as they said it'
    for word in (
        '视野',
        '近处',
        '周围',
        '边缘',
        '警觉',
        '心情：',
        '门口的Trent叫醒了你。',
        '10月5日 周一',
    ):
        assert word in text
    for word in ('FOCUS', 'CLOSE', 'Mood', 'woke', 'waiting'):
        assert word not in text


def test_in_japanese():
    text = lived(language='ja').text
    assert '焦点 ▸ [d' in text
    assert 'Trent: did you see' in text
    for word in (
        '視野', '近く', 'まわり', '端', '気配', '気分：', '戸口のTrentがあなたを起こしました。',
        '10月5日（月）',
    ):  # fmt: skip
        assert word in text
    for word in ('FOCUS', 'CLOSE', 'Mood', 'woke', 'waiting'):
        assert word not in text


@pytest.mark.parametrize('language', ['en', 'ja', 'zh'])
def test_a_language_says_everything(language):
    table = read_table(resource(f'view/{language}.yaml'))
    model = read_table(resource('view/en.yaml'))
    assert differences(model, table) == []
    assert table.keys() == model.keys()
    assert table['features'].keys() == model['features'].keys()


def test_a_language_of_ones_own(tmp_path):
    mine = tmp_path / 'mine.yaml'
    text = resource('view/en.yaml').read_text().replace('focus: FOCUS', 'focus: BLICK')
    mine.write_text(text)
    life = Life(language=str(mine))
    assert 'BLICK ▸ ' in life.text
    mine.write_text(text.replace('mood: "Mood: {word}"\n', ''))
    with pytest.raises(TableUnreadable, match='mood is missing'):
        words.load(str(mine))
    mine.write_text(text.replace('"Mood: {word}"', '"Mood: {wurd}"'))
    with pytest.raises(TableUnreadable, match=r'mood knows no \{wurd\}'):
        words.load(str(mine))


@pytest.mark.parametrize(
    ('given', 'message'),
    [
        ({'language': 'xx'}, "language is 'xx', known are en, ja, zh"),
        ({'timezone': 'Mars/Olympus'}, 'no time zone'),
        ({'features': '/nowhere.yaml'}, 'nowhere'),
        ({'capacity_chars': 5}, '200'),
        ({'capture_threshold': 2.0}, 'less than or equal to 1'),
        ({'embedder': 'bert'}, 'auto'),
    ],
)
def test_a_wrong_parameter_names_itself(given, message):
    with pytest.raises(ValidationError, match=message) as error:
        FieldConfig(**given)
    assert next(iter(given)) in str(error.value)


def test_every_parameter_is_described_and_ranged():
    for name, field in FieldConfig.model_fields.items():
        assert field.description, name
        if field.annotation in (int, float):
            assert len(field.metadata) >= 2, name


def test_the_edge_in_traces():
    seen = perception()
    enter(
        seen,
        *(sight(f'k{n}', text=f'thing {n}', salience=0.4 - n / 100) for n in range(12)),
        sight('m', 'message', 'door', 'ann: hello', salience=0.1),
        sight('w', 'work', 'bench', 'essay.md', salience=0.1),
        sight('o', 'odd', 'lidar', 'a wall', salience=0.1),
    )
    seen.world.items.by_key('m').own = True
    seen.tick(NOW)
    seen.tick(NOW + 1200)
    text = seen.view(NOW).text
    edge = text.split('EDGE\n')[1].split('\n')[0]
    assert 'someone has been waiting at the door for half an hour' in edge
    assert 'something on your bench' in edge
    assert 'something from lidar' in edge
    assert 'hello' not in edge


def test_something_new_at_the_edge_is_said():
    life = Life()
    for n in range(12):
        life.attend(AttendAction.NOTE, text=f'a loud thought {n}')
    life.wake()
    quiet = Percept(key='k', source='lidar', text='a wall', salience=0.1)
    life.take(life.field.on_percept(quiet, life.now))
    life.wake()
    assert 'There is something new at the edge, from: lidar' in life.text
    life.wake()
    assert 'something new' not in life.text


def test_answered_messages_are_ticked_off():
    life = Life()
    answer = life.post()
    life.wake()
    item = life.item(answer.id)
    life.attend(AttendAction.RESOLVE, item=item.id)
    assert f'[{item.id}] ✓ ann: hello' in life.text


def test_reasons_are_quoted():
    life = Life()
    life.wake('operator', reasons=['the kettle is boiling'])
    assert 'Someone nudged you awake. “the kettle is boiling”' in life.text
    life.wake('spontaneous')
    assert 'You woke by yourself.' in life.text


def test_bars():
    assert bar(0.0) == '▱' * 10
    assert bar(1.0) == bar(7.0) == '▮' * 10
    assert bar(0.61) == '▮' * 6 + '▱' * 4


@pytest.mark.parametrize(
    ('value', 'unit', 'text'),
    [
        (40, 'seconds', '40s'),
        (840, 'seconds', '14m'),
        (7200, 'seconds', '2.0h'),
        (300000, 'seconds', '3d'),
        (950, 'tokens', '950'),
        (1500, 'tokens', '1.5k'),
        (36.6, 'degrees', '36.6°C'),
        (5.0, 'percent', '5%'),
        (0.123456, '', '0.123'),
    ],
)
def test_amounts(value, unit, text):
    assert amount(value, unit) == text


def test_a_feature_called_name_does_no_harm():
    seen = Observation('name', 1.0, 0.5, 1, 0.2, True)
    assert words.load('en').alert(seen, '') == 'name is more than you expected'


def test_the_typed_view_needs_no_parsing():
    view = lived().view
    assert view.focus == 'Trent: did you see the SpaceX launch tonight?'
    assert view.focus_id.startswith('d')
    assert 'you woke sooner than you expected' in view.alerts
    assert view.mood in language_table(words.FOLDER, 'en')['moods'].values()
    assert 0 < view.fullness <= 1
    held = [i for i in view.close if i.held]
    assert [i.kind for i in held] == ['intention']
    assert all(i.id and i.key for i in (*view.close, *view.around))
    assert all(-1 <= i.relatedness <= 1 for i in (*view.close, *view.around))
    assert config().figures is False


@pytest.mark.parametrize(
    ('language', 'woke'), [('en', 'woke you'), ('zh', '叫醒了你'), ('ja', 'あなたを起こしました')]
)
def test_a_long_name_of_a_sender_stands_there_once(language, woke):
    """A sender of 77 characters was shown twice, in English in a Chinese view."""
    sender = 'A' * 77
    life = Life(language=language)
    life.post('hello', sender)
    text = life.wake().text
    assert text.count(woke) == 1, text
    assert 'A' * 20 in next(line for line in text.split('\n') if woke in line)
    assert 'is at the door' not in text
