"""A body that speaks and hears: over its real protocol, with a process that plays the engines."""

import itertools
import random

import pytest

from soul.core.organ import Answer, Ask, CancelAsk
from soul.signals import Message, SayResult, SayState
from support import opus, voice_process
from support.opus import tone
from support.talking_device import HOLDS
from support.worlds.voiced import VoicedWorld

pytestmark = pytest.mark.skipif(not opus.library(), reason='there is no libopus here')
LOUD = tone(300.0, 0.6).tobytes()
GOOD = 'Good morning. There is nothing but fog outside'


@pytest.fixture
def world(tmp_path):
    """Makes worlds."""
    made = []

    def make(*options, **given):
        made.append(VoicedWorld(tmp_path, voice_process.command(*options), **given))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize('version', [1, 2, 3])
def test_she_is_heard_from_the_first_to_the_last_sound(world, version):
    life = world(device={'version': version})
    result = life.said_out(life.say(GOOD, 'act1'))
    assert (result.outcome, result.reason) == (SayState.DONE, '')
    device = life.device
    assert device.early <= 2, 'not more than the silence before the first syllable'
    assert device.dropped == 0
    spoken = (len(GOOD) - 2) * voice_process.A_CHARACTER
    # silence before the first syllable, the pause between the sentences, the frame filled up
    heard = len(device.played) / 48_000 + 0.06 * device.early
    assert heard == pytest.approx(spoken + 0.12 + 0.12, abs=0.08)
    assert result.duration == pytest.approx(spoken + 0.5, abs=0.6)
    assert device.texts('tts', 'sentence_start') == GOOD.split('. ')
    assert [one['state'] for one in device.heard if one['type'] == 'tts'] == [
        'start', 'sentence_start', 'sentence_start', 'stop',
    ]  # fmt: skip


def test_it_is_paced_by_the_clock_and_the_stop_comes_after_the_last_sound(world):
    life = world()
    handle = life.say('x' * 100)
    life.said_out(handle)
    device = life.device
    first = device.times[0]
    ahead = [n + 1 - (at - first) / 0.06 for n, at in enumerate(device.times)]
    assert max(ahead) <= 3.5
    assert device.stops[-1] >= first + len(device.times) * 0.06 + 0.15
    assert life.progress(handle) == [SayState.ACCEPTED, SayState.PLAYING]


def test_a_long_utterance_neither_overflows_nor_starves_a_device(world):
    life = world(device={'late': 0.05})
    assert life.said_out(life.say('x' * 250)).outcome == SayState.DONE
    assert life.device.dropped == 0


def test_neither_jitter_nor_a_stall_of_the_network_overflows_a_device(world):
    rng, count = random.Random(7), itertools.count()
    stall = 150  # the message that comes a second late

    def network():
        return 1.0 if next(count) == stall else rng.uniform(0.0, 0.2)

    life = world(device={'network': network})
    result = life.said_out(life.say('x' * 300))
    assert (result.outcome, result.reason) == (SayState.DONE, '')
    device = life.device
    assert next(count) > stall + 50, 'it goes on after the stall'
    assert device.dropped == 0
    gap = max(later - at for at, later in itertools.pairwise(device.times))
    assert gap > 0.5, 'it did stall'
    assert 10 <= device.most_held < HOLDS, 'what was held up came at once'
    spoken = 300 * voice_process.A_CHARACTER
    # this device forgets at the stop what it has not played: it is given the time that it is late
    assert len(device.played) / 48_000 >= spoken - 0.2


def test_a_stall_that_is_longer_than_what_a_device_holds_leaves_it_uncertain(world):
    count = itertools.count()
    life = world(device={'network': lambda: 4.0 if next(count) == 100 else 0.0})
    result = life.said_out(life.say('x' * 160))
    assert life.device.dropped > 0
    assert result.outcome == SayState.UNCERTAIN
    assert 'the network stalled for' in result.reason
    assert 'may not have been played' in result.reason


def test_without_a_stall_nobody_waits_for_one(world):
    life = world()
    life.said_out(life.say('x' * 60))
    device = life.device
    assert device.stops[-1] - device.times[-1] < 0.8


