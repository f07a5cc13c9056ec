"""The form in which a photo is posted, in pieces of unknown number, as small devices do."""

from __future__ import annotations

from collections.abc import AsyncIterator

_BOUNDARY = '----ESP32_CAMERA_BOUNDARY'
CONTENT_TYPE = f'multipart/form-data; boundary={_BOUNDARY}'
_PIECE = 1024  # bytes


async def pieces(question: str, jpeg: bytes) -> AsyncIterator[bytes]:
    """Yield the form with the question and the file `camera.jpg`."""
    yield (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="question"\r\n\r\n{question}\r\n'
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; '
        'filename="camera.jpg"\r\nContent-Type: image/jpeg\r\n\r\n'
    ).encode()
    for start in range(0, len(jpeg), _PIECE):
        yield jpeg[start : start + _PIECE]
    yield f'\r\n--{_BOUNDARY}--\r\n'.encode()
