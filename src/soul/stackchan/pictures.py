"""Pictures from outside, looked at before anybody decodes them.

A small file can hold a picture that takes gigabytes: its size stands at its beginning.
"""

from __future__ import annotations

import io
import warnings

from PIL import Image, UnidentifiedImageError

#: More points than any camera of such a body has.
MOST_PIXELS = 16_000_000


class BadPicture(ValueError):
    """It is no picture, or too large a one; says which."""


def checked(data: bytes) -> Image.Image:
    """Return a picture that is opened and not decoded yet.

    Raises
    ------
    BadPicture
        If it is none that may be decoded.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('error', Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(data))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise BadPicture('the picture is too large') from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise BadPicture('that is no picture') from error
    if picture.width * picture.height > MOST_PIXELS:
        size = f'{picture.width} x {picture.height}'
        picture.close()
        raise BadPicture(f'the picture is too large: {size}')
    return picture


def as_jpeg(data: bytes) -> bytes:
    """Return a picture as JPEG, whatever it came as.

    Raises
    ------
    BadPicture
        If it is none, or too large.
    """
    with checked(data) as picture:
        if picture.format == 'JPEG':
            return data
        output = io.BytesIO()
        try:
            picture.convert('RGB').save(output, 'jpeg', quality=85)
        except (OSError, ValueError, SyntaxError) as error:
            raise BadPicture('the picture cannot be read') from error
    return output.getvalue()
