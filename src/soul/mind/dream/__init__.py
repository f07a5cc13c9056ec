"""Dreaming: what she carries in mind becomes notes, days become gist, the notes stay tidy."""

from soul.mind.dream.dream import Dream, dream
from soul.mind.dream.step import NoThought, Step, StepOutcome

__all__ = ['Dream', 'NoThought', 'StepOutcome', 'Step', 'dream']
