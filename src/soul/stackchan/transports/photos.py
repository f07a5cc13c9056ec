"""Takes the photos of a body with the xiaozhi firmware: it posts them, as its server tells it.

The address and a token are handed to the device when it dials in; a photo is the part `file` of
a form (multipart/form-data), sent while its tool `take_photo` is being called.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from soul.stackchan.http_server import HttpServer, TooLarge, body_of, refusal

PATH = '/capture'
_MOST_BYTES = 2_000_000
_JPEG = b'\xff\xd8'


class PhotoServer(HttpServer):
    """An HTTP server for photos.

    Parameters
    ----------
    take
        Is given the bearer token and the JPEG, on the server's thread; returns whether anybody
        wants it.
    """

    def __init__(self, host: str, port: int, take: Callable[[str, bytes], bool]) -> None:
        self._take = take
        super().__init__(host, port, [Route(PATH, self._photo, methods=['POST'])], 'photos')

    async def _photo(self, request: Request) -> JSONResponse:
        token = request.headers.get('authorization', '').removeprefix('Bearer ')
        try:
            body = await body_of(request, _MOST_BYTES)
        except TooLarge:
            return refusal(413, 'too large')
        photo = file_in(request.headers.get('content-type', ''), body)
        if photo is None or not photo.startswith(_JPEG):
            return refusal(400, 'a JPEG is needed, as the part "file" of a form')
        if not self._take(token, photo):
            return refusal(403, 'nobody has asked for a photo')
        return JSONResponse({'success': True, 'response': 'the photo has arrived'})


def file_in(content_type: str, body: bytes) -> bytes | None:
    """Find the part `file` of a form; None if there is none."""
    found = re.search(r'boundary="?([^";]+)"?', content_type)
    if not content_type.startswith('multipart/form-data') or found is None:
        return None
    for part in (b'\r\n' + body).split(b'\r\n--' + found.group(1).encode('latin-1')):
        head, gap, content = part.partition(b'\r\n\r\n')
        if gap and b'name="file"' in head:
            return content
    return None
