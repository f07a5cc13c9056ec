"""OpenAI's responses."""

from soul.mind.providers.responses.request import Responses

__all__ = ['Responses']
