"""The end of a waking before she slept."""

from __future__ import annotations


class Cut(Exception):
    """The waking ended before she slept; carries the turn's outcome and why.

    Parameters
    ----------
    interrupted
        Whether somebody spoke, so that she may take up later what she was at.
    failed
        Whether it would go the same way again: the model is left alone for a while, as after a
        failure.
    day
        Whether her day's energy is spent.
    """

    def __init__(
        self,
        outcome: str,
        detail: str,
        interrupted: bool = False,
        failed: bool = False,
        day: bool = False,
    ) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.interrupted = interrupted
        self.failed = failed
        self.day = day
