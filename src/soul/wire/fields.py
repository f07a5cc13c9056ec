"""Types of the fields of soul-serial, and the envelope that every message has.

Units on the wire: angles 0.1 degree, times ms, voltages mV, currents mA; acceleration m/s^2,
angular velocity rad/s, magnetic field uT, light lux, temperature degrees Celsius.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints


def _encodable(text: str) -> str:
    """Refuse lone surrogates: JSON can spell them, UTF-8 cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError('not encodable as UTF-8') from error
    return text


def _base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError('no base64') from error
    return text


clean = AfterValidator(_encodable)

Uint32 = Annotated[int, Field(ge=0, lt=2**32)]
Index = Annotated[int, Field(ge=0, le=9999)]
Millis = Annotated[int, Field(ge=0, lt=2**53)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=16), clean]
Short = Annotated[str, StringConstraints(max_length=16), clean]
Word = Annotated[str, StringConstraints(max_length=64), clean]
Text = Annotated[str, StringConstraints(max_length=4096), clean]
Base64 = Annotated[str, StringConstraints(max_length=4096), AfterValidator(_base64)]
#: Far beyond any servo's range: such angles are clamped by the device, not refused.
Angle = Annotated[float, Field(ge=-1e9, le=1e9)]
Rate = Annotated[float, Field(ge=0.0, le=100.0)]
Unit = Annotated[float, Field(ge=0.0, le=1.0)]
Signed = Annotated[float, Field(ge=-1.0, le=1.0)]
Reading = Annotated[float, Field(ge=-1e9, le=1e9)]
Zone = Annotated[int, Field(ge=0, le=3)]
# JSON has arrays only: a tuple is taken from one although the rest is strict.
Triple = Annotated[tuple[Reading, Reading, Reading], Field(strict=False)]
Zones = Annotated[tuple[Zone, Zone, Zone], Field(strict=False)]
Version = Annotated[tuple[Index, Index], Field(strict=False)]
Range = Annotated[tuple[Angle, Angle], Field(strict=False)]
Words = Annotated[tuple[Word, ...], Field(strict=False, max_length=64)]
Rgb = Annotated[
    tuple[
        Annotated[int, Field(ge=0, le=255)],
        Annotated[int, Field(ge=0, le=255)],
        Annotated[int, Field(ge=0, le=255)],
    ],
    Field(strict=False),
]


class Strict(BaseModel):
    """Nothing is converted, nothing is infinite, unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra='ignore', strict=True, allow_inf_nan=False)


class Frame(Strict):
    """What every message carries."""

    t: str
    q: Uint32
    sid: Short = ''
