"""What the firmwares that speak xiaozhi do differently; which one it is, its tools show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from soul.stackchan.transports.xiaozhi.faces import OFFICIAL, XIAOZHI
from soul.stackchan.transports.xiaozhi.tools import Tools


@dataclass(frozen=True)
class FirmwareKind:
    """How one of them behaves.

    Attributes
    ----------
    name
        For people.
    sleeps
        It hangs up at the end of a conversation and dials when somebody wakes it; others dial
        again by themselves.
    emotions
        The driver's faces as words of the message `llm`; empty: its face is a tool's.
    failed_read
        Yaw and pitch in degrees that it tells when it could not read where the head is; None: it
        says so.
    face_ends
        The end of a speech resets its face.
    """

    name: str
    sleeps: bool
    emotions: Mapping[str, str]
    failed_read: tuple[float, float] | None = None
    face_ends: bool = False


STACKCHAN_MCP = FirmwareKind('stackchan-mcp', sleeps=False, emotions={})
OFFICIAL_STACKCHAN = FirmwareKind(
    'xiaozhi for StackChan', sleeps=True, emotions=OFFICIAL, failed_read=(-128.0, 0.0),
    face_ends=True,
)  # fmt: skip
PLAIN = FirmwareKind('xiaozhi', sleeps=True, emotions=XIAOZHI)


def firmware_of(tools: Tools) -> FirmwareKind:
    """Return which one has these tools."""
    if tools.avatar:
        return STACKCHAN_MCP
    return OFFICIAL_STACKCHAN if tools.turn_head else PLAIN
