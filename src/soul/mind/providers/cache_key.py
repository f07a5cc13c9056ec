"""The key by which OpenAI's own servers find the cache of a conversation again."""

from __future__ import annotations

import hashlib
from urllib.parse import urlsplit

#: Whose servers know such a key; others may refuse what they do not know.
_KNOWN = ('api.openai.com', '.openai.azure.com')


def cache_key(base_url: str, conversation: str) -> str:
    """Return the key of a conversation; empty: the server knows none."""
    host = urlsplit(base_url).hostname or ''
    if not host.endswith(_KNOWN):
        return ''
    return 'soul-' + hashlib.sha256(conversation.encode()).hexdigest()[:24]
