"""Answering people at the door."""

from __future__ import annotations

from pydantic import Field

from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.signals import Message


class ReplyArguments(Arguments):
    """Arguments of reply."""

    text: str = Field(min_length=1, max_length=8000, description='Your answer.')
    message: str = Field(
        '', description='Which message: its [id] in the field; empty: the one that waits longest.'
    )


async def _reply(arguments: ReplyArguments, context: ToolContext) -> Result:
    waiting = context.waiting_messages
    seen = context.view.messages
    message: Message | None = next(iter([*waiting, *seen[::-1]]), None)
    if arguments.message:
        message = _find(arguments.message.strip('[] '), context)
        if message is None:
            ids = ', '.join(_item_id(m, context) for m in waiting) or 'none'
            return Result(
                f'No message {arguments.message!r} is waiting. Waiting: {ids}.', ok=False
            )
    reply = context.reply(message, arguments.text)
    to = message.sender if message else 'whoever listens'
    return Result(f'You answered {to}.', receipt=reply.id)


def _find(wanted: str, context: ToolContext) -> Message | None:
    """Find a message by its handle or its id; a handle is what she sees, so it comes first.

    Anybody may choose an id: one that looks like the handle of another message must not catch
    what is meant for that.
    """
    messages = context.view.messages
    by_handle = [m for m in messages if _item_id(m, context) == wanted]
    return next(iter([*by_handle, *(m for m in messages if m.id == wanted)]), None)


def _item_id(message: Message, context: ToolContext) -> str:
    """Return the handle of a message; its id if it has none (it is too far away to see)."""
    view = context.view
    if view.focus_id and view.focus_key == message.id:
        return view.focus_id
    return next(
        (i.id for i in (*view.close, *view.around) if i.key == message.id and i.id), message.id
    )


REPLY = Tool(
    name='reply',
    description='Answer a message at your door in writing.',
    arguments=ReplyArguments,
    run=_reply,
    routine=True,
)
