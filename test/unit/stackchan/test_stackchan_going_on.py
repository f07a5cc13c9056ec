"""Somebody who goes on speaking after their message was put at her door."""

import pytest

from soul.core.organ import Ask
from soul.stackchan.acts import FaceDisplay
from soul.stackchan.config import StackChanConfig
from soul.stackchan.gate import Gate
from soul.stackchan.inbound import InboundEvents
from soul.stackchan.speech import Speech
from support import opus, voice_process
from support.opus import tone
from support.worlds.field import Life
from support.worlds.voiced import VoicedWorld
from support.worlds.wire import World


@pytest.fixture
def inbound(tmp_path):
    config = StackChanConfig()
    face = FaceDisplay(World(tmp_path).driver.port, Gate(), 0.0)
    return InboundEvents(Speech(config), face, config.ears_joins)


def said(inbound, text, began, now, sender='voice', device='dev'):
    (ask,) = inbound.spoken(text, sender, device, began, now)
    assert isinstance(ask, Ask)
    return ask.request


def test_who_goes_on_soon_goes_on_with_the_message_of_before(inbound):
    first = said(inbound, 'go to', 10.0, 12.0)
    assert (first.continues, bool(first.message.id)) == ('', True)
    second = said(inbound, 'the kitchen', 13.4, 16.0)
    assert second.continues == first.message.id != second.message.id
    third = said(inbound, 'please', 17.4, 19.0)
    assert third.continues == second.message.id
    late = said(inbound, 'and you', 20.6, 22.0)
    assert late.continues == ''


def test_who_had_begun_before_the_message_was_there_goes_on_too(inbound):
    first = said(inbound, 'go to', 10.0, 14.0)
    assert said(inbound, 'the kitchen', 13.0, 16.0).continues == first.message.id


def test_another_voice_or_body_does_not(inbound):
    said(inbound, 'go to', 10.0, 12.0)
    assert said(inbound, 'hello', 12.5, 13.0, sender='ann').continues == ''
    assert said(inbound, 'hello', 13.5, 14.0, sender='ann', device='other').continues == ''


@pytest.mark.skipif(not opus.library(), reason='there is no libopus here')
@pytest.mark.parametrize('awake', [False, True])
def test_what_is_said_in_two_goes_reaches_her_once_and_whole(tmp_path, awake):
    life = VoicedWorld(tmp_path, voice_process.command('--text', 'in the kitchen'))
    field = Life()
    try:
        for number in (1, 2):
            life.device.say(tone(300.0, 0.6).tobytes())
            life.until(lambda number=number: len(life.messages) == number)
            request = life.posts[-1]
            answer, outputs = field.field.serve_post(request, field.now)
            assert answer.accepted
            field.take(outputs)
            if awake and number == 1:
                field.wake()
    finally:
        life.close()
    told = [message.text for message in field.wake().messages]
    if awake:
        assert told == ['in the kitchen', 'in the kitchen']
    else:
        assert told == ['in the kitchen in the kitchen']