def test_a_mouth_moves_with_the_sound_and_delays_none(world):
    life = world(device={'mouth': 0.4})
    assert life.said_out(life.say(GOOD)).outcome == SayState.DONE
    device = life.device
    life.until(lambda: device.mouths and device.mouths[-1][0] == 'closed')
    shapes = [shape for shape, _ in device.mouths]
    assert shapes[::2] == ['open'] * len(shapes[::2]), 'it is told only what changes'
    assert shapes[1::2] == ['closed'] * len(shapes[1::2])
    assert device.mouths[0][1] >= 2, 'the silence before the first syllable is said with it closed'
    late = [at - device.times[0] - 0.06 * n for n, at in enumerate(device.times)]
    assert max(late) < 0.3, 'a slow tool holds up no sound'
    assert device.starved == device.dropped == 0


def test_one_act_is_spoken_once(world):
    life = world()
    first = life.said_out(life.say('Good morning', 'act1'))
    before = len(life.device.times)
    assert life.said_out(life.say('Good morning', 'act1')) == first
    assert len(life.device.times) == before


def test_it_can_be_stopped_at_the_device_in_mid_sentence(world):
    life = world()
    handle = life.say('one two three four five six seven eight nine ten ' * 2)
    life.until(lambda: len(life.device.times) > 20)
    life.device.send('abort', reason='wake_word_detected')
    result = life.said_out(handle)
    assert result.outcome == SayState.ABORTED
    assert 'wake_word_detected' in result.reason
    assert 'one' in result.reason
    count = len(life.device.times)
    life.until(lambda: life.device.texts('tts', 'stop'))
    life.live(0.4)
    assert len(life.device.times) <= count + 1, 'nothing of the old utterance follows'
    again = life.said_out(life.say('Good'))
    assert again.outcome == SayState.DONE


def test_she_can_be_cancelled(world):
    life = world()
    handle = life.say('x' * 200)
    life.until(lambda: len(life.device.times) > 5)
    life.take(life.driver.cancel(handle, life.now))
    assert life.ended(handle).state == 'canceled'
    life.until(lambda: life.device.texts('tts', 'stop'))


def test_a_body_that_is_lost_in_mid_sentence_leaves_it_uncertain(world):
    life = world()
    handle = life.say('one two three four five six seven eight ' * 4, 'act1')
    life.until(lambda: len(life.device.times) > 20)
    life.device.hang_up()
    result = life.said_out(handle)
    assert result.outcome == SayState.UNCERTAIN
    assert 'heard of it was: “one' in result.reason
    life.until(lambda: life.driver.port.joined)
    before = len(life.device.times)
    assert life.said_out(life.say('one two', 'act1')).outcome == SayState.UNCERTAIN
    assert len(life.device.times) == before, 'never said twice'


def test_without_a_voice_words_are_shown_and_it_is_said_once(world):
    life = world('--mute', xiaozhi_rate=1000.0)
    for _ in range(2):
        result = life.said_out(life.say('Good morning'))
        assert result.outcome == SayState.DONE
    assert life.device.times == []
    assert life.device.texts('tts', 'sentence_start') == ['Good morning', 'Good morning']
    assert len([text for text in life.reports if 'shown, not spoken' in text]) == 1


def test_a_voice_that_dies_in_mid_sentence_shows_the_words(world):
    life = world('--die-at', 'poison', xiaozhi_rate=1000.0)
    assert life.said_out(life.say('poison')).outcome == SayState.DONE
    assert life.device.texts('tts', 'sentence_start') == ['poison']
    life.until(lambda: life.client.engines.mouth)
    assert life.said_out(life.say('Good morning')).outcome == SayState.DONE
    assert life.device.times


def test_what_a_person_says_is_shown_at_once_and_comes_to_her_door(world):
    life = world('--text', 'what do you see')
    life.device.say(LOUD)
    life.until(lambda: life.messages)
    (message,) = life.messages
    assert (message.text, message.channel, message.sender) == ('what do you see', 'voice', 'voice')
    assert not message.trusted
    life.until(lambda: life.device.texts('stt') == ['what do you see'])


@pytest.mark.parametrize('delay', [0.0, 0.2])
def test_she_does_not_answer_herself(world, delay):
    life = world(device={'echo': (0.3, delay), 'open_mic': True, 'lag': iter_lag()})
    life.said_out(life.say(GOOD))
    life.live(1.5)
    assert life.messages == []


def iter_lag():
    """Packets come late now and then."""
    lags = itertools.cycle([0.0] * 9 + [0.2])
    return lambda: next(lags)


