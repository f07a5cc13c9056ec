"""Makes the StackChan driver from what it is born with."""

from __future__ import annotations

import os
from concurrent.futures import Future

from soul.core.context import OrganContext
from soul.core.organ import Report
from soul.core.stopping import watch_stop_file
from soul.signals import NudgeAnswer
from soul.stackchan.config import StackChanConfig
from soul.stackchan.discovery import MOCK
from soul.stackchan.neck import no_frames
from soul.stackchan.stackchan import StackChan
from soul.stackchan.transports.choose import choose
from soul.stackchan.transports.link import LinkNews
from soul.store.stop_file import StopFile


def make(birth: OrganContext[StackChanConfig]) -> StackChan:
    """Make the driver, with the thread of its port and what takes nudges."""
    config, home = birth.config, birth.home

    def hand_over(news: LinkNews) -> None:
        birth.inject(lambda now: driver.on_news(news, now))

    port, shut_down, desk = choose(birth, hand_over)
    birth.on_close(shut_down)
    driver = StackChan(config, port, birth.stamped, birth.transform or no_frames, desk)
    birth.inject(lambda now: driver.on_stop_file(StopFile(home.stop_file).read() is not None, now))
    watch_stop_file(birth, lambda content, now: driver.on_stop_file(content is not None, now))
    if config.voice:
        _give_voice(birth, driver)
    if config.nudge_port >= 0:
        _take_nudges(birth, driver)
    return driver


def is_steady(config: StackChanConfig) -> bool:
    """Whether the driver lives in monotonic real time, as a real wire does.

    The simulated device lives by the node's clock, so its driver does, too, however fast it runs.
    """
    return config.transport != 'serial' or config.port != MOCK


def _give_voice(birth: OrganContext[StackChanConfig], driver: StackChan) -> None:
    # only who wants it pays for its libraries
    from soul.stackchan.voicing import give_voice

    give_voice(birth, driver)


def _take_nudges(birth: OrganContext[StackChanConfig], driver: StackChan) -> None:
    from soul.stackchan.web.nudge import NudgeServer

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
