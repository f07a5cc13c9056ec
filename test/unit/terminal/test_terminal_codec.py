"""Signals on the socket: what goes in comes out, and nothing else comes through."""

import dataclasses
import json
import math
import typing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import soul.signals
from soul.core.fitting import fit
from soul.signals import (
    Battery,
    GuardState,
    HeartState,
    Message,
    MindState,
    Picture,
    PostRequest,
    View,
)
from soul.terminal.codec import NotASignal, from_plain, kind_of, to_plain
from soul.terminal.protocol import encode

KINDS = [
    kind
    for name in soul.signals.__all__
    if dataclasses.is_dataclass(kind := getattr(soul.signals, name)) and isinstance(kind, type)
]


def values(hint):
    """Any value of a field."""
    if typing.get_origin(hint) is tuple:
        return st.lists(values(typing.get_args(hint)[0]), max_size=2).map(tuple)
    if dataclasses.is_dataclass(hint):
        return signals(hint)
    plain = {
        str: st.text(st.characters(exclude_categories=['Cs']), max_size=20),
        float: st.floats(),
        int: st.integers(0, 2**64 - 1),
        bool: st.booleans(),
        bytes: st.binary(max_size=20),
    }
    if hint in plain:
        return plain[hint]
    return st.one_of(
        *(st.none() if kind is type(None) else values(kind) for kind in typing.get_args(hint))
    )


def signals(kind):
    """Any signal of a type."""
    hints = typing.get_type_hints(kind)
    return st.builds(
        kind, **{field.name: values(hints[field.name]) for field in dataclasses.fields(kind)}
    )


@pytest.mark.parametrize('kind', KINDS, ids=lambda kind: kind.__name__)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_every_signal_comes_out_as_it_went_in(kind, data):
    signal = data.draw(signals(kind))
    received = from_plain(kind, json.loads(encode({'it': to_plain(signal)}))['it'])
    assert repr(received) == repr(signal), 'NaN, too, and with the same types'
    assert kind_of(kind.__name__) is kind


def test_half_characters_do_not_break_the_line():
    data = encode({'it': to_plain(Message(text='a \ud800 b\n'))})
    assert data.count(b'\n') == 1
    assert json.loads(data)['it']['text'] == 'a ? b\n'


@pytest.mark.parametrize(
    ('kind', 'value', 'where'),
    [
        (Message, 'hello', 'it'),
        (Message, {'text': 3}, 'text'),
        (Message, {'trusted': 1}, 'trusted'),
        (Message, {'stamp': 'now'}, 'stamp'),
        (Message, {'stamp': 10**400}, 'stamp'),
        (PostRequest, {'message': {'id': None}, 'proof': ''}, 'message.id'),
        (MindState, {'sessions': {}}, 'sessions'),
        (MindState, {'sessions': [1]}, 'sessions[]'),
        (GuardState, {'recent': [{'what': []}]}, 'recent[].what'),
        (HeartState, {'asleep': 'no'}, 'asleep'),
        (Picture, {'data': 'no base64!'}, 'data'),
        (Picture, {'data': 7}, 'data'),
        (View, {'tick': 1.5}, 'tick'),
        (Battery, {'charging': 'yes'}, 'charging'),
    ],
)
def test_what_is_no_signal_is_refused_with_its_place(kind, value, where):
    with pytest.raises(NotASignal) as refusal:
        from_plain(kind, value)
    assert str(refusal.value).startswith(where + ' ')


def test_another_version_is_understood_as_far_as_it_goes():
    newer = {'text': 'hello', 'mood': 'new', 'stamp': 3}
    assert from_plain(Message, newer) == Message(text='hello', stamp=3.0)
    assert from_plain(Message, {}) == Message()


@pytest.mark.parametrize(
    'name', ['os', 'newer', 'NO', 'ActState', '', 'Message.__init__', '__all__']
)
def test_only_signals_can_be_named(name):
    with pytest.raises(NotASignal):
        kind_of(name)


def test_what_comes_out_is_still_to_be_checked():
    received = from_plain(View, {'fullness': math.nan, 'mood': 'x' * 1000})
    kept, findings = fit(received)
    assert len(kept.mood) < 1000
    assert findings
