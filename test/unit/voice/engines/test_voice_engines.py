"""The real engines: what is said is understood, what nobody says is not heard."""

import pytest

from soul.voice.sound import as_floats, as_samples
from soul.voice.turns import TurnRules
from support.noises import everything, white
from support.speech import TEXTS, quiet, samples, wrong
from support.voices import ear, hear, missing, mouth, needs, said_by

pytestmark = pytest.mark.voice
#: What she says herself.
OWN = {
    'en': 'Good morning. There is nothing but fog outside.',
    'ja': 'おはようございます。今日はとても静かな朝ですね。',
    'zh': '早上好。今天外面有很大的雾。',
}
LANGUAGES = [pytest.param(name, marks=needs(name)) for name in OWN]
HEARS = [pytest.param(name, marks=needs(name, mouth=False)) for name in OWN]


@pytest.mark.parametrize('language', LANGUAGES)
def test_what_she_says_is_what_is_heard(language):
    spoken = said_by(mouth(language), OWN[language])
    (heard,) = hear(ear(language), language, quiet(0.5), spoken, quiet(1.5))
    assert wrong(heard.text, OWN[language]) <= 0.1
    assert heard.invented == ''


@pytest.mark.parametrize('language', HEARS)
def test_people_with_another_voice_are_understood(language):
    names = [name for name in TEXTS if name.startswith(language) and len(TEXTS[name]) > 5]
    said = ''
    got = ''
    for name in names:
        (heard,) = hear(ear(language), language, quiet(0.5), samples(name), quiet(1.5))
        said += TEXTS[name] + ' '
        got += heard.text + ' '
    assert wrong(got, said) <= (0.05 if language == 'en' else 0.1)


@pytest.mark.parametrize('name', ['en_stop', 'en_yes', 'ja_yes', 'zh_no'])
def test_a_word_alone_is_heard(name):
    language = name[:2]
    if why := missing(language, mouth=False):
        pytest.skip(why)
    (heard,) = hear(ear(language), language, quiet(0.5), samples(name), quiet(1.5))
    assert heard.invented == ''
    assert heard.text
    if name != 'zh_no':  # one syllable alone may be written in many ways
        assert wrong(heard.text, TEXTS[name]) == 0.0


@needs('en', mouth=False)
def test_a_pause_in_mid_sentence_is_one_message():
    both = hear(
        ear('en'),
        'en',
        quiet(0.5),
        samples('en_book'),
        quiet(0.55),
        samples('en_look'),
        quiet(1.5),
    )
    assert len(both) == 1
    assert wrong(both[0].text, f'{TEXTS["en_book"]} {TEXTS["en_look"]}') <= 0.1


@needs('en', mouth=False)
def test_twelve_seconds_are_one_message_and_speech_without_end_is_cut():
    reading = [sound for _ in range(3) for sound in (samples('en_book'), samples('en_window'))]
    (heard,) = hear(ear('en'), 'en', *reading, quiet(1.5))
    assert heard.ended - heard.began > 9.0
    cut = hear(ear('en'), 'en', *reading, *reading, quiet(1.5), rules=TurnRules(longest=10.0))
    assert len(cut) >= 2


@needs('en', mouth=False)
def test_noise_is_no_message_and_no_work_for_the_engine():
    before = ear('en').calls
    for kind, sound in everything(20.0).items():
        assert hear(ear('en'), 'en', sound) == [], kind
    assert ear('en').calls == before


@pytest.mark.soak
@pytest.mark.timeout(3600)
@needs('en', mouth=False)
def test_ten_minutes_of_noise_are_no_message_and_no_work_for_the_engine():
    before = ear('en').calls
    for kind, sound in everything(600.0).items():
        assert hear(ear('en'), 'en', sound) == [], kind
    assert ear('en').calls == before


@needs('ja', ears=False)
def test_how_kanji_are_read_needs_no_larger_dictionary():
    assert mouth('ja').reading('左の方') == 'ヒダリノホー'


@needs('en', mouth=False)
def test_speech_in_noise_is_understood():
    clean = as_floats(samples('en_window'))
    noise = white(len(clean) / 16_000 + 1.0, 0.01)[: len(clean)]
    noisy = as_samples((clean + noise).astype('float32'))
    (heard,) = hear(ear('en'), 'en', quiet(0.5), noisy, quiet(1.5))
    assert wrong(heard.text, TEXTS['en_window']) <= 0.15


@pytest.mark.parametrize('language', LANGUAGES)
def test_her_own_voice_is_known_to_be_hers(language):
    echo = as_samples(0.3 * as_floats(said_by(mouth(language), OWN[language])))  # -10 dB
    heard = hear(ear(language), language, quiet(0.4), echo, quiet(1.5), own=OWN[language])
    assert [one.own for one in heard] == [True] * len(heard)
    assert heard
    other = next(name for name in TEXTS if name.startswith(f'{language}_window'))
    (person,) = hear(
        ear(language), language, quiet(0.4), samples(other), quiet(1.5), own=OWN[language]
    )
    assert not person.own


@pytest.mark.parametrize('language', LANGUAGES)
def test_what_a_voice_cannot_say_is_silent_and_breaks_nothing(language):
    for text in ('…', '3.5', 'é ñ ø', '한국어', 'a' * 300, '……！'):
        for clip in mouth(language).speak(text):
            assert clip.rate > 0
