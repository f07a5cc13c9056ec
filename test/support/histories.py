"""Histories of any kind, also such as nobody should have lived; for hypothesis."""

from hypothesis import strategies as st

from soul.mind.messages import (
    AssistantMessage,
    Origin,
    Reasoning,
    ShownPicture,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from support.protocols import PROTOCOLS, SIGNATURE

SEALED = {
    'chat': {'reasoning_details': [{'type': 'reasoning.text', 'text': 'hm', 'signature': 's'}]},
    'responses': {'type': 'reasoning', 'id': 'rs_1', 'summary': [], 'encrypted_content': 'AAAA'},
    'anthropic': {'type': 'thinking', 'thinking': 'hm', 'signature': SIGNATURE},
    'gemini': {'thoughtSignature': SIGNATURE},
}
TEXTS = st.sampled_from(['', ' ', '\n', 'a', 'hm', '\ud83d', '\ude00', 'x\0y', '…', '你好'])
IDS = st.sampled_from(
    ['', 'call_1', 'abcdefghi', 'toolong-' * 12, 'said-3-0', 'é', '123456789', 'functions.look:0']
)
ARGUMENTS = st.sampled_from(
    ['{}', '', '{"a"', 'null', '[1]', '"\ud83d"', '{"a": NaN}', '{"a": 1e999}', '{"t": "\\ud83d"}']
)
CALLS = st.builds(
    ToolCall, IDS, st.sampled_from(['look', 'diary', '', 'fly away!', '7', 'ö']), ARGUMENTS
)
PICTURES = st.sampled_from([(), (ShownPicture('png', 'AAAA'),)])
THOUGHTS = st.builds(
    lambda protocol, sealed, model, before: Reasoning(
        'hm', SEALED[protocol] if sealed else {}, Origin(protocol, 'p', model), before
    ),
    st.sampled_from(PROTOCOLS),
    st.booleans(),
    st.sampled_from(['m', 'another']),
    st.integers(0, 4),
)
MESSAGES = st.one_of(
    st.builds(UserMessage, TEXTS, PICTURES),
    st.builds(
        AssistantMessage,
        TEXTS,
        st.lists(CALLS, max_size=3).map(tuple),
        st.lists(THOUGHTS, max_size=2).map(tuple),
    ),
    st.builds(ToolResult, IDS, TEXTS, PICTURES, st.just('seen')),
    st.builds(SystemMessage, TEXTS),
)
HISTORIES = st.lists(MESSAGES, max_size=12)
