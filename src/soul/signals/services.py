"""Requests and answers of the services, `<Name>Request` and `<Name>Answer`.

Units and meanings of the fields: the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

from soul.signals.common import Picture, Point
from soul.signals.door import Message
from soul.signals.field import View


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

    text: str = ''
    emotion: str = ''
    by: str = ''
    session: str = ''


@dataclass(frozen=True, slots=True)
class SpeakAnswer:
    """Answer to :class:`SpeakRequest`."""

    accepted: bool = False
    act_id: str = ''
    reason: str = ''


@dataclass(frozen=True, slots=True)
class LookRequest:
    """Look somewhere, and take a picture if asked; the outcome follows on guard/act."""

    direction: str = ''
    has_point: bool = False
    point: Point = Point()
    question: str = ''
    capture: bool = False
    by: str = ''
    session: str = ''


@dataclass(frozen=True, slots=True)
class LookAnswer:
    """Answer to :class:`LookRequest`."""

    accepted: bool = False
    act_id: str = ''
    reason: str = ''


@dataclass(frozen=True, slots=True)
class SleepRequest:
    """Send her to sleep or rest, from outside."""

    minutes: float = 0.0
    by: str = ''
    because: str = ''


@dataclass(frozen=True, slots=True)
class SleepAnswer:
    """Answer to :class:`SleepRequest`."""

    accepted: bool = False
    act_id: str = ''
    reason: str = ''


@dataclass(frozen=True, slots=True)
class AuthorizeRequest:
    """Ask for a one-shot grant before an outward act that the caller executes."""

    what: str = ''
    category: str = ''
    by: str = ''
    session: str = ''
    summary: str = ''


@dataclass(frozen=True, slots=True)
class AuthorizeAnswer:
    """Answer to :class:`AuthorizeRequest`."""

    granted: bool = False
    pending: bool = False
    act_id: str = ''
    expires: float = 0.0
    reason: str = ''


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    """Report how a granted act went."""

    act_id: str = ''
    state: str = ''
    detail: str = ''
    receipt: str = ''


@dataclass(frozen=True, slots=True)
class ReceiptAnswer:
    """Answer to :class:`ReceiptRequest`."""

    accepted: bool = False
    reason: str = ''


@dataclass(frozen=True, slots=True)
class DecideRequest:
    """Allow or deny what is pending."""

    id: str = ''
    allow: bool = False
    by: str = ''


@dataclass(frozen=True, slots=True)
class DecideAnswer:
    """Answer to :class:`DecideRequest`."""

    accepted: bool = False
    reason: str = ''


@dataclass(frozen=True, slots=True)
class PostRequest:
    """Put a message at her door. Accepted means: it is on the disk."""

    message: Message = Message()


@dataclass(frozen=True, slots=True)
class PostAnswer:
    """Answer to :class:`PostRequest`."""

    accepted: bool = False
    id: str = ''
    reason: str = ''


@dataclass(frozen=True, slots=True)
class AttendRequest:
    """Her attention. Answers with the new view, which is no new tick."""

    action: str = ''
    item: str = ''
    text: str = ''
    source: str = ''
    channel: str = ''
    minutes: float = 0.0


@dataclass(frozen=True, slots=True)
class AttendAnswer:
    """Answer to :class:`AttendRequest`."""

    ok: bool = False
    reason: str = ''
    view: View = View()


@dataclass(frozen=True, slots=True)
class RestRequest:
    """Let her rest."""

    minutes: float = 0.0
    forced: bool = False
    reason: str = ''


@dataclass(frozen=True, slots=True)
class RestAnswer:
    """Answer to :class:`RestRequest`."""

    accepted: bool = False
    reason: str = ''


@dataclass(frozen=True, slots=True)
class NudgeRequest:
    """Wake her now, with a reason in natural language."""

    reason: str = ''
    by: str = ''


@dataclass(frozen=True, slots=True)
class NudgeAnswer:
    """Answer to :class:`NudgeRequest`."""

    accepted: bool = False
    reason: str = ''


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """Look through the body's eye."""

    question: str = ''


@dataclass(frozen=True, slots=True)
class CaptureAnswer:
    """Answer to :class:`CaptureRequest`."""

    ok: bool = False
    reason: str = ''
    text: str = ''
    image: Picture = Picture()


@dataclass(frozen=True, slots=True)
class ExpressRequest:
    """Show a feeling on the face."""

    name: str = ''
    valence: float = 0.0
    arousal: float = 0.0


@dataclass(frozen=True, slots=True)
class ExpressAnswer:
    """Answer to :class:`ExpressRequest`."""

    ok: bool = False
    reason: str = ''


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """std_srvs/Trigger."""


@dataclass(frozen=True, slots=True)
class TriggerAnswer:
    """Answer to :class:`TriggerRequest`."""

    success: bool = False
    message: str = ''


@dataclass(frozen=True, slots=True)
class SetBoolRequest:
    """std_srvs/SetBool."""

    data: bool = False


@dataclass(frozen=True, slots=True)
class SetBoolAnswer:
    """Answer to :class:`SetBoolRequest`."""

    success: bool = False
    message: str = ''
