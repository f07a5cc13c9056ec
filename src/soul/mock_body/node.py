"""The simulated device as a ROS node: ROS only pokes it, the rest goes over the pty."""

from __future__ import annotations

from soul.birth import Birth
from soul.mock_body.config import MockBodyConfig
from soul.mock_body.mock_body import MockBody
from soul.mock_body.pty import PtySocket
from soul.ros.organ import OrganSpec
from soul.ros.runner import run


def _build(birth: Birth[MockBodyConfig]) -> MockBody:
    socket = PtySocket(
        birth.home.body_link,
        lambda data: birth.inject(lambda now: body.on_bytes(data, now)),
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
