"""What a device with the xiaozhi firmware asks when it boots, and what it is answered.

It posts what it is and wants to know three things: what time it is, whether there is newer
firmware, and where to dial. It dials a WebSocket only if the answer names one and no MQTT server;
an activation is not asked of it. Some builds only get the address, without telling anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

#: With and without the stroke at the end: devices do not follow a redirection of a POST.
PATHS = ('/xiaozhi/ota', '/xiaozhi/ota/')
#: Where it is told to dial.
DIAL_PATH = '/xiaozhi/v1/'
#: Largest question, bytes.
MOST_BYTES = 16_384
#: Version of binary messages that it is told to use: sound without a header.
SOUND_VERSION = 1

_VERSION = re.compile(r'\d{1,4}(?:\.\d{1,4}){1,3}')
#: No device takes it for newer than what it has.
_OLDEST = '0.0.0'
_HOST = re.compile(r'(?:[0-9A-Za-z.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?')


def version_in(question: Mapping[str, Any] | None, user_agent: str) -> str:
    """Return the version of a device's firmware, as it tells it somehow."""
    application = (question or {}).get('application')
    told = application.get('version') if isinstance(application, dict) else None
    for text in (told, user_agent.rpartition('/')[2]):
        if isinstance(text, str) and _VERSION.fullmatch(text):
            return text
    return _OLDEST


def board_in(question: Mapping[str, Any] | None) -> str:
    """Return what a device says that it is built on; empty: it does not."""
    board = (question or {}).get('board')
    told = board.get('name') or board.get('type') if isinstance(board, dict) else None
    return told[:64] if isinstance(told, str) and told.isprintable() else ''


def place_in(host: str, local: str) -> str:
    """Return the host and port that a device has reached us at: what it has asked for counts.

    Between us there may be something that gives us another address.

    Parameters
    ----------
    host
        Its header.
    local
        Ours, where the header makes no sense.
    """
    return host if _HOST.fullmatch(host) else local


def answer(
    now: float, zone_minutes: int, version: str, place: str, token: str | None
) -> dict[str, Any]:
    """Return the answer.

    Parameters
    ----------
    now
        Unix time, s.
    zone_minutes
        What local time is ahead of UTC.
    version
        Of its firmware: it has the newest.
    place
        Host and port to dial.
    token
        What it is to send then; None: it is not told where to dial.
    """
    told: dict[str, Any] = {
        'server_time': {'timestamp': int(1000.0 * now), 'timezone_offset': zone_minutes},
        'firmware': {'version': version, 'url': ''},
    }
    if token is not None:
        told['websocket'] = {
            'url': f'ws://{place}{DIAL_PATH}', 'token': token, 'version': SOUND_VERSION,
        }  # fmt: skip
    return told
