"""Finding the port of a StackChan."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from serial.tools import list_ports

from soul.stackchan import discovery
from soul.stackchan.discovery import PortMissingError, resolve

LINK = Path('/nowhere/body.pty')


@pytest.fixture
def usb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Three ports, two of them StackChans, and their names by id."""
    ports = [
        SimpleNamespace(device=str(tmp_path / name), vid=vid, serial_number=serial)
        for name, vid, serial in (
            ('ttyUSB0', 0x10C4, 'x'), ('ttyACM3', 0x303A, '02:50:0C:00:00:02'),
            ('ttyACM1', 0x303A, '02500C000001'), ('ttyS0', None, None),
        )
    ]  # fmt: skip
    monkeypatch.setattr(list_ports, 'comports', lambda: ports)
    by_id = tmp_path / 'by-id'
    by_id.mkdir()
    (tmp_path / 'ttyACM3').touch()
    (by_id / 'usb-Espressif_3').symlink_to(tmp_path / 'ttyACM3')
    monkeypatch.setattr(discovery, 'BY_ID', by_id)
    return tmp_path


def test_a_given_path_is_taken_as_it_is():
    assert resolve('/dev/ttyACM7', '', LINK) == '/dev/ttyACM7'


def test_it_is_found_by_its_usb_ids(usb: Path):
    assert resolve('', '', LINK) == str(usb / 'ttyACM1')


@pytest.mark.parametrize('serial', ['02:50:0c:00:00:02', '02500C000002'])
def test_it_is_found_by_its_serial_number_under_a_stable_name(usb: Path, serial: str):
    assert resolve('', serial, LINK) == str(usb / 'by-id' / 'usb-Espressif_3')


def test_what_is_not_there_is_named(usb: Path):
    with pytest.raises(PortMissingError, match=r'303a.*AA:BB'):
        resolve('', 'AA:BB', LINK)
    with pytest.raises(PortMissingError, match='simulated'):
        resolve('mock', '', LINK)


def test_a_given_port_with_another_device_is_refused(usb: Path):
    given = str(usb / 'ttyACM3')
    assert resolve(given, '02:50:0c:00:00:02', LINK) == given
    with pytest.raises(PortMissingError, match=r'02:50:0C:00:00:02, wanted is 02500C000001'):
        resolve(given, '02500C000001', LINK)
    assert resolve(str(usb / 'ttyS0'), 'AA:BB', LINK).endswith('ttyS0'), 'USB knows nothing of it'
