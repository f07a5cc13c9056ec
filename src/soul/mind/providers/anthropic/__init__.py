"""Anthropic's messages."""

from soul.mind.providers.anthropic.request import Anthropic

__all__ = ['Anthropic']
