"""A conversation by voice: real engines in their process, a device over its real protocol."""

import pytest

from soul.signals import SayState
from soul.voice.sound import EAR_RATE, MOUTH_RATE, Clip, at_rate
from support import opus
from support.speech import TEXTS, samples, words, wrong
from support.voices import ear, missing, needs
from support.worlds.voiced import VoicedWorld

pytestmark = [
    pytest.mark.voice,
    pytest.mark.skipif(not opus.library(), reason='there is no libopus here'),
]
OWN = {
    'en': 'Good morning, I am glad to see you. There is nothing but fog outside.',
    'ja': 'おはようございます。今日はとても静かな朝ですね。',
    'zh': '你好，很高兴见到你。今天外面下雨了。',
}
LANGUAGES = [pytest.param(name, marks=needs(name)) for name in OWN]


@pytest.fixture
def world(tmp_path):
    """Makes worlds with real voice and ears."""
    made = []

    def make(language, **given):
        life = VoicedWorld(tmp_path, voice_language=language, **given)
        made.append(life)
        life.until(lambda: life.client.engines.mouth and life.client.engines.ear)
        return life

    yield make
    for one in made:
        one.close()


def understood(life, language):
    """What a person would understand of what the device played."""
    clip = at_rate(Clip(life.device.played, MOUTH_RATE), EAR_RATE)
    return ear(language).understand(clip.samples, language).text


@pytest.mark.parametrize('language', LANGUAGES)
def test_a_person_is_understood_and_she_is(world, language):
    life = world(language)
    life.device.say(samples(f'{language}_window'))
    life.until(lambda: life.messages)
    assert wrong(life.messages[0].text, TEXTS[f'{language}_window']) <= 0.2
    life.until(lambda: life.device.texts('stt'))
    result = life.said_out(life.say(OWN[language]))
    assert (result.outcome, result.reason) == (SayState.DONE, '')
    heard = understood(life, language)
    said, got = words(OWN[language]), words(heard)
    assert wrong(heard, OWN[language]) <= 0.15
    assert (got[0], got[-1]) == (said[0], said[-1]), 'neither end is lost'
    assert life.device.dropped == 0
    life.live(1.0)
    assert len(life.messages) == 1


@needs('en')
@pytest.mark.parametrize('delay', [0.0, 0.4])
def test_she_does_not_answer_her_own_voice(world, delay):
    life = world('en', device={'echo': (0.3, delay), 'open_mic': True})
    life.said_out(life.say(OWN['en']))
    life.live(2.5)
    assert life.messages == []
    life.device.say(samples('en_look'))
    life.until(lambda: life.messages)
    assert wrong(life.messages[0].text, TEXTS['en_look']) <= 0.2


@pytest.mark.parametrize('language', LANGUAGES)
def test_where_her_echo_is_not_cancelled_well_she_knows_her_own_words(world, language):
    life = world(language, device={'echo': (0.3, 0.2), 'aec': True})
    assert life.said_out(life.say(OWN[language])).outcome == SayState.DONE
    for _ in range(20):  # a busy machine takes its time to understand it
        life.live(2.5)
        if life.driver.components.ears.own:
            break
    assert life.messages == []
    assert life.driver.components.ears.own >= 1


@pytest.mark.skipif(not missing('zh'), reason='the Chinese voice is installed')
@pytest.mark.skipif(bool(missing('zh', mouth=False)), reason=missing('zh', mouth=False) or '-')
def test_without_the_voice_of_her_language_she_still_hears_and_writes(tmp_path):
    life = VoicedWorld(tmp_path, voice_language='zh', xiaozhi_rate=1000.0)
    try:
        life.until(lambda: life.client.engines.ear)
        assert life.said_out(life.say(OWN['zh'])).outcome == SayState.DONE
        assert life.device.texts('tts', 'sentence_start') == [OWN['zh']]
        assert any('soul voice install zh' in text for text in life.reports)
    finally:
        life.close()
