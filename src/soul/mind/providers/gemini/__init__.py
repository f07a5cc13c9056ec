"""Gemini's generateContent."""

from soul.mind.providers.gemini.request import Gemini

__all__ = ['Gemini']