def test_a_person_who_speaks_right_after_her_is_heard(world):
    life = world('--text', 'and you', device={'echo': (0.3, 0.1), 'open_mic': True})
    life.said_out(life.say('Good morning'))
    life.live(0.3)
    life.device.say(LOUD)
    life.until(lambda: life.messages)
    assert life.messages[0].text == 'and you'


def test_where_the_device_cancels_its_echo_a_person_interrupts_her(world):
    life = world('--text', 'stop it', device={'aec': True})
    handle = life.say('x' * 300)
    life.until(lambda: len(life.device.times) > 10)
    life.device.say(LOUD)
    result = life.said_out(handle)
    assert result.outcome == SayState.ABORTED
    assert 'somebody spoke' in result.reason
    life.until(lambda: life.messages)
    assert life.messages[0].text == 'stop it'


def test_who_speaks_on_interrupts_her_without_a_pause_once_her_echo_is_known_to_be_cancelled(
    world,
):
    life = world('--text', 'stop it', device={'aec': True})
    life.said_out(life.say('x' * 70))  # she has not heard herself for long enough
    handle = life.say('x' * 300)
    life.until(lambda: len(life.device.times) > 80)
    life.device.say(tone(300.0, 6.0).tobytes())
    result = life.said_out(handle)
    assert result.outcome == SayState.ABORTED
    assert 'somebody spoke' in result.reason
    assert life.device.talks, 'they have not paused yet'


def test_what_is_said_at_once_after_a_stop_at_the_device_is_heard(world):
    life = world('--text', 'no', device={'open_mic': True})
    handle = life.say('x' * 200)
    life.until(lambda: len(life.device.times) > 10)
    life.device.send('abort', reason='wake_word_detected')
    life.said_out(handle)
    life.device.say(tone(300.0, 0.24).tobytes())
    life.until(lambda: life.messages)
    assert life.messages[0].text == 'no'


def test_how_voice_and_ears_are_is_told(world):
    life = world()
    life.until(lambda: life.driver.health(life.now).values.get('voice') == 'tone')
    values = life.driver.health(life.now).values
    assert values['ears'] == 'loudness'
    assert values['gaps in speech'] == '0'


# --- voices and ears of somebody else -----------------------------------------------------------


def asked(life):
    """What somebody else's voice was asked for."""
    return [one for one in life.said if isinstance(one, Ask) and one.to == 'voice/say']


def answered(life, ask, answer=None, failure=''):
    life.take(
        life.driver.on_answer(Answer(ask.to, ask.token, ask.request, answer, failure), life.now)
    )


def test_a_voice_of_somebody_else_speaks_by_its_action(world):
    life = world(voice_engine='action')
    handle = life.say('Good morning', 'act1')
    (ask,) = asked(life)
    assert (ask.request.text, ask.request.act_id) == ('Good morning', 'act1')
    answered(life, ask, SayResult(SayState.DONE, '', 1.0))
    assert life.said_out(handle).outcome == SayState.DONE
    assert life.device.times == []


def test_where_nobody_serves_it_the_words_are_shown_and_it_is_said_once(world):
    life = world(voice_engine='action', xiaozhi_rate=1000.0)
    for number in (1, 2):
        handle = life.say('Good morning')
        answered(life, asked(life)[-1], failure='absent')
        assert life.said_out(handle).outcome == SayState.DONE
        assert len(life.device.texts('tts', 'sentence_start')) == number
    assert len([text for text in life.reports if 'voice/say' in text]) == 1


def test_an_answer_that_is_lost_leaves_it_uncertain_and_a_cancel_is_handed_on(world):
    life = world(voice_engine='action')
    handle = life.say('Good morning')
    answered(life, asked(life)[-1], failure='lost')
    assert life.said_out(handle).outcome == SayState.UNCERTAIN
    handle = life.say('Good evening')
    life.take(life.driver.cancel(handle, life.now))
    assert any(isinstance(one, CancelAsk) for one in life.said)
    assert life.ended(handle).state == 'canceled'


def test_what_other_ears_have_understood_comes_to_her_door(world):
    life = world(ears_engine='topic')
    life.take(life.driver.on_message(Message(sender='ann', text='good morning'), life.now))
    (message,) = life.messages
    assert (message.text, message.sender, message.channel) == ('good morning', 'ann', 'voice')
    assert not message.trusted


def test_nobody_listens_to_other_ears_unless_asked(world):
    life = world()
    life.take(life.driver.on_message(Message(sender='ann', text='good morning'), life.now))
    assert life.messages == []
