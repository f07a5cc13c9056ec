"""Makes the port that the parameters name, with the thread behind it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from soul.core.context import OrganContext
from soul.core.organ import Report
from soul.stackchan.config import StackChanConfig
from soul.stackchan.discovery import resolve
from soul.stackchan.transports.direct_session import DirectBody, DirectSession
from soul.stackchan.transports.link import LinkNews
from soul.stackchan.transports.port import BodyPort
from soul.stackchan.transports.remote import RemoteBody
from soul.stackchan.transports.serial_port import SerialPort
from soul.stackchan.transports.serial_session import ByteLine, SerialSession
from soul.wire import schema

if TYPE_CHECKING:
    from soul.stackchan.pairing.desk import PairingDesk

Deliver = Callable[[LinkNews], None]


def over_line(config: StackChanConfig, line: ByteLine, rng: random.Random) -> SerialSession:
    """Return a port over a line of bytes."""
    want = schema.Want(
        joint=config.joint_hz, imu=config.imu_hz, power=config.power_hz, env=config.env_hz
    )
    backoff = (config.backoff_min, config.backoff_max)
    return SerialSession(line, want, backoff, rng, config.usb_serial)


def over_body(config: StackChanConfig, body: DirectBody, rng: random.Random) -> DirectSession:
    """Return a port to a body that is reached directly."""
    return DirectSession(body, (config.backoff_min, config.backoff_max), rng)


def choose(
    birth: OrganContext[StackChanConfig], deliver: Deliver
) -> tuple[BodyPort, Callable[[], None], PairingDesk | None]:
    """Make the port that the parameters name.

    Parameters
    ----------
    deliver
        Is told what its thread finds out, on that thread.

    Returns
    -------
    tuple
        The port, what ends its thread, and where devices are paired; None: there are none.
    """
    config = birth.config
    if config.transport == 'serial':
        line = SerialPort(
            partial(resolve, config.port, config.usb_serial, birth.home.body_link),
            deliver,
            config.baud,
            config.dtr,
            config.rts,
        )
        return over_line(config, line, birth.rng), line.shut_down, None
    if config.transport == 'http':
        body: RemoteBody = _http(birth, deliver)
        return over_body(config, body, birth.rng), body.shut_down, None
    body, desk = _xiaozhi(birth, deliver)
    return over_body(config, body, birth.rng), body.shut_down, desk


def _http(birth: OrganContext[StackChanConfig], deliver: Deliver) -> RemoteBody:
    # Only who wants it pays for its libraries.
    from soul.stackchan.transports.http_body import HttpBody

    config = birth.config
    token = os.environ.get(config.http_token_env, '')
    return HttpBody(
        config.http_url, config.http_endpoints, token, config.http_seconds,
        config.http_status_seconds, deliver,
    )  # fmt: skip


def _xiaozhi(
    birth: OrganContext[StackChanConfig], deliver: Deliver
) -> tuple[RemoteBody, PairingDesk]:
    from soul.stackchan.pairing.admission import Admission
    from soul.stackchan.pairing.desk import PairingDesk
    from soul.stackchan.pairing.register import Register
    from soul.stackchan.transports.xiaozhi.server import Listening, XiaozhiServer

    config, home = birth.config, birth.home

    def listening(number: int) -> None:
        (home.run / 'xiaozhi_port').write_text(f'{number}\n', encoding='utf-8')
        told = Report('info', f'waiting for a device to dial port {number}')
        birth.inject(lambda now: (told,))

    home.ensure()
    register = Register(home.path / 'paired.json')
    admission = Admission(register, os.environ.get(config.xiaozhi_token_env, ''))
    how = Listening(
        config.xiaozhi_host, config.xiaozhi_port, config.xiaozhi_rate, config.capture_timeout,
        config.libopus, config.xiaozhi_mdns,
    )  # fmt: skip
    server = XiaozhiServer(how, admission, listening, deliver)
    return server, PairingDesk(admission, server)
