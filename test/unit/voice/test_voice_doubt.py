"""What nobody said: text that an engine made up, and her own words."""

import pytest

from soul.voice.capture import CaptureClock, OwnVoice
from soul.voice.engines.port import Understood
from soul.voice.invented import invented
from soul.voice.own_words import is_own


@pytest.mark.parametrize(
    ('text', 'voiced'),
    [
        ('. . . .', 2.0),
        ('', 2.0),
        ('♪♪', 2.0),
        ('Thank you for watching!', 2.0),
        ('Thanks for watching.', 2.0),
        ('ご視聴ありがとうございました', 2.0),
        ('谢谢观看', 1.0),
        ('The cat sat on the mat and the dog sat on the log as well.', 0.5),
        ('今天外面很冷，我想去看一看外面的世界。', 0.5),
        ('no no no no no no no no', 4.0),
        ('我在我在我在我在我在我在我在我在我在我在我在我在我在我在我在我在我在我在我在我在', 20.0),
        ('I am here and I am here and I am here and I am here and I am here and I am here', 9.0),
    ],
)
def test_what_an_engine_made_up_is_dropped(text, voiced):
    assert invented(Understood(text, voiced, 0.1, -0.3), voiced)


@pytest.mark.parametrize(
    ('text', 'voiced'),
    [
        ('Stop.', 0.3), ('Yes.', 0.2), ('はい', 0.2), ('不', 0.2), ('Thank you.', 0.5),
        ('Come here.', 0.4), ('Good morning, how are you today?', 1.6),
        ('おはようございます。今日はとても静かな朝ですね。', 3.0), ('早上好，今天外面有雾。', 1.8),
        ('I like it very, very much, and you?', 2.0), ('You', 0.4),
    ],
)  # fmt: skip
def test_what_people_say_is_heard(text, voiced):
    assert invented(Understood(text, voiced, 0.1, -0.3), voiced) == ''
    assert invented(Understood(text, voiced), voiced) == ''  # an engine that tells no likelihoods


def test_an_engine_that_doubts_itself_is_believed():
    assert invented(Understood('Good morning', 1.0, 0.9, -1.5), 1.0)
    assert not invented(Understood('Good morning', 1.0, 0.9, -0.2), 1.0)
    assert invented(Understood('you', 1.0, 0.7, -0.5), 1.0)


@pytest.mark.parametrize(
    ('heard', 'spoken'),
    [
        ('good morning there is nothing but fog', 'Good morning! There is nothing but fog.'),
        ('nothing but frog', 'There is nothing but fog, I think.'),
        ('早上好今天外面有物', '早上好，今天外面有雾。'),
        ('今天外面', '早上好，今天外面有雾。'),
        ('今日はとても静かな朝ですね', 'おはようございます。今日はとても静かな朝ですね。'),
        ('とても静かなあさですね', '今日はとても静かな朝ですね。'),
    ],
)
def test_her_own_words_are_known_in_every_language(heard, spoken):
    assert is_own(heard, spoken)


@pytest.mark.parametrize(
    ('heard', 'spoken'),
    [
        ('what is the time', 'Good morning! There is nothing but fog.'),
        ('现在几点了', '早上好，今天外面有雾。'),
        ('今何時ですか', '今日はとても静かな朝ですね。'),
        ('stop', 'Good morning.'),
        ('Good morning, how did you sleep?', 'Good morning. There is nothing but fog.'),
        ('おはようございます。よく眠れましたか。', 'おはようございます。外は霧ばかりです。'),
        ('早上好，你睡得好吗？', '早上好，我在看外面。'),
        ('', 'Good morning.'),
        ('hello', ''),
    ],
)
def test_what_somebody_else_says_is_not_hers(heard, spoken):
    assert not is_own(heard, spoken)


def test_one_sound_written_in_two_ways_is_known_by_its_reading():
    readings = {'箸の橋': 'ハシノハシ', '端のはし': 'ハシノハシ'}
    assert not is_own('箸の橋', '端のはし')
    assert is_own('箸の橋', '端のはし', readings.get)


def test_packets_that_come_late_and_in_a_burst_were_captured_in_time():
    clock = CaptureClock()
    assert clock.captured(0.06, 10.0) == 10.0
    late = [clock.captured(0.06, 10.3) for _ in range(5)]
    assert late == pytest.approx([10.06, 10.12, 10.18, 10.24, 10.30], abs=0.001)


def test_a_stream_that_begins_anew_is_not_counted_on():
    clock = CaptureClock()
    clock.captured(0.06, 10.0)
    assert clock.captured(0.06, 15.0) == 15.0
    clock.reset()
    assert clock.captured(0.06, 16.0) == 16.0


def test_nothing_is_captured_in_the_future():
    clock = CaptureClock()
    clock.captured(0.06, 10.0)
    assert clock.captured(0.06, 10.01) == 10.01


def test_what_was_captured_while_she_spoke_or_shortly_after_is_drowned():
    own = OwnVoice(tail=0.3)
    assert not own.drowned(0.0, 0.06)
    own.begin(10.0)
    assert own.speaking
    assert own.drowned(10.5, 10.56)
    assert not own.drowned(9.0, 9.06)
    own.end(12.0)
    assert not own.speaking
    assert own.drowned(12.2, 12.26)
    assert own.drowned(11.0, 11.06)
    assert not own.drowned(12.35, 12.41)
