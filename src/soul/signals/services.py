"""Requests and answers of the services, `<Name>Request` and `<Name>Answer`.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from soul.signals.common import Picture
from soul.signals.door import Message
from soul.signals.field import View
from soul.signals.limits import (
    AnyAmount,
    Kind,
    Line,
    Most,
    Name,
    NeededName,
    Share,
    Sway,
    Text,
)


class AttendAction:
    """What :class:`AttendRequest` can do."""

    FOCUS = 'focus'
    UNFOCUS = 'unfocus'
    HOLD = 'hold'
    RELEASE = 'release'
    RESOLVE = 'resolve'
    NOTE = 'note'
    INTEND = 'intend'
    EXPECT = 'expect'
    SEEN = 'seen'
    LOOK = 'look'


@dataclass(frozen=True, slots=True)
class PostRequest:
    """Put a message at her door. Accepted means: it is on the disk."""

    message: Message = Message()
    # that the sender is one of her people: HMAC-SHA256 in hexadecimal, with the key in her home,
    # of the message's sender, id, session and text; empty or wrong: not trusted. message.trusted
    # is not believed
    proof: NeededName = ''
    # id of an earlier message that this one goes on with, of the same sender, channel and session.
    # While no wake has taken that one the two become one; else this is a message of its own.
    # Empty: it goes on with none
    continues: NeededName = ''


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """Answer to :class:`PostRequest`."""

    accepted: bool = False
    id: Name = ''  # of the message, or of the one that it has become a part of
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class AttendRequest:
    """Her attention. Answers with the new view, which is no new tick."""

    action: Kind = ''  # one of the constants
    item: NeededName = ''  # item id
    text: Text = ''  # a topic, a note, an intention, an expectation, or what a tool showed
    source: Name = ''  # a source to focus, or the tool that showed something
    channel: Name = ''  # for expect: door, bench or body
    within: AnyAmount = 0.0  # s; for expect: how long; zero: as usual
    request_id: Name = ''  # unique; one that comes again is answered as before. Empty: each counts


@dataclass(frozen=True, slots=True)
class AttendAnswer:
    """Answer to :class:`AttendRequest`."""

    ok: bool = False
    reason: Line = ''
    view: View = View()


@dataclass(frozen=True, slots=True)
class RestRequest:
    """Let her rest for a time."""

    duration: AnyAmount = 0.0  # s; as long as the heart allows; zero: until it decides
    forced: bool = False  # by the guard; otherwise an operator's wish
    reason: Line = ''
    request_id: Name = ''  # unique; one that comes again is answered as before. Empty: each counts


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """Answer to :class:`RestRequest`."""

    accepted: bool = False
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class NudgeRequest:
    """Wake her now, with a reason in natural language."""

    reason: Text = ''
    by: Name = ''
    request_id: Name = ''  # unique; one that comes again is answered as before. Empty: each counts


@dataclass(frozen=True, slots=True)
class NudgeAnswer:
    """Answer to :class:`NudgeRequest`."""

    accepted: bool = False
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """Look through the body's eye."""

    question: Line = ''


@dataclass(frozen=True, slots=True)
class CaptureAnswer:
    """Answer to :class:`CaptureRequest`."""

    ok: bool = False
    reason: Line = ''
    text: Text = ''  # from bodies that answer in text
    image: Picture = Picture()


@dataclass(frozen=True, slots=True)
class ExpressRequest:
    """Show a feeling on the face."""

    name: Kind = ''  # one of the constants, or another face the body knows; empty: use the numbers
    valence: Sway = 0.0  # -1..1
    arousal: Share = 0.0  # 0..1; how excited


@dataclass(frozen=True, slots=True)
class ExpressAnswer:
    """Answer to :class:`ExpressRequest`."""

    ok: bool = False
    reason: Line = ''


class PairAction:
    """What :class:`PairRequest` can do."""

    BEGIN = 'begin'
    LOOK = 'look'
    END = 'end'
    FORGET = 'forget'


@dataclass(frozen=True, slots=True)
class PairRequest:
    """Let a device that dials become hers: for ten minutes the first one that comes is let in."""

    what: Kind = ''  # one of the constants
    address: Name = ''  # begin: address of this machine to listen at as well; empty: none
    device: Name = ''  # forget: which one


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """Answer to :class:`PairRequest`."""

    ok: bool = False
    reason: Line = ''  # why not; empty if it is
    waiting: bool = False  # whether a pairing is under way
    seconds_left: AnyAmount = 0.0  # of it, s
    ask_url: Line = ''  # where a device asks where to dial (its OTA address)
    dial_url: Line = ''  # where a device dials that does not ask
    token: Line = ''  # what such a device must send
    device: Name = ''  # who is being paired; empty: nobody has come
    joined: bool = False  # whether it has dialled and can be used
    steps: Annotated[tuple[Line, ...], Most(100)] = ()  # what has happened, in order, for people
    missing: Line = ''  # what is to be done now, for people; empty: nothing
    paired: Annotated[tuple[Name, ...], Most(100)] = ()  # devices that may dial


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """std_srvs/Trigger."""


@dataclass(frozen=True, slots=True)
class TriggerAnswer:
    """Answer to :class:`TriggerRequest`."""

    success: bool = False
    message: Line = ''


@dataclass(frozen=True, slots=True)
class SetBoolRequest:
    """std_srvs/SetBool."""

    data: bool = False


@dataclass(frozen=True, slots=True)
class SetBoolAnswer:
    """Answer to :class:`SetBoolRequest`."""

    success: bool = False
    message: Line = ''
