"""OpenAI's chat completions, as most servers speak them."""

from soul.mind.providers.chat.request import Chat

__all__ = ['Chat']
