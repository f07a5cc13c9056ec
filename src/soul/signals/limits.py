"""What each field of a signal may hold: ranges, lengths and counts.

They stand in the annotations of the fields; `soul.core.border` reads them and checks whatever
comes in from outside. They are wide enough for everything the organs say to each other: a limit
that an organ has for reasons of its own (the longest message, the longest rest) is narrower and
stays with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

#: What becomes of a number beyond its range: the nearest one within, NaN, or the whole signal is
#: refused.
CLAMP, UNKNOWN, REFUSE = 'clamp', 'unknown', 'refuse'


@dataclass(frozen=True, slots=True)
class Within:
    """Range of a number.

    Parameters
    ----------
    low, high
        Bounds, both allowed.
    beyond
        What becomes of a number outside: CLAMP, UNKNOWN or REFUSE. With UNKNOWN, NaN fits.
    nan
        Whether NaN fits; where it does not it counts as 0, or is refused with REFUSE.
    """

    low: float
    high: float
    beyond: str = CLAMP
    nan: bool = False


@dataclass(frozen=True, slots=True)
class Chars:
    """Longest text, characters.

    Parameters
    ----------
    needed
        Whether a signal with a longer text is refused as a whole; otherwise the text is cut.
    name
        Whether it is a name: then it has only characters that can be seen.
    """

    most: int
    needed: bool = False
    name: bool = False


@dataclass(frozen=True, slots=True)
class Most:
    """So many entries (of a picture: bytes) at most; of a longer list the first ones count."""

    most: int


# --- texts ------------------------------------------------------------------------------------
#: A name or id as somebody gives it.
Name = Annotated[str, Chars(200)]
#: One without which the whole means something else: a shortened key is another thing's key.
NeededName = Annotated[str, Chars(200, needed=True)]
#: One of a few words, or a name that is shown to her.
Kind = Annotated[str, Chars(64, name=True)]
#: A few words to a sentence.
Line = Annotated[str, Chars(2000)]
NeededLine = Annotated[str, Chars(2000, needed=True)]
#: Sentences, an output, a file's beginning.
Text = Annotated[str, Chars(100_000)]
#: A whole view, a long message or reply.
Long = Annotated[str, Chars(1_000_000)]
NeededLong = Annotated[str, Chars(1_000_000, needed=True)]

# --- lists ------------------------------------------------------------------------------------
Ids = Annotated[tuple[Name, ...], Most(10_000)]
Kinds = Annotated[tuple[Kind, ...], Most(32)]
#: A picture, bytes.
Blob = Annotated[bytes, Most(32 << 20)]

# --- numbers ----------------------------------------------------------------------------------
#: A time: s since 1970 or of a monotonic clock, up to the year 5138.
Moment = Annotated[float, Within(0.0, 1e11)]
Seconds = Annotated[float, Within(0.0, 1e9)]
Share = Annotated[float, Within(0.0, 1.0)]
KnownShare = Annotated[float, Within(0.0, 1.0, UNKNOWN)]
#: From bad to good.
Sway = Annotated[float, Within(-1.0, 1.0)]
#: A cosine; not known where nothing is looked at.
Relatedness = Annotated[float, Within(-1.0, 1.0, nan=True)]
#: 1/h, or a factor.
Rate = Annotated[float, Within(0.0, 1e6)]
#: A number that is measured; whoever takes it looks at what it means.
Amount = Annotated[float, Within(-1e12, 1e12, nan=True)]
#: One that is asked for; the answer says what is allowed.
AnyAmount = Annotated[float, Within(-1e12, 1e12, nan=True)]
#: A sensor's reading in its own unit.
Reading = Annotated[float, Within(-1e6, 1e6, UNKNOWN)]
Celsius = Annotated[float, Within(-273.15, 10_000.0, UNKNOWN)]
Lux = Annotated[float, Within(-1e9, 1e9, UNKNOWN)]
#: rad
Angle = Annotated[float, Within(-100.0, 100.0, nan=True)]
KnownAngle = Annotated[float, Within(-100.0, 100.0, UNKNOWN)]
#: m
Metres = Annotated[float, Within(-1e7, 1e7, nan=True)]
#: An epoch or a sequence, as uint64 holds it.
Number = Annotated[int, Within(0, 2**64 - 1, REFUSE)]
Count = Annotated[int, Within(0, 2**32 - 1)]
Tokens = Annotated[int, Within(0, 10**15)]
#: USD
Cost = Annotated[float, Within(0.0, 1e9)]
#: NO, YES or UNKNOWN of `soul.signals.body`.
Three = Annotated[int, Within(-1, 1)]
#: A band of `soul.signals.body`.
Band4 = Annotated[int, Within(0, 4)]
