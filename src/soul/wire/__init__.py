"""soul-serial 1.0: the words between a host and a body, used on both sides of the wire."""

from soul.wire.frame import (
    MAX_FRAME,
    Decoder,
    FrameError,
    crc16,
    encode,
)
from soul.wire.schema import (
    DEVICE_FRAMES,
    HOST_FRAMES,
    BadFieldError,
    SchemaError,
    UnsupportedError,
    parse,
)
from soul.wire.sequence import Sequence

__all__ = [
    'BadFieldError',
    'DEVICE_FRAMES',
    'Decoder',
    'FrameError',
    'HOST_FRAMES',
    'MAX_FRAME',
    'SchemaError',
    'Sequence',
    'UnsupportedError',
    'crc16',
    'encode',
    'parse',
]
