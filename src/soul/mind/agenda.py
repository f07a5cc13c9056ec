"""What comes next: which conversations the newest view begins, and which wakes pass."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

from soul.mind.later import Later
from soul.mind.ledger import Ledger
from soul.mind.order import Order
from soul.mind.ports import Ports
from soul.mind.streams import Streams
from soul.mind.wall import Wall
from soul.mind.words import Words
from soul.signals import Message, Outcome, Turn, View, WakeCause, WakeId

#: So many messages are remembered as tried.
REMEMBERED = 1000


class Agenda:
    """The newest view that has not been lived, and what it has yet to begin.

    Parameters
    ----------
    ready
        Whether she may think at all now.
    began
        Called when turns have begun.
    told
        Writes down and tells how a turn ended: (turn, whether it counts as a waking).
    unwritten
        Called when something could not be written down.
    """

    def __init__(
        self,
        ports: Ports,
        words: Words,
        ledger: Ledger,
        later: Later,
        order: Order,
        streams: Streams,
        wall: Wall,
        ready: Callable[[], bool],
        began: Callable[[], None],
        told: Callable[[Turn, bool], None],
        unwritten: Callable[[OSError], None],
    ) -> None:
        self._ports = ports
        self._words = words
        self._ledger = ledger
        self._later = later
        self._order = order
        self._streams = streams
        self._wall = wall
        self._ready = ready
        self._began = began
        self._told = told
        self._unwritten = unwritten
        self._tried: OrderedDict[str, None] = OrderedDict()  # messages she has thought about
        self._next: View | None = None
        self._owed: set[str] | None = None  # conversations it has yet to begin

    @property
    def waits(self) -> bool:
        """Whether a view waits to be lived."""
        return self._next is not None

    def somebody_new(self, view: View) -> bool:
        """Whether a view brings a message she has not thought about, nor been asked for before.

        Each message counts once: one that comes back after a failure is nobody new.
        """
        ids = [m.id for m in view.messages if m.id not in self._streams.known(view)]
        return self._try(ids)

    def _try(self, ids: Iterable[str]) -> bool:
        new = [message_id for message_id in ids if message_id not in self._tried]
        self._tried.update(dict.fromkeys(new))
        while len(self._tried) > REMEMBERED:
            self._tried.popitem(last=False)
        return bool(new)

    def see(self, view: View) -> None:
        """See; a view of a wake that has not begun yet begins turns."""
        if self._order.is_new(view.wake):
            self._next, self._owed = view, None
            self.go_on()
        elif self._streams.busy and self._ready():
            # What belongs to another conversation does not wait for the turn in progress.
            self._begin(view, self._streams.fresh(view))

    def go_on(self) -> None:
        """Begin the turns of the newest view, if nothing is in the way."""
        view = self._next
        if view is None or not self._ready():
            return
        if self._owed is None:
            self._owed = self._streams.fresh(view)
            if set(view.causes) != {WakeCause.MESSAGE}:
                self._owed.add('')
        if not any(name == '' or not self._streams.at_work(name) for name in self._owed):
            self._next = None
            known = self._streams.known(view)
            self._pass(view.wake, view.causes, 'it is being dealt with already', known)
            return
        self._owed -= self._begin(view, self._owed)
        if not self._owed or (self._order.begun == view.wake and '' not in self._owed):
            # Whatever came for a conversation at work is seen there, or knocks again.
            self._next = None

    def _begin(self, view: View, names: Iterable[str]) -> set[str]:
        """Begin turns for the wanted conversations, those at work excepted."""
        began = set()
        for name in sorted(names):
            seen = self._streams.share(view, name)
            if self._streams.at_work(name) or not self._affords(seen.messages):
                continue
            known = self._streams.known(view)
            try:
                self._streams.get(name).begin(seen, self._order.epoch, self._order.next(), known)
            except OSError as error:
                self._unwritten(error)  # not on the disk, not begun: the wake stays open
                break
            self._order.begin(view.wake)
            self._try(message.id for message in seen.messages)
            began.add(name)
        if began:
            self._began()
        return began

    def _affords(self, messages: Sequence[Message]) -> bool:
        """When her energy is spent, only her people are answered, from the reserve."""
        if not self._wall.refusal(any(message.trusted for message in messages)):
            return True
        when = self._words.when(self._wall.day.resets_at)
        self._later.tell(messages, self._words.say('later.spent', **when))
        return False

    def _pass(
        self, wake: WakeId, causes: Sequence[str], why: str, known: Mapping[str, bool]
    ) -> None:
        """Let a wake pass without thinking; `known` messages were dealt with before."""
        sequence = self._order.next()
        try:
            self._ledger.begin(wake, sequence, '', self._ports.now())
        except OSError as error:
            self._unwritten(error)
            return
        self._order.begin(wake)
        turn = Turn(
            stamp=self._ports.now(),
            epoch=self._order.epoch,
            sequence=sequence,
            wake=wake,
            causes=tuple(causes),
            messages_seen=tuple(known),
            messages_answered=tuple(m for m, answered in known.items() if answered),
            declined=True,
            outcome=Outcome.SLEPT,
            detail=why,
        )
        self._told(turn, False)
