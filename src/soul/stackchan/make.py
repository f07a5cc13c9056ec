"""Makes the StackChan driver from what it is born with."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Protocol

from soul.core.context import OrganContext
from soul.core.organ import Report
from soul.core.stopping import watch_stop_file
from soul.signals import NudgeAnswer
from soul.stackchan.config import StackChanConfig
from soul.stackchan.discovery import MOCK, resolve
from soul.stackchan.link import LinkEvent, tell
from soul.stackchan.neck import no_frames
from soul.stackchan.serial_port import SerialPort
from soul.stackchan.session import Port
from soul.stackchan.stackchan import StackChan
from soul.store.stop_file import StopFile


def make(birth: OrganContext[StackChanConfig]) -> StackChan:
    """Make the driver, with the thread of its port and what takes nudges."""
    config, home = birth.config, birth.home

    def hand_over(event: LinkEvent) -> None:
        birth.inject(lambda now: tell(driver, event, port.is_current, now))

    port = _port(birth, hand_over)
    birth.on_close(port.shut_down)
    driver = StackChan(config, port, birth.rng, birth.stamped, birth.transform or no_frames)
    birth.inject(lambda now: driver.on_stop_file(StopFile(home.stop_file).read() is not None, now))
    watch_stop_file(birth, lambda content, now: driver.on_stop_file(content is not None, now))
    if config.nudge_port >= 0:
        _take_nudges(birth, driver)
    return driver


def is_steady(config: StackChanConfig) -> bool:
    """Whether the driver lives in monotonic real time, as a real wire does.

    The simulated device lives by the node's clock, so its driver does, too, however fast it runs.
    """
    return config.transport != 'serial' or config.port != MOCK


class _Port(Port, Protocol):
    """A port with the thread behind it."""

    def is_current(self, event: LinkEvent) -> bool:
        """Whether an event is not void."""

    def shut_down(self) -> None:
        """End the thread."""


def _port(birth: OrganContext[StackChanConfig], deliver: Callable[[LinkEvent], None]) -> _Port:
    config, home = birth.config, birth.home
    if config.transport == 'http':
        # Only who wants it pays for its libraries.
        from soul.stackchan.http_port import HttpPort

        token = os.environ.get(config.http_token_env, '')
        return HttpPort(
            config.http_url, config.http_endpoints, token, config.http_seconds,
            config.http_status_seconds, deliver,
        )  # fmt: skip
    if config.transport == 'xiaozhi':
        from soul.stackchan.xiaozhi_port import Listening, XiaozhiPort

        def listening(number: int) -> None:
            (home.run / 'xiaozhi_port').write_text(f'{number}\n', encoding='utf-8')
            told = Report('info', f'waiting for a device to dial port {number}')
            birth.inject(lambda now: (told,))

        home.ensure()
        how = Listening(
            config.xiaozhi_host, config.xiaozhi_port, config.xiaozhi_photo_port,
            os.environ.get(config.xiaozhi_token_env, ''), config.xiaozhi_rate,
            config.capture_timeout, config.libopus,
        )  # fmt: skip
        return XiaozhiPort(how, listening, deliver)
    return SerialPort(
        partial(resolve, config.port, config.usb_serial, home.body_link),
        deliver,
        config.baud,
        config.dtr,
        config.rts,
    )


def _take_nudges(birth: OrganContext[StackChanConfig], driver: StackChan) -> None:
    from soul.stackchan.nudge import NudgeServer

    def hand_over(reason: str, answer: Future[NudgeAnswer | None]) -> None:
        birth.inject(lambda now: driver.on_nudge(reason, answer))

    token = os.environ.get(birth.config.nudge_token_env, '')
    try:
        server = NudgeServer(birth.config.nudge_port, token, hand_over)
    except OSError as error:
        trouble = Report('error', f'no nudges: port {birth.config.nudge_port}: {error.strerror}')
        birth.inject(lambda now: (trouble,))
        return
    birth.on_close(server.close)
    birth.home.ensure()
    (birth.home.run / 'nudge_port').write_text(f'{server.port}\n', encoding='utf-8')
    told = Report('info', f'nudges are taken at http://127.0.0.1:{server.port}/nudge')
    birth.inject(lambda now: (told,))
