"""Several coroutines of which the first to end ends all."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any


async def first_completed(
    coroutines: Iterable[Coroutine[Any, Any, Any]], also: Iterable[asyncio.Future[Any]] = ()
) -> None:
    """Run coroutines until one of them, or of the futures in `also`, ends; cancel the others.

    Raises
    ------
    BaseException
        What ended it, if it was an exception.
    """
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait([*tasks, *also], return_when=asyncio.FIRST_COMPLETED)
        for ended in done:
            ended.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for task in tasks:  # several may have failed at once, and one of them is raised
            if not task.cancelled():
                task.exception()
