"""`soul body pair`: lets one device in, and tells what happens and what is missing."""

from __future__ import annotations

import io
import time
from collections.abc import Callable

from soul.cli.control import NotDone
from soul.signals import PairAction, PairAnswer, PairRequest
from soul.terminal.link import Link, NobodyThere

SERVICE = 'body/pair'
#: How often it is looked how far it is, s.
LOOK_SECONDS = 1.0

_NO_DRIVER = 'her driver is not there: `soul up --body xiaozhi` starts her with a body that dials'


class Pairing:
    """Pairs a device with her driver.

    Parameters
    ----------
    write
        Prints lines for people.
    pause
        Waits for so many seconds.
    """

    def __init__(
        self,
        link: Link,
        write: Callable[[str], None],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._link = link
        self._write = write
        self._pause = pause

    def pair(self, address: str, others: tuple[str, ...] = ()) -> str:
        """Pair a device; returns what came of it.

        Parameters
        ----------
        address
            Of this machine, where the device finds it; empty: only this machine itself.
        others
            Further addresses of this machine, which are only mentioned.

        Raises
        ------
        NobodyThere
            If there is no driver.
        NotDone
            If no device has come in time, or it cannot be begun.
        """
        answer = self._ask(PairRequest(PairAction.BEGIN, address))
        self._tell_where(answer, address, others)
        told, missing = 0, ''
        try:
            while True:
                for step in answer.steps[told:]:
                    self._write(f'  {step}')
                told = len(answer.steps)
                if answer.missing != missing and answer.missing:
                    self._write(f'  -> {answer.missing}')
                missing = answer.missing
                if answer.joined:
                    return f'{answer.device} is hers now; it may dial whenever it likes'
                if not answer.waiting:
                    raise NotDone(f'nobody was paired: {missing or "nothing has come"}')
                left = answer.seconds_left
                self._pause(LOOK_SECONDS)
                answer = self._ask(PairRequest(PairAction.LOOK))
                if answer.seconds_left > left:
                    raise NotDone('ended: somebody began another pairing, which goes on instead')
        except KeyboardInterrupt:
            self._ask(PairRequest(PairAction.END))
            hers = answer.device in answer.paired
            known = f'{answer.device} may dial whenever it likes' if hers else ''
            raise NotDone(f'ended; {known or "nobody was paired"}') from None

    def paired(self) -> tuple[str, ...]:
        """Return the devices that may dial."""
        return self._ask(PairRequest(PairAction.LOOK)).paired

    def forget(self, device: str) -> str:
        """Let a device in no more; returns what came of it."""
        self._ask(PairRequest(PairAction.FORGET, device=device))
        return f'{device} may not dial any more'

    def _ask(self, request: PairRequest) -> PairAnswer:
        try:
            answer: PairAnswer = self._link.call(SERVICE, request)
        except NobodyThere:
            raise NobodyThere(_NO_DRIVER) from None
        if not answer.ok:
            raise NotDone(answer.reason)
        return answer

    def _tell_where(self, answer: PairAnswer, address: str, others: tuple[str, ...]) -> None:
        self._write(
            f'Let the device ask at this address (its OTA address):\n\n  {answer.ask_url}\n'
        )
        self._write(qr(answer.ask_url))
        if address:
            self._write(f'{address} is open to the local network while this waits, and stays open')
            self._write('for the device that comes.')
        else:
            self._write('Only devices on this machine can come.')
        if others:
            self._write(f'Not the right network? --address {" or ".join(others)}')
        self._write(
            'Firmware that does not ask dials '
            f'{answer.dial_url} with the token {answer.token}\n'
            f'Waiting for {answer.seconds_left / 60.0:.0f} minutes; Ctrl-C ends it.\n'
        )


def qr(text: str) -> str:
    """Return a QR code that a terminal shows; empty where the package segno is missing."""
    try:
        import segno
    except ImportError:
        return ''
    drawn = io.StringIO()
    segno.make(text, error='m', micro=False).terminal(drawn, compact=True)
    return drawn.getvalue()
