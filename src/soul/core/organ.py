"""The inside of an organ: what every organ hears, says, serves, performs and asks for.

An organ is one class of pure logic that never imports rclpy. What it is wired to stands in
tables on the class, so that ROS (`soul.ros`) and the bus without it (`soul.sim`) go by the same
words; what runs an organ on both is `soul.core.runtime`:

* ``hears = {topic: SignalType}``: a message arrives at ``on_<signal_type>(signal, now)``;
* ``says = {topic: SignalType}``: a returned signal of that type is published there;
* ``serves = {service: RequestType}``: ``serve_<last part>(request, now)`` returns
  ``(answer, outputs)`` at once;
* ``performs = {action or service: RequestType}``: what takes time.
  ``perform_<last part>(request, handle, now)`` returns outputs; a later :class:`Finish` with
  the same handle ends it. ``refuse(name, request, now)`` may refuse it beforehand,
  ``cancel(handle, now)`` is told when the client wants it ended;
* ``asks = {service or action: RequestType}``: a returned :class:`Ask` is sent there; the
  answer comes to ``on_answer(answer, now)``, always, at the latest after its deadline.

`now` is the time of the node's clock in seconds. Outputs are carried out in their order, so a
:class:`Save` or a durable :class:`Record` before a signal is on the disk before anybody hears
the signal. If it cannot be written, the `yield` of a generator raises the OSError; of whoever
does not catch it nothing more is carried out. So what must not hold without being on the disk
is changed after the `yield`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from soul.core.errors import StartRefused as StartRefused
from soul.core.output import Answer as Answer
from soul.core.output import Ask as Ask
from soul.core.output import CancelAsk as CancelAsk
from soul.core.output import Finish as Finish
from soul.core.output import Offer as Offer
from soul.core.output import Output as Output
from soul.core.output import Outputs as Outputs
from soul.core.output import Progress as Progress
from soul.core.output import Record as Record
from soul.core.output import Report as Report
from soul.core.output import Save as Save
from soul.core.output import SaveSoon as SaveSoon


class OrganConfig(BaseModel):
    """Base of an organ's parameters.

    Every field has a description and, if numeric, a range (`ge`, `le`): the ROS parameters are
    declared from it. Frozen: a parameter does not change while she lives.
    """

    model_config = ConfigDict(frozen=True, extra='forbid')


@dataclass(frozen=True, slots=True)
class Health:
    """An organ's state of health for /diagnostics."""

    level: str = 'ok'  # ok, warn or error
    message: str = 'well'
    values: Mapping[str, str] = field(default_factory=dict)


class Organ:
    """Base of all organs: empty tables and the behaviour of an organ that wants nothing."""

    hears: ClassVar[Mapping[str, type]] = {}
    says: ClassVar[Mapping[str, type]] = {}
    serves: ClassVar[Mapping[str, type]] = {}
    performs: ClassVar[Mapping[str, type]] = {}
    asks: ClassVar[Mapping[str, type]] = {}

    #: Topics of ``says`` that have no publisher before an :class:`Offer` names them.
    perhaps: ClassVar[frozenset[str]] = frozenset()
    #: Topics of ``hears`` whose publisher's death the organ wants to know of.
    watches: ClassVar[Sequence[str]] = ()
    #: File of the organ's memory under the home; empty: it remembers nothing.
    memory_file: ClassVar[str] = ''
    #: What it remembers: a frozen dataclass with a field ``schema``, the number of its shape.
    memory_type: ClassVar[type[Any]] = dict
    #: Journals that it reads at its start; None: all.
    recalls: ClassVar[Sequence[str] | None] = None
    #: Names of its journals: `<name>.jsonl` under the home.
    journals: ClassVar[Sequence[str]] = ()

    @staticmethod
    def unfit(journal: str, entry: Mapping[str, Any]) -> str:
        """Say why an entry of a journal is none of its own and is to be passed over; empty: it is.

        Somebody may have edited the file: one odd entry costs that entry.
        """
        return ''

    def start(self, now: float) -> Outputs:
        """Begin to live; called once when everything is wired."""
        return ()

    def due(self) -> float:
        """When the organ wants :meth:`step` next: seconds of the node's clock, inf for never."""
        return math.inf

    def step(self, now: float) -> Outputs:
        """Do what is due."""
        return ()

    def on_answer(self, answer: Answer, now: float) -> Outputs:
        """Hear what became of an :class:`Ask`."""
        return ()

    def on_silence(self, topic: str, now: float) -> Outputs:
        """Hear that nobody alive publishes a watched topic any more."""
        return ()

    def refuse(self, name: str, request: Any, now: float) -> str:
        """Say why `request` cannot be performed now; empty if it can."""
        return ''

    @property
    def takes_goals(self) -> bool:
        """Whether goals are accepted at all; otherwise they are rejected without a word."""
        return True

    def cancel(self, handle: str, now: float) -> Outputs:
        """Hear that a client wants what it asked for ended."""
        return ()

    def memory(self) -> Any:
        """Return what must survive, a `memory_type`; None if nothing does.

        It is a copy: nothing in it changes while the organ lives on. Two that are equal need
        not be written twice.
        """
        return None

    def health(self, now: float) -> Health:
        """How the organ is."""
        return Health()

    def configure(self, now: float) -> Outputs:
        """Managed organs: get ready, touch nothing."""
        return ()

    def activate(self, now: float) -> Outputs:
        """Managed organs: act from now on."""
        return ()

    def deactivate(self, now: float) -> Outputs:
        """Managed organs: act no more; safe and quiet."""
        return ()

    def cleanup(self, now: float) -> Outputs:
        """Managed organs: let go of everything."""
        return ()

    def stop(self, now: float) -> Outputs:
        """End quietly; called once before the wiring goes."""
        return ()


def handler_name(signal_type: type) -> str:
    """Name of the method that hears `signal_type`, for example on_sense_event."""
    return 'on_' + re.sub(r'(?<!^)(?=[A-Z])', '_', signal_type.__name__).lower()


def server_name(name: str, prefix: str = 'serve') -> str:
    """Name of the method behind a service or action, for example serve_post of door/post."""
    return f'{prefix}_{name.rsplit("/", 1)[-1]}'
