"""One step of a dream: what lies before her, what she is asked, what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Step:
    """A step; it changes nothing by itself.

    Attributes
    ----------
    kind
        resident, gist, sort or tidy.
    key
        Names it within its kind: a day, a note.
    material, question
        For a model; without a question the step needs none.
    """

    kind: str
    key: str
    material: str = ''
    question: str = ''
    ids: tuple[str, ...] = field(default=())  # marks of the entries it is about

    @property
    def prompt(self) -> str:
        """Question and material in one text."""
        return f'{self.question}\n\n{self.material}'.strip()


@dataclass(frozen=True)
class StepOutcome:
    """What came of a step."""

    step: Step
    done: bool  # False: refused, everything is as it was
    by: str  # model, rule (no usable answer), or nobody
    what: str  # in words, for the log
    left: bool = False  # it needs a model that cannot be asked now, and waits for the next dream


class NoThought(Exception):
    """A model there is cannot be asked now; the message says why."""


class AnswerRefused(ValueError):
    """A model's answer would lose too much; the message says what."""
