"""What is read aloud of a text, in which pieces, and by which voice."""

import pytest

from soul.voice.clean import spoken
from soul.voice.scripts import by_language
from soul.voice.sentences import LONGEST, sentences, weight


@pytest.mark.parametrize(
    ('written', 'said'),
    [
        ('**Hello** *you*, __yes__ ~~no~~ `code`', 'Hello you, yes no code'),
        ('# Title\n\n- one\n* two\n> three\n- [x] four', 'Title\none\ntwo\nthree\nfour'),
        ('See [the page](https://example.org/a_b?c=d), please.', 'See the page, please.'),
        ('Look at https://example.org/a/b?c=d#e.', 'Look at.'),
        ('![a cat](cat.png) sleeps', 'a cat sleeps'),
        ('Before ```py\nx = 1\n``` after', 'Before after'),
        ('Before\n```\nnever closed', 'Before'),
        ('Good morning 😀👍🏽 ☀️ :-) <3 !', 'Good morning!'),
        ('family 👨‍👩‍👧 and flag 🇯🇵 done', 'family and flag done'),
        ('It is 3.5 °C and 80%.', 'It is 3.5 degrees Celsius and 80 percent.'),
        ('-2°C tonight', 'minus 2 degrees Celsius tonight'),
        ('snake_case and 2*3*4 stay', 'snake_case and 2 3 4 stay'),
        ('| a | b |\n|---|---|\n| 1 | 2 |', 'a, b\n1, 2'),
        ('Wait... what?!?!', 'Wait… what?'),
        ('a\x00b\x1b[0m', 'a b [0m'),
        ('<b>bold</b> and a < b', 'bold and a < b'),
        ('***', ''),
        ('😀', ''),
        ('', ''),
    ],
)
def test_marks_for_the_eye_are_not_spoken(written, said):
    assert spoken(written, 'en') == said


@pytest.mark.parametrize(
    ('language', 'written', 'said'),
    [
        ('zh', '今天**很冷**😀，-5°C，见 https://a.example/b。', '今天很冷，零下5摄氏度，见。'),
        ('ja', '今日は**3.5 °C**です😀。', '今日は3.5度です。'),
        ('ja', '# 見出し\n・湿度は80%', '見出し\n・湿度は80パーセント'),
        ('de', 'Es sind 3 °C.', 'Es sind 3 degrees Celsius.'),
    ],
)
def test_units_are_said_in_her_language(language, written, said):
    assert spoken(written, language) == said


@pytest.mark.parametrize(
    ('text', 'pieces'),
    [
        ('Good morning. How are you?', ['Good morning.', 'How are you?']),
        ('Dr. Smith has 3.5 of them. Fine!', ['Dr. Smith has 3.5 of them.', 'Fine!']),
        ('At 5 p.m. we go.', ['At 5 p.m. we go.']),
        ('One line\nanother', ['One line', 'another']),
        ('"Really?" he said.', ['"Really?"', 'he said.']),
        ('今天很冷。你好吗？「好！」走吧', ['今天很冷。', '你好吗？', '「好！」', '走吧']),
        ('おはよう。今日は静かですね。', ['おはよう。', '今日は静かですね。']),
        ('... !!', []),
        ('', []),
    ],
)
def test_a_text_is_cut_into_sentences(text, pieces):
    assert sentences(text) == pieces


def test_the_first_piece_of_a_long_sentence_is_its_first_clause():
    text = 'I looked out of the window for quite a while, and there was nothing but fog at all.'
    first, rest = sentences(text)
    assert first == 'I looked out of the window for quite a while,'
    assert f'{first} {rest}' == text


def test_a_slow_voice_begins_with_its_first_clause():
    assert sentences('早上好，今天有雾。') == ['早上好，今天有雾。']
    assert sentences('早上好，今天有雾。', eager=True) == ['早上好，', '今天有雾。']


@pytest.mark.parametrize('text', ['word ' * 400, '字' * 900, 'x' * 1000, 'clause, ' * 200])
def test_no_piece_is_without_end_and_nothing_is_lost(text):
    pieces = sentences(text)
    assert max(map(weight, pieces)) <= LONGEST
    assert ''.join(pieces).replace(' ', '') == text.replace(' ', '')


@pytest.mark.parametrize(
    ('text', 'own', 'parts'),
    [
        (
            '你好，我叫 Mira。',
            'zh',
            [('zh', '你好，我叫'), ('en', 'Mira。')],
        ),
        ('今日はGoogleで検索', 'ja', [('ja', '今日は'), ('en', 'Google'), ('ja', 'で検索')]),
        ('Good morning.', 'en', [('en', 'Good morning.')]),
        ('Say 你好 to him', 'en', [('en', 'Say 你好 to him')]),
        ('3.5', 'zh', [('zh', '3.5')]),
        ('Straße', 'de', [('de', 'Straße')]),
    ],
)
def test_words_of_another_language_go_to_a_voice_that_knows_it(text, own, parts):
    assert by_language(text, own, ('en',)) == parts
