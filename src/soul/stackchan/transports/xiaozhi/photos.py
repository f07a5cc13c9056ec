"""The photos of a body with the xiaozhi firmware: it posts them, as it has been told to.

The address and a token are handed to the device when it dials in; a photo is the part `file` of
a form (multipart/form-data), sent while its tool `take_photo` is being called.
"""

from __future__ import annotations

import re

PATH = '/capture'
#: Largest form with a photo, bytes.
MOST_BYTES = 2_000_000

_JPEG = b'\xff\xd8'


def photo_in(content_type: str, body: bytes) -> bytes | None:
    """Return the JPEG that a form brings; None if there is none."""
    found = re.search(r'boundary="?([^";]+)"?', content_type)
    if not content_type.lower().startswith('multipart/form-data') or found is None:
        return None
    for part in (b'\r\n' + body).split(b'\r\n--' + found.group(1).encode('latin-1', 'replace')):
        head, gap, content = part.partition(b'\r\n\r\n')
        if gap and b'name="file"' in head:
            return content if content.startswith(_JPEG) else None
    return None
