"""Which requests may be sent again."""

import pytest

from soul.core.repeats import may_repeat, with_id
from soul.signals import Message, PostRequest, SleepRequest, SpeakRequest, TriggerRequest


def test_a_request_that_can_have_an_id_gets_one_of_its_own():
    first, second = with_id(SpeakRequest(text='hi')), with_id(SpeakRequest(text='hi'))
    assert first.text == 'hi'
    assert len({first.request_id, second.request_id, ''}) == 3


@pytest.mark.parametrize('request_', [SleepRequest(60.0, request_id='mine'), TriggerRequest()])
def test_one_that_has_an_id_or_can_have_none_stays_as_it_is(request_):
    assert with_id(request_) is request_


@pytest.mark.parametrize(
    ('request_', 'may'),
    [
        (SpeakRequest(text='hi'), False),
        (with_id(SpeakRequest(text='hi')), True),
        (TriggerRequest(), False),
        (PostRequest(Message(sender='ann', text='hi')), False),
        (PostRequest(Message(id='m1', sender='ann', text='hi')), True),
    ],
)
def test_only_what_is_known_again_may_be_sent_again(request_, may):
    assert may_repeat(request_) is may
