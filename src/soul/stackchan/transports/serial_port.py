"""A serial port on a thread of its own: nothing the organ calls ever blocks.

Opening, reading and whatever does not fit into the device's buffer at once happen on the
thread; it sleeps in poll() until there is something to do. What it learns is handed over by
`deliver`, which must be thread-safe.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import threading
from collections.abc import Callable

import serial

from soul.stackchan.transports.link import LinkNews, Lost, Received, Up
from soul.wire.backlog import Backlog

_CHUNK = 65_536
_BACKLOG = 256 * 1024  # bytes that may wait for a device that does not read


class SerialPort:
    """A serial port that can be opened again and again.

    Parameters
    ----------
    resolve
        Names the path to open; called on the thread, may raise OSError.
    deliver
        Is told what happens; called on the thread.
    baud
        Bits per second.
    dtr, rts
        Levels of the control lines. They are never pulsed: that would reset the device.
    """

    def __init__(
        self,
        resolve: Callable[[], str],
        deliver: Callable[[LinkNews], None],
        baud: int,
        dtr: bool = False,
        rts: bool = False,
    ) -> None:
        self._resolve = resolve
        self._deliver = deliver
        self._baud = baud
        self._dtr = dtr
        self._rts = rts
        self._mutex = threading.Lock()
        self._openings = 0
        self._wanted = 0  # the opening that is wanted; 0: none
        self._to_serve = 0  # the same until the thread has seen to it
        self._file = -1
        self._backlog = Backlog(_BACKLOG)
        self._ending = False
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        self._thread = threading.Thread(target=self._run, name='serial_port', daemon=True)
        self._thread.start()

    def open(self) -> int:
        """Begin to open the port; returns the number of this opening, from 1."""
        with self._mutex:
            self._openings += 1
            opening = self._wanted = self._to_serve = self._openings
        self._wake()
        return opening

    def close(self) -> None:
        """Close the port; what it still tells is void."""
        with self._mutex:
            self._wanted = self._to_serve = 0
            self._backlog.reset()
        self._wake()

    def write(self, data: bytes, urgent: bool = False) -> None:
        """Send bytes, urgent ones before all that waits; never blocks."""
        with self._mutex:
            if self._file < 0:
                return
            self._backlog.add(data, urgent)
            self._flush()
            left = bool(self._backlog)
        if left:
            self._wake()

    @property
    def waiting(self) -> int:
        """How much waits to be sent, bytes."""
        return self._backlog.waiting

    def shut_down(self) -> None:
        """Close the port and join the thread; nothing is delivered afterwards."""
        self._ending = True
        self.close()
        self._thread.join()
        os.close(self._wake_read)
        os.close(self._wake_write)

    # --- the thread -----------------------------------------------------------------------

    def _run(self) -> None:
        while not self._ending:
            with self._mutex:
                opening, self._to_serve = self._to_serve, 0
            if opening:
                self._serve(opening)
            else:
                self._sleep(-1, False)

    def _serve(self, opening: int) -> None:
        try:
            port = self._open()
        except OSError as error:  # a SerialException is one, too
            self._deliver(Lost(opening, _words(error)))
            return
        try:
            with self._mutex:
                if self._wanted != opening:
                    return
                self._backlog.reset()
                self._file = port.fileno()
            self._deliver(Up(opening))
            self._read(opening, port.fileno())
        finally:
            with self._mutex:
                self._file = -1
            port.close()

    def _open(self) -> serial.Serial:
        port = serial.Serial()
        port.port = self._resolve()
        port.baudrate = self._baud
        port.exclusive = True
        port.timeout = 0
        port.dtr = self._dtr
        port.rts = self._rts
        port.open()
        return port

    def _read(self, opening: int, file: int) -> None:
        while True:
            with self._mutex:
                if self._wanted != opening:
                    return
                sending = bool(self._backlog)
            events = self._sleep(file, sending)
            if events & select.POLLOUT:
                with self._mutex:
                    self._flush()
            if not events & ~select.POLLOUT:
                continue
            try:
                data = os.read(file, _CHUNK)
            except BlockingIOError:
                continue
            except OSError as error:  # ENODEV, EIO: unplugged or reset
                self._deliver(Lost(opening, _words(error)))
                return
            if not data:
                self._deliver(Lost(opening, 'the port was closed by the other side'))
                return
            self._deliver(Received(opening, data))

    def _sleep(self, file: int, sending: bool) -> int:
        """Sleep until there is something to do; returns what poll() says of `file`."""
        poll = select.poll()
        poll.register(self._wake_read, select.POLLIN)
        if file >= 0:
            poll.register(file, select.POLLIN | (select.POLLOUT if sending else 0))
        ready = dict(poll.poll())
        if self._wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake_read, 4096)
        return ready.get(file, 0)

    # --- with the mutex held --------------------------------------------------------------

    def _flush(self) -> None:
        # Whoever reads finds out that nobody is there, and tells.
        if self._file >= 0:
            with contextlib.suppress(OSError):
                self._backlog.flush(self._file)

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it is awake enough
            os.write(self._wake_write, b'.')


def _words(error: OSError) -> str:
    """Say in words what went wrong with the port."""
    words = error.strerror or str(error)
    if error.errno == errno.EACCES:
        words += ' (is the user in the group dialout?)'
    return words
