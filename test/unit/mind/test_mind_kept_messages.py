"""Messages on the disk: the ones of before are read without loss, and any one comes back."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings

from soul.mind.archive import Archive
from soul.mind.kept_messages import from_plain, to_plain
from soul.mind.messages import AssistantMessage, Origin, Reasoning, SystemMessage
from soul.mind.providers.base import Request
from soul.mind.providers.cleaning import clean_message
from soul.mind.transcript import empty, problems
from soul.signals import View
from support.asking import TOOLS, adapter
from support.histories import MESSAGES
from support.protocol_rules import refused
from support.protocols import PROTOCOLS

pytestmark = pytest.mark.usefixtures('quick_disk')

#: A journal as the version before wrote it, of a life with reasoning of three kinds, two calls
#: with ids that came again, and arguments that were no JSON.
BEFORE = Path(__file__).parent / 'journals' / 'before.jsonl'


@pytest.fixture
def session(tmp_path):
    folder = tmp_path / 'sessions'
    folder.mkdir()
    shutil.copy(BEFORE, folder / 'life.jsonl')
    archive = Archive(folder)
    session = archive.open('')
    assert archive.anomalies == []
    yield session
    archive.close()


def test_a_journal_of_before_is_read_without_loss(session):
    lines = [json.loads(line) for line in BEFORE.read_text('utf-8').splitlines()]
    kept = [entry['message'] for entry in lines if entry['kind'] == 'message']
    history = session.history()
    assert problems(history) == []
    assert [(m.role, m.text) for m in history] == [(m['role'], m['content']) for m in kept]
    calls = [c for m in history if isinstance(m, AssistantMessage) for c in m.calls]
    assert [(c.id, c.name, c.arguments) for c in calls] == [
        (c['id'], c['function']['name'], c['function']['arguments'])
        for m in kept
        for c in m.get('tool_calls', ())
    ]
    thoughts = [t for m in history if isinstance(m, AssistantMessage) for t in m.thoughts]
    sealed = [thought for thought in thoughts if thought.sealed]
    assert [dict(t.sealed) for t in sealed] == [
        {'reasoning_details': kept[3]['reasoning_details']},
        {'thinking_blocks': kept[7]['thinking_blocks']},
    ]
    assert [t.text for t in thoughts if not t.sealed] == [kept[1]['reasoning_content']]
    assert {t.origin for t in sealed} == {Origin('chat')}, 'nobody wrote down whose it is'


@pytest.mark.parametrize('protocol', PROTOCOLS)
def test_a_journal_of_before_goes_on_under_any_protocol(session, protocol):
    history = [SystemMessage('who she is'), *session.history()]
    body = adapter(protocol).body(Request(history, TOOLS, View(), 0), True)
    assert refused(protocol, body) == []
    assert ('c2lnbmVk' in json.dumps(body)) is (protocol == 'chat'), 'signed for chat servers'


def test_plain_reasoning_of_before_is_read_as_such():
    kept = {'role': 'assistant', 'content': 'x', 'reasoning_content': 'hm'}
    assert from_plain(kept).thoughts == (Reasoning('hm', origin=Origin('chat')),)


@given(MESSAGES)
@settings(max_examples=300, deadline=None)
def test_what_is_kept_comes_back(message):
    message = clean_message(message)
    if empty(message) or isinstance(message, SystemMessage):
        return
    again = from_plain(json.loads(json.dumps(to_plain(message))))
    assert (again.role, again.text) == (message.role, message.text)
    if isinstance(message, AssistantMessage):
        assert again.thoughts == message.thoughts
        assert [(c.id, c.name) for c in again.calls] == [(c.id, c.name) for c in message.calls]
    else:
        assert tuple(again.pictures) == tuple(message.pictures)
