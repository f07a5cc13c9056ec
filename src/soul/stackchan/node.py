"""The StackChan driver as a ROS node."""

from __future__ import annotations

from functools import partial

from soul.ros.organ import Birth, OrganSpec
from soul.ros.runner import run
from soul.stackchan.config import StackChanConfig
from soul.stackchan.discovery import resolve
from soul.stackchan.link import LinkEvent, tell
from soul.stackchan.serial_port import SerialPort
from soul.stackchan.stackchan import StackChan
from soul.store.stop_file import StopFile


def _build(birth: Birth[StackChanConfig]) -> StackChan:
    config, home = birth.config, birth.home

    def hand_over(event: LinkEvent) -> None:
        birth.inject(lambda now: tell(driver, event, port.is_current, now))

    port = SerialPort(
        partial(resolve, config.port, config.usb_serial, home.body_link),
        hand_over,
        config.baud,
        config.dtr,
        config.rts,
    )
    birth.on_close(port.shut_down)
    driver = StackChan(config, port, birth.rng)
    stop_file = StopFile(home.stop_file)
    birth.inject(lambda now: driver.on_stop_file(stop_file.read() is not None, now))
    stop_file.watch(
        lambda content: birth.inject(lambda now: driver.on_stop_file(content is not None, now))
    )
    birth.on_close(stop_file.close)
    return driver


SPEC = OrganSpec(
    name='stackchan',
    organ=StackChan,
    config=StackChanConfig,
    build=_build,
    managed=True,
    hardware_id='stackchan',
)


def main() -> int:
    """Run the driver alone in this process."""
    return run([SPEC])
