"""A model server that is started again at the same address whenever it has died."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from soul.core.backoff import Backoff
from soul.local.errors import LocalModelError
from soul.local.server import ModelServer

#: First and longest pause before it is started again, s.
PAUSES = 1.0, 60.0
#: How often it is looked whether it still runs, s.
LOOK_SECONDS = 0.5


class KeptServer:
    """Starts a server and keeps it running, on a thread of its own, until it is closed.

    Parameters
    ----------
    words
        The command, as for :class:`ModelServer`; ``--port`` and a number are added for a start at
        the address of before.
    tell
        Hears that it died and that it is back.
    pauses
        First and longest pause before a new start, s.

    Raises
    ------
    LocalModelError
        If it does not start the first time.
    """

    def __init__(
        self,
        words: Sequence[str],
        tell: Callable[[str], None],
        pauses: tuple[float, float] = PAUSES,
    ) -> None:
        self._words = list(words)
        self._tell = tell
        self._backoff = Backoff(*pauses)
        self._closed = threading.Event()
        self._server = ModelServer(words).ready()
        self.base_url = self._server.base_url
        self._thread = threading.Thread(target=self._keep, name='model server', daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """Process id of the server that runs now, or ran last."""
        return self._server.pid

    def _keep(self) -> None:
        while not self._closed.wait(LOOK_SECONDS):
            why = self._server.death()
            if why:
                self._server.close()
                self._tell(f'the local model has ended ({why}); it is started again')
                self._again()

    def _again(self) -> None:
        port = urlsplit(self._server.address).port
        while not self._closed.wait(self._backoff.next()):
            try:
                server = ModelServer([*self._words, '--port', str(port)])
                self._server = server.ready(stopped=self._closed.is_set)
            except (LocalModelError, OSError) as error:
                self._tell(f'{error}; it is tried again')
                continue
            self._backoff.reset()
            self._tell('the local model is back')
            return

    def close(self) -> None:
        """End it for good."""
        self._closed.set()
        self._thread.join()
        self._server.close()
