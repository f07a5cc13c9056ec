"""Requests and answers of the services, `<Name>Request` and `<Name>Answer`.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

from soul.signals.common import Picture, Point
from soul.signals.door import Message
from soul.signals.field import View
from soul.signals.limits import (
    AnyAmount,
    Kind,
    Line,
    Moment,
    Name,
    NeededLine,
    NeededName,
    Seconds,
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
class SpeakRequest:
    """Say something aloud. Answers at once; the outcome follows on guard/act."""

    text: Text = ''
    emotion: Kind = ''
    by: Name = ''
    session: Name = ''
    request_id: Name = ''


@dataclass(frozen=True, slots=True)
class SpeakAnswer:
    """Answer to :class:`SpeakRequest`; the act has ended after `longest` s at the latest."""

    accepted: bool = False
    act_id: Name = ''
    reason: Line = ''
    longest: Seconds = 0.0


@dataclass(frozen=True, slots=True)
class LookRequest:
    """Look somewhere, and take a picture if asked; the outcome follows on guard/act."""

    direction: Name = ''
    has_point: bool = False
    point: Point = Point()
    question: Line = ''
    capture: bool = False
    by: Name = ''
    session: Name = ''
    request_id: Name = ''


@dataclass(frozen=True, slots=True)
class LookAnswer:
    """Answer to :class:`LookRequest`; the act has ended after `longest` s at the latest."""

    accepted: bool = False
    act_id: Name = ''
    reason: Line = ''
    longest: Seconds = 0.0


@dataclass(frozen=True, slots=True)
class SleepRequest:
    """Send her to sleep or rest, from outside."""

    duration: AnyAmount = 0.0
    by: Name = ''
    because: Line = ''
    request_id: Name = ''


@dataclass(frozen=True, slots=True)
class SleepAnswer:
    """Answer to :class:`SleepRequest`."""

    accepted: bool = False
    act_id: Name = ''
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class AuthorizeRequest:
    """Ask for a one-shot grant before an outward act that the caller executes."""

    what: NeededLine = ''
    category: NeededName = ''
    by: Name = ''
    session: Name = ''
    summary: Text = ''
    request_id: Name = ''


@dataclass(frozen=True, slots=True)
class AuthorizeAnswer:
    """Answer to :class:`AuthorizeRequest`."""

    granted: bool = False
    pending: bool = False
    act_id: Name = ''
    expires: Moment = 0.0
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    """Report how a granted act went."""

    act_id: NeededName = ''
    state: Kind = ''
    detail: Text = ''
    receipt: Line = ''


@dataclass(frozen=True, slots=True)
class ReceiptAnswer:
    """Answer to :class:`ReceiptRequest`."""

    accepted: bool = False
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """Allow or deny what is pending."""

    id: NeededName = ''
    allow: bool = False
    by: Name = ''


@dataclass(frozen=True, slots=True)
class DecideAnswer:
    """Answer to :class:`DecideRequest`."""

    accepted: bool = False
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class PostRequest:
    """Put a message at her door. Accepted means: it is on the disk."""

    message: Message = Message()
    proof: NeededName = ''


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """Answer to :class:`PostRequest`."""

    accepted: bool = False
    id: Name = ''
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class AttendRequest:
    """Her attention. Answers with the new view, which is no new tick."""

    action: Kind = ''
    item: NeededName = ''
    text: Text = ''
    source: Name = ''
    channel: Name = ''
    within: AnyAmount = 0.0
    request_id: Name = ''


@dataclass(frozen=True, slots=True)
class AttendAnswer:
    """Answer to :class:`AttendRequest`."""

    ok: bool = False
    reason: Line = ''
    view: View = View()


@dataclass(frozen=True, slots=True)
class RestRequest:
    """Let her rest."""

    duration: AnyAmount = 0.0
    forced: bool = False
    reason: Line = ''
    request_id: Name = ''


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
    request_id: Name = ''


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
    text: Text = ''
    image: Picture = Picture()


@dataclass(frozen=True, slots=True)
class ExpressRequest:
    """Show a feeling on the face."""

    name: Kind = ''
    valence: Sway = 0.0
    arousal: Share = 0.0


@dataclass(frozen=True, slots=True)
class ExpressAnswer:
    """Answer to :class:`ExpressRequest`."""

    ok: bool = False
    reason: Line = ''


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
