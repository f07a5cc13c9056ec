"""Writes the mind's memory when nothing waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from soul.mind.ports import Ports

#: After so much stillness, s of the node's clock.
QUIET_SECONDS = 2.0
#: ... and at the latest after this, though she is at something all the time, s.
LONGEST_SECONDS = 60.0


class LateSave:
    """What may be taken back by a crash, because the ledger has it, is written late.

    Parameters
    ----------
    save
        Writes the memory.
    busy
        Whether somebody waits for what she is at.
    unwritten
        Called with why it could not be written; it is tried again.
    """

    def __init__(
        self,
        ports: Ports,
        save: Callable[[], None],
        busy: Callable[[], bool],
        unwritten: Callable[[OSError], None],
    ) -> None:
        self._ports = ports
        self._save = save
        self._busy = busy
        self._unwritten = unwritten
        self._wanted = False
        self._again = False  # wanted once more meanwhile
        self._task: asyncio.Task[None] | None = None

    def want(self) -> None:
        """Let the memory be written soon. On the mind's event loop."""
        self._wanted = self._again = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._write_when_still())

    def now(self) -> None:
        """Write the memory now if that is wanted.

        Raises
        ------
        OSError
            If it cannot be written; it is still wanted then.
        """
        if self._wanted:
            self._save()
            self._wanted = False

    def close(self) -> None:
        """Write what is wanted, and wait for nothing any more."""
        if self._task is not None:
            self._task.cancel()
        try:
            self.now()
        except OSError as error:
            self._unwritten(error)

    async def _write_when_still(self) -> None:
        begun = self._ports.now()
        while self._wanted:
            self._again = False
            await self._ports.sleep(QUIET_SECONDS)
            still = not (self._again or self._busy())
            if not still and 0.0 <= self._ports.now() - begun < LONGEST_SECONDS:
                continue
            try:
                self.now()
            except OSError as error:
                self._unwritten(error)
