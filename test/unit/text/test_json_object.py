"""JSON from outside: objects of a few brackets are read, anything else is nothing."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soul.text.json_object import DEEPEST, json_object


def nested(depth):
    return '{"a":' * depth + '1' + '}' * depth


def test_an_object_is_read_as_it_is():
    assert json_object('{"a": [1, {"b": null}]}') == {'a': [1, {'b': None}]}
    assert json_object('{"a": "ä"}'.encode()) == {'a': 'ä'}


@pytest.mark.parametrize('text', ['', '5', '[]', '"a"', '{', '{"a"}', b'\xff{}', 'nothing'])
def test_anything_else_is_nothing(text):
    assert json_object(text) is None


def test_what_is_nested_too_deeply_is_nothing():
    assert json_object(nested(DEEPEST)) is not None
    assert json_object(nested(DEEPEST + 1)) is None
    assert json_object('[' * 15_000) is None
    assert json_object('{"a":' + '[' * 15_000 + ']' * 15_000 + '}') is None


def test_brackets_within_texts_and_many_side_by_side_count_for_nothing():
    assert json_object(json.dumps({'a': '[' * 1000})) == {'a': '[' * 1000}
    assert json_object(json.dumps({'a': '"\\[' * 100})) == {'a': '"\\[' * 100}
    assert json_object(json.dumps({'a': [[] for _ in range(1000)]})) is not None


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner, max_size=4)))
def test_what_is_not_deep_is_read(value):
    text = json.dumps({'a': value})
    assert json_object(text, deepest=1000) == {'a': value}


@given(st.text(alphabet='{}[]"\\a:,1', max_size=200))
def test_no_text_harms_it(text):
    found = json_object(text)
    assert found is None or isinstance(found, dict)
