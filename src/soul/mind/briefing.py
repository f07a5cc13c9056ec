"""What she reads: who she is, her life so far, and this moment with all that belongs to it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from soul.core.organ import Report
from soul.mind.acts import ActsWatch
from soul.mind.inside import Inside
from soul.mind.messages import UserMessage
from soul.mind.moment import Circumstances, Other, moment
from soul.mind.prompt import Prompt
from soul.mind.providers.base import Purpose, Request
from soul.mind.session import Session
from soul.mind.tools.base import Toolbox
from soul.mind.transcript import mend
from soul.mind.words import Words
from soul.signals import BodyState, HeartState, View

#: So little is shown to a server that is to read ahead what stands first.
BEGINNING = '…'  # some servers refuse a request without any message


class Briefing:
    """Makes requests to the model.

    Parameters
    ----------
    now
        Seconds of the node's clock.
    report
        Hears what is odd about her files.
    compact
        For models that can read only a few thousand tokens.
    """

    def __init__(
        self,
        prompt: Prompt,
        words: Words,
        toolbox: Toolbox,
        inside: Inside,
        acts: ActsWatch,
        rng: random.Random,
        now: Callable[[], float],
        report: Callable[[Report], None],
        compact: bool,
    ) -> None:
        self.prompt = prompt
        self.words = words
        self.toolbox = toolbox
        self.acts = acts
        self._inside = inside
        self._rng = rng
        self._now = now
        self._report = report
        self._compact = compact
        self.body: BodyState | None = None  # as it was told last
        self.heart: HeartState | None = None

    def moment(
        self, view: View, session: str, used: float, unfinished: str, others: Sequence[Other]
    ) -> str:
        """Return this moment as she reads it.

        Parameters
        ----------
        used
            When a turn of this conversation ended last, s of the node's clock; 0: never.
        unfinished
            What she was at when she was interrupted.
        others
            The other conversations.
        """
        now = self._now()
        around = Circumstances(
            now=now,
            session=session,
            slept=now - used if used else None,
            unfinished=unfinished,
            uncertain=self.acts.in_doubt(),
            others=others,
            body=self.body,
            heart=self.heart,
        )
        inner = self._inside.inner(view, now, self._rng)
        for odd in inner.odd:
            self._report(Report('warning', odd))
        return moment(view, inner, around, self.words, self._compact)

    def request(self, session: Session, about: View, view: View, step: int) -> Request:
        """Make the next request of a turn.

        Parameters
        ----------
        about
            What began the turn: for it she is who she is.
        view
            What she sees now.
        step
            So many answers the turn has had.
        """
        # What is carried along was mended when its waking ended.
        now = mend(session.conversation())
        return Request(
            messages=[self.prompt.system(about), *session.history(), *now],
            tools=self.toolbox.schemas(),
            view=view,
            step=step,
            conversation=session.name,
            stable=[1 + count for count in session.stable],
        )

    def first(self, session: Session) -> Request:
        """Make a request with what the next turn begins with, whatever it will be about."""
        view = View()
        beginning = [*session.history(), UserMessage(BEGINNING)]
        return Request(
            messages=[self.prompt.system(view), *mend(beginning)],
            tools=self.toolbox.schemas(),
            view=view,
            step=0,
            purpose=Purpose.WARM_UP,
        )

    def look_ahead(self) -> None:
        """Get ready what the next :meth:`moment` can find ready."""
        self._inside.look_ahead(self._rng)

    def open_loops(self) -> int:
        """Count what she keeps in mind."""
        return self._inside.open_loops(self._now())
