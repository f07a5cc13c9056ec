"""One conversation with the model: her stream of consciousness, or one with a person.

What was said and done is a journal of messages (`message`, grouped by `begun` and `turn`).
Of an old waking its view shrinks to one line; everything else stays word for word, so that a
provider's cache serves it, until :mod:`soul.mind.compaction` replaces the oldest wakings by an
account of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from soul.mind import tokens
from soul.mind.kept_messages import from_plain, to_plain
from soul.mind.messages import AssistantMessage, Message, ToolResult, UserMessage
from soul.mind.providers.base import Completion
from soul.mind.providers.cleaning import clean_text
from soul.mind.transcript import mend, missing, with_thoughts_over
from soul.store import Journal

#: Accounts of earlier times that are carried along; older ones are in her memory and diary.
CHAPTERS = 6


@dataclasses.dataclass
class Lived:
    """One waking as later ones carry it along."""

    sequence: int
    messages: list[Message]

    @property
    def tokens(self) -> int:
        """Estimated length for a model."""
        return tokens.of_messages(self.messages)


class Session:
    """A conversation.

    Parameters
    ----------
    name
        Empty: the one stream of consciousness.
    journal
        Where it is kept; None: nowhere.
    save
        Keeps the accounts of earlier times; on the disk when it returns.
    """

    def __init__(
        self,
        journal: Journal | None = None,
        name: str = '',
        save: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> None:
        self.name = name
        self._journal = journal
        self._save = save
        self.chapters: list[str] = []
        self._told: list[Message] = []  # the chapters as messages
        self._told_of: list[str] | None = None
        self._upto = 0  # turns up to this one are in the chapters
        self.past: list[Lived] = []
        self._current: list[Message] = []
        self._lines: list[str] = []  # of the current messages: what stays of them
        self._sequence = 0
        self._ids: set[str] = set()  # of all tool calls known
        self.anomalies: list[str] = []  # what could not be read, in words

    def own_ids(self, completion: Completion) -> Completion:
        """Give calls whose id is empty or was there before an id of their own."""
        calls = []
        for number, call in enumerate(completion.calls):
            call_id, tries = call.id, 0
            while not call_id or call_id in self._ids:
                tries += 1
                call_id = f'{call.id or "call"}-{self._sequence}-{number}-{tries}'
            self._ids.add(call_id)
            calls.append(dataclasses.replace(call, id=call_id))
        return dataclasses.replace(completion, calls=tuple(calls))

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._journal is not None:
            self._journal.append(entry, durable=False)

    # --- a turn ---------------------------------------------------------------------------

    def begin(self, sequence: int) -> None:
        """Begin a turn of this number: what is added from now on belongs to it."""
        self._current, self._lines = [], []
        self._sequence = sequence
        if self.name:  # her own stream lies in the ledger, which says so itself
            self._write({'kind': 'begun', 'sequence': sequence, 'session': self.name})

    def add(self, message: Message, line: str = '') -> None:
        """Add a message; `line` is what stays of it, on the disk and in later wakings."""
        self._current.append(message)
        self._lines.append(line)
        if self._journal is not None:
            kept = to_plain(_shrunk(message, line))
            self._journal.append({'kind': 'message', 'message': kept}, durable=False)

    def end(self) -> None:
        """The turn is over: its calls are paired, its views shrink."""
        try:
            for result in missing(self._current):
                self.add(result)
        finally:
            self._keep()

    def _keep(self) -> None:
        pairs = zip(self._current, self._lines, strict=True)
        lived = mend(_shrunk(message, line) for message, line in pairs)
        self._current, self._lines = [], []
        if lived:
            self.past.append(Lived(self._sequence, [with_thoughts_over(m) for m in lived]))

    # --- the conversation -----------------------------------------------------------------

    def history(self) -> list[Message]:
        """Messages of earlier wakings, as they are carried along: the same objects each time."""
        if self._told_of is not self.chapters:
            self._told_of = self.chapters
            self._told = [UserMessage(chapter) for chapter in self.chapters]
        return self._told + [message for lived in self.past for message in lived.messages]

    @property
    def stable(self) -> Sequence[int]:
        """After so many messages of :meth:`history` the newest waking begins, and the next one."""
        whole = len(self._told) + sum(len(lived.messages) for lived in self.past)
        newest = len(self.past[-1].messages) if self.past else 0
        return (whole - newest, whole) if 0 < newest < whole else (whole,)

    def conversation(self) -> list[Message]:
        """Messages of this waking."""
        return list(self._current)

    @property
    def tokens(self) -> int:
        """Estimated length of what is carried along."""
        chapters = sum(tokens.of_text(c) + tokens.OVERHEAD for c in self.chapters)
        return chapters + sum(lived.tokens for lived in self.past)

    def compact(self, upto: int, chapter: str) -> None:
        """Replace the turns up to one by an account of them.

        The account is on the disk before anything is let go, and the journal stays whole: a
        crash in between repeats nothing and loses nothing.
        """
        chapters = [*self.chapters, chapter][-CHAPTERS:]
        if self._save is not None:
            self._save({'upto': upto, 'chapters': chapters})
        self.chapters, self._upto = chapters, upto
        self.past = [lived for lived in self.past if lived.sequence > upto]

    # --- after a restart ------------------------------------------------------------------

    def load(
        self, entries: Iterable[Mapping[str, Any]], memory: Mapping[str, Any] | None = None
    ) -> None:
        """Read the journal's newest part; what a crash has cut off is mended, on the disk too.

        What does not fit costs itself alone: it is left out, and :attr:`anomalies` says so.
        """
        memory = memory or {}
        upto, chapters = memory.get('upto', 0), memory.get('chapters', ())
        self._upto = upto if isinstance(upto, int) else 0
        chapters = chapters if isinstance(chapters, list) else ()
        self.chapters = [clean_text(c) for c in chapters if isinstance(c, str)]
        for number, entry in enumerate(entries, 1):
            kind = entry.get('kind')
            if kind == 'begun' and entry.get('session', '') == self.name:
                self._keep()
                sequence = entry.get('sequence', 0)
                self._sequence = sequence if isinstance(sequence, int) else 0
            elif kind == 'message':
                if self._sequence <= self._upto:
                    continue  # it has become part of an account
                try:
                    message = from_plain(entry.get('message'))
                except ValueError as wrong:
                    self._odd(number, entry, wrong)
                    continue
                if isinstance(message, AssistantMessage):
                    self._ids.update(call.id for call in message.calls)
                self._current.append(message)
                self._lines.append('')
            elif kind == 'turn' and self._mine(entry.get('turn')):
                self._keep()
        for result in missing(self._current):
            self.add(result)
        self._keep()
        self.past = [lived for lived in self.past if lived.sequence > self._upto]

    def _odd(self, number: int, entry: Mapping[str, Any], wrong: ValueError) -> None:
        where = self._journal.path.name if self._journal is not None else 'its journal'
        self.anomalies.append(
            f'{where}: entry {number} of those read is no chat message ({wrong}) and is left '
            f'out: {str(entry)[:120]}'
        )

    def _mine(self, turn: Any) -> bool:
        return isinstance(turn, Mapping) and turn.get('session', '') == self.name


def _shrunk(message: Message, line: str) -> Message:
    """Return what stays of a message."""
    if not line:
        return message
    if isinstance(message, (UserMessage, ToolResult)):
        return dataclasses.replace(message, text=line, pictures=())
    return dataclasses.replace(message, text=line)
