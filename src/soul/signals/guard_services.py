"""Requests and answers of the guard's services, `<Name>Request` and `<Name>Answer`.

Units and meanings stand beside the fields as in the soul_msgs interfaces of the same names.
"""

from __future__ import annotations

from dataclasses import dataclass

from soul.signals.common import Point
from soul.signals.limits import (
    AnyAmount,
    Kind,
    Line,
    Moment,
    Name,
    NeededLine,
    NeededName,
    Seconds,
    Text,
)


@dataclass(frozen=True, slots=True)
class SpeakRequest:
    """Say something aloud. Answers at once; the outcome follows on guard/act."""

    text: Text = ''
    emotion: Kind = ''  # neutral, happy, ...; empty: as it is
    by: Name = ''  # who asks
    session: Name = ''
    request_id: Name = ''  # unique; one that comes again is answered as before. Empty: each counts


@dataclass(frozen=True, slots=True)
class SpeakAnswer:
    """Answer to :class:`SpeakRequest`; the act has ended after `longest` s at the latest."""

    accepted: bool = False
    act_id: Name = ''
    reason: Line = ''  # why not
    longest: Seconds = 0.0  # s; accepted: the act has ended by then, counted from now


@dataclass(frozen=True, slots=True)
class LookRequest:
    """Look somewhere, and take a picture if asked; the outcome follows on guard/act."""

    direction: Name = ''  # one of the constants; empty: see point
    has_point: bool = False
    point: Point = Point()  # used if has_point
    question: Line = ''  # what she wants to know; for bodies that answer in text
    capture: bool = False  # take a picture
    by: Name = ''
    session: Name = ''
    request_id: Name = ''  # unique; one that comes again is answered as before. Empty: each counts


@dataclass(frozen=True, slots=True)
class LookAnswer:
    """Answer to :class:`LookRequest`; the act has ended after `longest` s at the latest."""

    accepted: bool = False
    act_id: Name = ''
    reason: Line = ''
    longest: Seconds = 0.0  # s; accepted: the act has ended by then, counted from now


@dataclass(frozen=True, slots=True)
class SleepRequest:
    """Send her to sleep or rest, from outside."""

    duration: AnyAmount = 0.0  # s; as long as the heart allows; zero: it decides
    by: Name = ''
    because: Line = ''
    request_id: Name = ''  # unique; one that comes again is answered as before. Empty: each counts


@dataclass(frozen=True, slots=True)
class SleepAnswer:
    """Answer to :class:`SleepRequest`."""

    accepted: bool = False
    act_id: Name = ''
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class AuthorizeRequest:
    """Ask for a one-shot grant before an outward act that the caller executes."""

    what: NeededLine = ''  # the tool
    category: NeededName = ''  # the guard's permission category
    by: Name = ''
    session: Name = ''
    summary: Text = ''  # what exactly, for people and the audit
    request_id: Name = ''  # unique; one that comes again is answered as before. Empty: each counts


@dataclass(frozen=True, slots=True)
class AuthorizeAnswer:
    """Answer to :class:`AuthorizeRequest`."""

    granted: bool = False
    pending: bool = False  # a person has to decide first; act anew once decided
    act_id: Name = ''  # the grant; used up by the receipt
    expires: Moment = 0.0  # s since 1970
    reason: Line = ''


@dataclass(frozen=True, slots=True)
class ReceiptRequest:
    """Report how a granted act went."""

    act_id: NeededName = ''
    state: Kind = ''  # one of the constants
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

    id: NeededName = ''  # of the Approval
    allow: bool = False
    by: Name = ''


@dataclass(frozen=True, slots=True)
class DecideAnswer:
    """Answer to :class:`DecideRequest`."""

    accepted: bool = False
    reason: Line = ''
