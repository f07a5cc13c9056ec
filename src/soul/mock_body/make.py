"""Makes the simulated device from what it is born with."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from soul.core.context import OrganContext
from soul.core.organ import StartRefused
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.mock_body.pty import PtySocket


def make(birth: OrganContext[MockBodyConfig]) -> MockBody:
    """Make the simulated device, with the thread of its line.

    Raises
    ------
    StartRefused
        If another process has a simulated device in this home.
    """

    def deliver(what: Any) -> None:
        birth.inject(lambda now: body.on_bytes(what, now))

    serial = birth.config.flavour == 'soul_serial'
    socket = _terminal(birth, deliver) if serial else _dialler(birth, deliver)
    birth.on_close(socket.close)
    body = MockBody(birth.config, birth.rng, socket, birth.home.run / 'device.jsonl')
    birth.on_close(body.close)
    return body


def _terminal(birth: OrganContext[MockBodyConfig], deliver: Callable[[bytes], None]) -> PtySocket:
    try:
        return PtySocket(birth.home.body_link, deliver)
    except BlockingIOError as taken:
        raise StartRefused(f'mock_body: {taken.filename}: {taken.strerror}') from None


def _dialler(birth: OrganContext[MockBodyConfig], deliver: Callable[[Any], None]) -> Any:
    # Only who wants it pays for its libraries.
    from soul.mock_body.asking_dialler import AskingDialler
    from soul.mock_body.dialler import Dialler

    config, known = birth.config, birth.home.run / 'xiaozhi_port'

    def place() -> str:
        # An OSError means that the driver is not up yet.
        return f'127.0.0.1:{known.read_text(encoding="utf-8").strip()}'

    headers = {
        'Device-Id': config.uid, 'Client-Id': 'soul-mock',
        'Protocol-Version': str(config.sound_version),
    }  # fmt: skip
    if config.flavour == 'official':
        return AskingDialler(
            lambda: config.ota_url or f'http://{place()}/xiaozhi/ota/', headers, deliver
        )
    if token := os.environ.get(config.xiaozhi_token_env, ''):
        headers['Authorization'] = f'Bearer {token}'
    return Dialler(lambda: config.xiaozhi_url or f'ws://{place()}', headers, deliver)
