"""The threads of the process of voice and ears, with engines that the test plays."""

import queue
from collections.abc import Iterator

import pytest

from soul.voice.engines.port import EngineFailed, EngineMissing, Understood
from soul.voice.listening import EarThreads
from soul.voice.messages import Complete, Guessed, Hear, HeardSpeech, Piece, Speak, SpeechLasts
from soul.voice.sound import Clip, as_floats
from soul.voice.speaking import MouthThread
from soul.voice.turns import TurnRules
from support.opus import tone

CLIP = Clip(b'\x01\x00' * 100, 24_000)


class Voice:
    """Says what it is asked for, or fails."""

    def __init__(self, name='voice', language='en', fails='', silent=False):
        self.name, self.language = name, language
        self.said = []
        self._fails, self._silent = fails, silent

    def speak(self, sentence) -> Iterator[Clip]:
        self.said.append(sentence)
        if self._fails and self._fails in sentence:
            raise EngineFailed(f'{self.name}: it is broken')
        if not self._silent:
            yield CLIP


def missing():
    raise EngineMissing('it is not installed: install it')


@pytest.fixture
def mouth():
    """Makes the thread; what it tells and how the engines are come in order."""
    made = []

    def make(*makers, language='en', second=None):
        told = queue.Queue()
        ready = []
        made.append(
            MouthThread(
                makers, second, language, False, told.put,
                lambda name, troubles: ready.append((name, list(troubles))),
            )
        )  # fmt: skip
        made[-1].told, made[-1].ready = told, ready
        return made[-1]

    yield make
    for one in made:
        one.close()


def speak(thread, text, id=1):
    thread.speak(Speak(id, text))
    pieces = []
    while isinstance(message := thread.told.get(timeout=10.0), Piece):
        pieces.append(message.text)
    return pieces, message


def test_what_is_given_to_an_engine_is_clean_and_a_sentence_at_a_time(mouth):
    voice = Voice()
    thread = mouth(lambda: voice)
    pieces, end = speak(thread, '# **Hello** 😀\nSee https://example.org/a. It is 3.5 °C!')
    assert voice.said == pieces == ['Hello', 'See.', 'It is 3.5 degrees Celsius!']
    assert end == Complete(1)


def test_words_of_another_language_are_said_by_a_voice_that_knows_it(mouth):
    chinese, english = Voice('a', 'zh'), Voice('b', 'en')
    thread = mouth(lambda: chinese, language='zh', second=lambda: english)
    speak(thread, '你好，我叫Mira。')
    assert chinese.said == ['你好，我叫']
    assert english.said == ['Mira。']


def test_without_it_the_first_one_says_them(mouth):
    chinese = Voice('a', 'zh')
    thread = mouth(lambda: chinese, language='zh', second=missing)
    speak(thread, '我叫Mira。')
    assert chinese.said == ['我叫', 'Mira。']


def test_where_one_engine_is_missing_or_fails_the_next_one_speaks_and_it_is_said(mouth):
    first, second = Voice('first', fails='fog'), Voice('second')
    thread = mouth(missing, lambda: first, lambda: second)
    assert speak(thread, 'Good morning. There is fog. Well.')[1] == Complete(1)
    assert first.said == ['Good morning.', 'There is fog.']
    assert second.said == ['There is fog.', 'Well.']
    assert speak(thread, 'Again fog.', 2)[1] == Complete(2)
    assert thread.ready == [
        ('first', ['it is not installed: install it']),
        ('', ['first: it is broken']),
        ('second', []),
    ]


def test_without_any_engine_it_says_why(mouth):
    thread = mouth(missing)
    assert speak(thread, 'Good morning.') == ([], Complete(1, 'no engine can speak'))


def test_the_last_engine_stays_though_it_failed_once(mouth):
    thread = mouth(lambda: Voice(fails='fog'))
    assert 'broken' in speak(thread, 'There is fog.')[1].why
    assert speak(thread, 'There is sun.', 2)[1] == Complete(2)


@pytest.mark.parametrize(
    ('text', 'why'), [('😀', 'nothing to say'), ('你好', 'reads that language')]
)
def test_what_cannot_be_said_is_told(mouth, text, why):
    thread = mouth(lambda: Voice(silent=True))
    assert why in speak(thread, text)[1].why


# --- ears ----------------------------------------------------------------------------------------

LOUD, QUIET = tone(300.0, 0.032).tobytes(), bytes(1024)


class Loudness:
    """What is loud is speech."""

    def judge(self, samples):
        for at in range(0, len(samples), 1024):
            window = samples[at : at + 1024]
            yield window, float(abs(as_floats(window)).max() > 0.05)

    def reset(self):
        pass


