"""Where a person begins a pairing and looks how far it is."""

from __future__ import annotations

import ipaddress
from typing import Protocol

from soul.signals import PairAction, PairAnswer, PairRequest
from soul.stackchan.pairing.admission import Admission
from soul.stackchan.pairing.ota import DIAL_PATH, PATHS
from soul.stackchan.pairing.register import device_id


class OpenPort(Protocol):
    """The port that a device dials."""

    @property
    def port(self) -> int:
        """Its number; 0: it is not open yet."""

    @property
    def trouble(self) -> str:
        """Why it is not open where it should be, for people; empty: it is."""

    @property
    def host(self) -> str:
        """The address that it is open at in any case."""

    def listen_at(self, address: str) -> None:
        """Open it at a further address, for as long as a pairing goes on or has succeeded.

        Raises
        ------
        OSError
            If that cannot be.
        """

    def tidy(self) -> None:
        """Close it at addresses that no pairing needs any more."""

    def send_away(self, device: str) -> None:
        """Hang up if it is this device that is on the line."""


class PairingDesk:
    """Answers a person; on the driver's thread.

    Parameters
    ----------
    admission
        Who may dial.
    port
        What is opened for the time of a pairing.
    """

    def __init__(self, admission: Admission, port: OpenPort) -> None:
        self._admission = admission
        self._port = port

    @property
    def expects(self) -> bool:
        """Whether a device that is paired may dial at any time."""
        return bool(self._admission.register.devices)

    def answer(self, request: PairRequest) -> PairAnswer:
        """Do what is asked, and tell how things are."""
        match request.what:
            case PairAction.BEGIN:
                reason = self._begin(request.address.strip())
            case PairAction.LOOK:
                reason = ''
            case PairAction.END:
                self._admission.end()
                self._port.tidy()
                reason = ''
            case PairAction.FORGET:
                reason = self._forget(request.device)
            case what:
                reason = f'{what!r} is none of begin, look, end, forget'
        return self._told(reason)

    def _begin(self, address: str) -> str:
        if not self._port.port:
            why = self._port.trouble or 'it has only just been started'
            return f'nothing can dial yet: {why}. It is tried again, and so should you'
        if address and (reason := _unfit(address, self._port.host)):
            return reason
        try:
            if address:
                self._port.listen_at(address)
        except OSError as error:
            return str(error.strerror or error)
        self._admission.begin(address, self._ask_url(address))
        self._port.tidy()
        return ''

    def _forget(self, device: str) -> str:
        name = device_id(device)
        try:
            known = self._admission.forget(name)
        except OSError as error:
            return f'it cannot be written down: {error.strerror or error}'
        self._port.send_away(name)
        self._port.tidy()
        return '' if known else f'{device!r} is not paired'

    def _told(self, reason: str) -> PairAnswer:
        window, left = self._admission.window, self._admission.seconds_left
        devices = self._admission.register.devices
        if window is None:
            return PairAnswer(not reason, reason, paired=devices)
        return PairAnswer(
            not reason, reason, left > 0.0, left, self._ask_url(window.address),
            f'ws://{self._place(window.address)}{DIAL_PATH}', window.token, window.device,
            window.joined, tuple(window.steps), window.missing, devices,
        )  # fmt: skip

    def _ask_url(self, address: str) -> str:
        return f'http://{self._place(address)}{PATHS[-1]}'

    def _place(self, address: str) -> str:
        host = address or self._port.host
        return f'{f"[{host}]" if ":" in host else host}:{self._port.port}'


def _unfit(address: str, host: str) -> str:
    """Say why nobody should listen at an address; empty if one may."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return f'{address!r} is no address, as 192.168.1.20 is one'
    if found.is_unspecified:
        return 'one address is opened, not all: name the one of your local network'
    if found.is_loopback and address == host:
        return f'{address} is this machine, for nobody else: `soul body pair --here` pairs there'
    if not (found.is_private or found.is_link_local):
        return f'{address} is an address of the internet: only the local network is opened'
    return ''
