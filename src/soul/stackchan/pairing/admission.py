"""Who may dial, and who is told the token that is needed for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from soul.stackchan.pairing.register import Register
from soul.stackchan.pairing.window import PairingWindow, Windows
from soul.stackchan.web.requests import same

_WAKE = 'it knows where to dial now: say its wake word, or tap its screen'


@dataclass(frozen=True)
class Caller:
    """Who is at the door.

    Attributes
    ----------
    device
        As :func:`~soul.stackchan.pairing.register.device_id` gives it.
    host
        Where it comes from.
    near
        Whether that is this machine itself.
    """

    device: str
    host: str
    near: bool


class Admission:
    """Decides it; may be asked on any thread.

    On this machine nobody needs a token unless one is set. Everybody else needs one: the one that
    is set, or that of a paired device. A token is told only to its own device.

    Parameters
    ----------
    register
        Who is paired.
    token
        One that lets any device in, as set by the owner; empty: there is none.
    """

    def __init__(
        self,
        register: Register,
        token: str = '',
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.register = register
        self._token = token
        self._mutex = threading.Lock()
        self._windows = Windows(clock)

    # --- the pairing ----------------------------------------------------------------------

    def begin(self, address: str, ask: str) -> PairingWindow:
        """Let one device in for a while.

        Parameters
        ----------
        address
            Where it is listened for because of that.
        ask
            The address of the question that a device asks when it boots.
        """
        with self._mutex:
            window = self._windows.begin(address)
            window.missing = f'no device has asked yet: let it ask {ask}, and switch it off and on'
            return window

    def end(self) -> None:
        """Let nobody in any more who is not paired."""
        with self._mutex:
            self._windows.end()

    def forget(self, device: str) -> bool:
        """Let a device in no more, also if it is being paired; returns whether it was known.

        Raises
        ------
        OSError
            If that cannot be written; then nothing has changed.
        """
        with self._mutex:
            known = self.register.forget(device)
            window = self._windows.current
            if window is not None and window.device == device:
                self._windows.end()
            return known

    @property
    def window(self) -> PairingWindow | None:
        """The pairing under way, or the last one."""
        return self._windows.last

    @property
    def waits(self) -> bool:
        """Whether a pairing is under way."""
        return self._windows.current is not None

    @property
    def seconds_left(self) -> float:
        """How long it goes on, s."""
        return self._windows.seconds_left

    # --- at the door ----------------------------------------------------------------------

    def token_for(self, caller: Caller) -> str | None:
        """Return what a device is told to send when it dials; None: it is told nothing.

        The first one that asks during a pairing is told the token of that. It is paired when it
        dials with it: whoever only asks is nobody's when the pairing ends.
        """
        with self._mutex:
            if known := self.register.token_of(caller.device):
                if (window := self._windows.current) is not None and not window.device:
                    window.device, window.token = caller.device, known
                self._note(caller, f'{caller.device} asked where to dial, and was told', _WAKE)
                return known
            window = self._windows.current
            if window is not None and window.device in ('', caller.device):
                window.device = caller.device  # it is hers once it has dialled
                self._note(caller, f'{caller.device} asked where to dial, and was told', _WAKE)
                return window.token
            if window is not None:
                window.note(
                    f'{caller.device} asked, too; only one device is paired at a time',
                    window.missing,
                )
            return '' if caller.near and not self._token else None

    def may_dial(self, caller: Caller, sent: str) -> bool:
        """Whether a device that sends a token is let in.

        Raises
        ------
        OSError
            If it would be paired by that and cannot be remembered.
        """
        with self._mutex:
            window = self._windows.current
            wanted = window is not None and window.device in ('', caller.device)
            known = same(sent, self.register.token_of(caller.device))
            named = same(sent, self._token) or (
                window is not None and wanted and same(sent, window.token)
            )
            near = caller.near and not self._token
            if known or named or near:
                # a pairing for the local network is not for whoever lives on this machine
                if window is not None and wanted and (named or not (known or window.address)):
                    self._pair(window, caller)
                self._note(caller, f'{caller.device} dialled', 'it has not said hello yet')
                return True
            if window is not None:
                what = 'with another token' if sent else 'without a token'
                window.note(
                    f'{caller.device} dialled from {caller.host} {what}, and was not let in',
                    f'a device that does not ask where to dial must be given the token '
                    f'{window.token}'
                    if not window.device
                    else window.missing,
                )
            return False

    def joined(self, device: str, what: str) -> None:
        """A device has dialled and said what it is."""
        with self._mutex:
            window = self._windows.current
            if window is None or window.device not in ('', device):
                return
            if self.register.token_of(device):
                window.device, window.joined = device, True
                window.note(f'{device} is here: {what}', '')

    def _pair(self, window: PairingWindow, caller: Caller) -> None:
        self.register.add(caller.device, window.token, window.address)
        window.device = caller.device

    def _note(self, caller: Caller, step: str, missing: str) -> None:
        window = self._windows.current
        if window is not None and window.device == caller.device:
            window.note(step, '' if window.joined else missing)
