"""The simulated device as a ROS node: ROS only pokes it, the rest goes over the pty."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from soul.core.context import OrganContext
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.mock_body.pty import PtySocket
from soul.ros.organ import OrganSpec
from soul.ros.runner import run


def _dialler(birth: OrganContext[MockBodyConfig], deliver: Callable[[Any], None]) -> Any:
    # Only who wants it pays for its libraries.
    from soul.mock_body.dialler import Dialler

    config, known = birth.config, birth.home.run / 'xiaozhi_port'

    def url() -> str:
        # An OSError means that the driver is not up yet.
        port = config.xiaozhi_url or known.read_text(encoding='utf-8').strip()
        return config.xiaozhi_url or f'ws://127.0.0.1:{port}'

    headers = {'Device-Id': config.uid, 'Client-Id': 'soul-mock', 'Protocol-Version': '1'}
    if token := os.environ.get(config.xiaozhi_token_env, ''):
        headers['Authorization'] = f'Bearer {token}'
    return Dialler(url, headers, deliver)


def _build(birth: OrganContext[MockBodyConfig]) -> MockBody:
    def deliver(what: Any) -> None:
        birth.inject(lambda now: body.on_bytes(what, now))

    socket = (
        _dialler(birth, deliver)
        if birth.config.transport == 'xiaozhi'
        else PtySocket(birth.home.body_link, deliver)
    )
    birth.on_close(socket.close)
    body = MockBody(birth.config, birth.rng, socket, birth.home.run / 'device.jsonl')
    birth.on_close(body.close)
    return body


SPEC = OrganSpec(
    name='mock_body',
    organ=MockBody,
    config=MockBodyConfig,
    build=_build,
    hardware_id='stackchan-simulated',
)


def main() -> int:
    """Run the simulated device alone in this process."""
    return run([SPEC])
