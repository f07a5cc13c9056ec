"""`soul talk`: a terminal at her door."""

from __future__ import annotations

import getpass
import sys
import threading
from collections.abc import Iterable

from soul.cli.output import Output, styled
from soul.signals import Message, MindState, Phase, Reply, Thought, ThoughtKind
from soul.store.home import Home
from soul.terminal.link import Link, LinkLost

#: Without a person at the keyboard: how long to wait for the last answers, s.
LAST_ANSWER_SECONDS = 120.0


class Talk:
    """One conversation: what is typed goes to her door, what she answers is shown.

    Parameters
    ----------
    home
        Her home: who can read the key of her door is one of her people.
    """

    def __init__(self, link: Link, console: Output, name: str, thoughts: bool, home: Home) -> None:
        self._link = link
        self._home = home
        self._console = console
        self._name = name or getpass.getuser()
        self._mine: set[str] = set()
        self._open: set[str] = set()  # neither answered nor told to wait
        self._answered = threading.Condition()
        self._phase = ''
        link.on_lost = self._on_lost
        link.listen('door/reply', Reply, self._on_reply)
        link.listen('mind/state', MindState, self._on_state)
        if thoughts:
            link.listen('mind/thought', Thought, self._on_thought)

    def _on_lost(self) -> None:
        with self._answered:
            self._answered.notify_all()
        if sys.stdin.isatty():
            self._console.print(self._link.lost, style='red')

    def _on_reply(self, reply: Reply) -> None:
        with self._answered:
            mine = reply.in_reply_to in self._mine
            if reply.in_reply_to and not mine:
                return
            self._console.print(styled(('she', 'bold magenta'), ' ', reply.text))
            self._open.discard(reply.in_reply_to)  # told that it comes later is told, too
            if reply.is_final:
                self._mine.discard(reply.in_reply_to)
            self._answered.notify_all()

    def _on_state(self, state: MindState) -> None:
        if state.phase != self._phase and state.phase in (Phase.STOPPED, Phase.INACTIVE):
            self._console.print(f'she is {state.phase}; what you say is kept', style='dim')
        self._phase = state.phase

    def _on_thought(self, thought: Thought) -> None:
        if thought.kind != ThoughtKind.TOOL:
            self._console.print(thought.text, style='dim italic', end='')

    def say(self, text: str) -> None:
        """Say something to her.

        Raises
        ------
        NobodyThere
            If she does not run.
        """
        answer = self._link.post(
            Message(sender=self._name, channel='terminal', text=text), home=self._home
        )
        if not answer.accepted:
            self._console.print(styled(('not taken:', 'red'), ' ', answer.reason))
            return
        with self._answered:
            self._mine.add(answer.id)
            self._open.add(answer.id)

    def wait(self, seconds: float = LAST_ANSWER_SECONDS) -> bool:
        """Wait until everything said is answered; False if that takes too long.

        Raises
        ------
        LinkLost
            If she ends before.
        """
        with self._answered:
            self._answered.wait_for(lambda: not self._open or self._link.lost, seconds)
            if self._open and self._link.lost:
                raise LinkLost(f'{self._link.lost}. What you said is kept at her door')
            return not self._open

    def lines(self) -> Iterable[str]:
        """What the person types."""
        if not sys.stdin.isatty():
            yield from (line.strip() for line in sys.stdin)
            return
        self._console.print(f'You are {self._name}. Ctrl-D leaves; she goes on.', style='dim')
        while True:
            try:
                yield self._console.input(styled(('you', 'bold cyan'), ' ')).strip()
            except (EOFError, KeyboardInterrupt):
                return
