"""What the mind needs to know to think with the local model."""

from __future__ import annotations

from soul.local.release import QWEN

#: Tokens the server lets it read; its cache of them takes 28 kB a token.
WINDOW = 8192


def settings(base_url: str) -> dict[str, str | int | float | bool]:
    """Return parameters of the mind.

    Two cores read about 60 tokens a second and write about 10, so waits are long, histories short,
    and what never changes is read before anybody speaks.
    """
    return {
        'backend': 'openai',
        'base_url': base_url,
        'model': QWEN.name,
        'api_key_env': '',
        'context_window': WINDOW,
        'temperature': 0.4,
        'warm_up': True,
        'call_seconds': 300.0,
        'waking_seconds': 330.0,
        'waking_tokens': 6000,
        'ceiling_tokens': 4000,
        'keep_tokens': 1500,
        'web_pages': False,
    }
