"""Outward acts that the mind carries out itself: a grant from the guard, the act, the receipt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from soul.mind.acts import BY
from soul.mind.ports import NoAnswer
from soul.mind.tools.base import Result, ToolContext
from soul.signals import ActState, AuthorizeRequest, ReceiptRequest


@dataclass(frozen=True)
class Executed:
    """How an act went."""

    text: str  # what she reads
    state: str = ActState.DONE
    receipt: str = ''  # proof that it happened; only if done
    seen: str = ''  # what it showed her
    routine: bool | None = None


async def granted(
    context: ToolContext,
    what: str,
    category: str,
    summary: str,
    act: Callable[[], Awaitable[Executed]],
) -> Result:
    """Carry out an act once, if the guard grants it; it always learns how it went.

    Parameters
    ----------
    summary
        What exactly is done, for people and the audit.
    act
        Does it. Must not raise; an end in doubt is told as `uncertain`.
    """
    request = AuthorizeRequest(what, category, BY, context.session, summary)
    grant = await context.ask('guard/authorize', request)
    if grant.pending:
        return Result(
            f'A person has to allow this first ({grant.reason}). Nothing happened; when it is '
            'decided, you will be told and can do it then.',
            ok=False,
            act_id=grant.act_id,
        )
    if not grant.granted:
        return Result(f'You may not: {grant.reason}.', ok=False, act_id=grant.act_id)
    done = Executed('', ActState.UNCERTAIN)
    try:
        done = await act()
    finally:
        # Also when she is cut: the guard must not wait for a receipt that never comes.
        await _tell(context, grant.act_id, done)
    return Result(
        done.text,
        ok=done.state == ActState.DONE,
        receipt=(done.receipt or grant.act_id) if done.state == ActState.DONE else '',
        act_id=grant.act_id,
        seen=done.seen,
        routine=done.routine,
    )


async def _tell(context: ToolContext, act_id: str, done: Executed) -> None:
    detail = done.text[:500]
    receipt = (done.receipt or act_id) if done.state == ActState.DONE else ''
    telling = asyncio.ensure_future(
        context.ask('guard/receipt', ReceiptRequest(act_id, done.state, detail, receipt))
    )
    try:
        await asyncio.shield(telling)
    except NoAnswer:
        return  # the grant runs out and counts as uncertain