class Listener:
    """Understands what it is told to."""

    name = 'listener'

    def __init__(self, text='good morning', fails=False):
        self.calls = 0
        self._text, self._fails = text, fails

    def understand(self, samples, language):
        self.calls += 1
        if self._fails:
            raise EngineFailed('the server is gone')
        return Understood(self._text, len(samples) / 32_000)


def hear(makers, *stretches, own='', **rules):
    """What is heard in stretches of (loud or not, seconds); returns messages and states."""
    told, ready = [], []
    ears = EarThreads(
        Loudness, makers, 'en', TurnRules(**rules), told.append,
        lambda name, troubles: ready.append((name, list(troubles))),
    )  # fmt: skip
    if own:
        ears.spoke(own)
    at = 0.0
    for loud, seconds in stretches:
        for _ in range(round(seconds / 0.032)):
            at += 0.032
            ears.take(Hear(at, LOUD if loud else QUIET, bool(own)))
    ears.close()
    return told, ready


def heard(told):
    return [message for message in told if isinstance(message, HeardSpeech)]


def test_what_was_guessed_is_not_understood_again():
    listener = Listener()
    told, ready = hear([lambda: listener], (True, 1.0), (False, 1.5))
    (one,) = heard(told)
    assert (one.text, one.invented, one.own) == ('good morning', '', False)
    assert one.ended - one.began == pytest.approx(1.0, abs=0.1)
    assert listener.calls == 1
    assert ready == [('listener', [])]


def test_a_pause_in_mid_sentence_is_one_message():
    listener = Listener()
    told, _ = hear([lambda: listener], (True, 1.0), (False, 0.7), (True, 1.0), (False, 1.5))
    assert len(heard(told)) == 1
    assert listener.calls <= 2


@pytest.mark.parametrize(
    'text', ['no no no no no no no no no', '. . . .', 'Thank you for watching']
)
def test_what_an_engine_makes_up_is_told_as_such(text):
    told, _ = hear([lambda: Listener(text)], (True, 4.0), (False, 1.5))
    (one,) = heard(told)
    assert one.invented


def test_a_click_is_no_speech_and_no_work():
    listener = Listener()
    told, _ = hear([lambda: listener], (True, 0.032), (False, 1.5))
    assert [one.invented for one in heard(told)] == ['it was too short to be speech']
    assert listener.calls == 0


def test_where_a_server_fails_the_next_ears_understand_and_it_is_said_once():
    told, ready = hear(
        [missing, lambda: Listener(fails=True), Listener],
        (True, 1.0), (False, 1.5), (True, 1.0), (False, 1.5),
    )  # fmt: skip
    assert [one.text for one in heard(told)] == ['good morning', 'good morning']
    assert ready == [
        ('listener', ['it is not installed: install it']),
        ('', ['the server is gone']),
        ('listener', []),
    ]


class Kept(Listener):
    """Remembers what it was given."""

    def understand(self, samples, language):
        self.given = samples
        return super().understand(samples, language)


def test_who_begins_while_the_room_still_sounds_of_her_is_heard_from_their_first_sound():
    listener, told = Kept(), []
    ears = EarThreads(
        Loudness, [lambda: listener], 'en', TurnRules(), told.append, lambda name, troubles: None
    )
    for number in range(1, 60):
        loud = 2 < number <= 20  # 0.58 s, the first 0.2 of it in the tail
        tail = number <= 8
        ears.take(Hear(0.032 * number, LOUD if loud else QUIET, True, tail))
    ears.close()
    (one,) = heard(told)
    assert one.began == pytest.approx(8 * 0.032, abs=0.04), 'what is in the tail begins no turn'
    assert listener.given.count(LOUD) == 18, 'and nothing of it is lost'
    tail_only, _ = hear([Listener], (False, 1.0))
    assert not heard(tail_only)


@pytest.mark.parametrize(
    ('seconds', 'own', 'lasts'), [(1.5, 'Hm.', 1), (0.3, 'Hm.', 0), (1.5, '', 0)]
)
def test_who_goes_on_speaking_while_she_does_is_told_before_their_first_pause(seconds, own, lasts):
    told, _ = hear([Listener], (True, seconds), (False, 1.5), own=own)
    found = [one for one in told if isinstance(one, SpeechLasts)]
    assert len(found) == lasts
    if found:
        assert found[0].at == pytest.approx(0.4, abs=0.05)


def test_without_ears_a_turn_still_ends():
    told, _ = hear([missing], (True, 1.0), (False, 1.5))
    assert [one.invented for one in heard(told)] == ['no engine could understand it']


def test_her_own_words_are_known_while_she_speaks():
    told, _ = hear([Listener], (True, 1.0), (False, 1.5), own='Good morning, everybody.')
    assert [one.own for one in heard(told)] == [True]
    told, _ = hear([Listener], (True, 1.0), (False, 1.5), own='There is fog.')
    assert [one.own for one in heard(told)] == [False]
    assert not any(one.own for one in told if isinstance(one, Guessed))
