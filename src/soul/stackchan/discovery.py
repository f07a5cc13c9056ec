"""Finds the serial port of a StackChan.

ttyACM numbers change with every plugging in, so the device is found by its USB ids and, where
there are several, by its USB serial number, which is its MAC.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from serial.tools import list_ports

#: USB vendor id of Espressif, whose native port the CoreS3 has.
VENDOR = 0x303A
#: Name for the simulated device of this home.
MOCK = 'mock'

BY_ID = Path('/dev/serial/by-id')


class PortMissingError(OSError):
    """There is no such port now."""


def resolve(port: str, usb_serial: str, body_link: Path) -> str:
    """Path of the port to open now.

    Parameters
    ----------
    port
        A path; empty: find one; `mock`: the simulated device behind `body_link`.
    usb_serial
        Which one it must be; empty: whichever is there.

    Raises:
    ------
    PortMissingError
        If there is none; says what was looked for.
    """
    if port == MOCK:
        return _simulated(body_link)
    if port:
        return _checked(port, usb_serial)
    found = [
        info.device
        for info in list_ports.comports()
        if info.vid == VENDOR and (not usb_serial or _same(info.serial_number, usb_serial))
    ]
    if not found:
        which = f' with serial number {usb_serial}' if usb_serial else ''
        raise PortMissingError(f'no StackChan on USB (vendor {VENDOR:04x}){which}')
    return _stable_name(sorted(found)[0])


def _checked(port: str, usb_serial: str) -> str:
    """Return the port, unless USB knows that another device than the wanted one is on it."""
    real = os.path.realpath(port)
    there = [info for info in list_ports.comports() if os.path.realpath(info.device) == real]
    known = there[0].serial_number if there else None
    if usb_serial and known and not _same(known, usb_serial):
        raise PortMissingError(f'on {port} is the device {known}, wanted is {usb_serial}')
    return port


def _simulated(link: Path) -> str:
    """Refuse a link left behind by a killed process: its terminal may be somebody else's."""
    missing = PortMissingError(f'the simulated device is not there ({link})')
    try:
        lock = os.open(link.with_name(link.name + '.lock'), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        raise missing from None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:  # it is held: the device lives
        try:
            return os.readlink(link)
        except OSError:
            raise missing from None
    finally:
        os.close(lock)
    raise missing


def _same(one: str | None, other: str) -> bool:
    plain = [(text or '').replace(':', '').casefold() for text in (one, other)]
    return plain[0] == plain[1]


def _stable_name(device: str) -> str:
    try:
        links = sorted(BY_ID.iterdir())
    except OSError:
        return device
    real = os.path.realpath(device)
    return next((str(link) for link in links if os.path.realpath(link) == real), device)
