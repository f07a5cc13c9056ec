"""Answering people at the door."""

from __future__ import annotations

from pydantic import Field

from soul.mind.tools.base import Arguments, Hands, Result, Tool
from soul.signals import Message


class ReplyArguments(Arguments):
    """Arguments of reply."""

    text: str = Field(min_length=1, max_length=8000, description='Your answer.')
    message: str = Field(
        '', description='Which message: its [id] in the field; empty: the newest one waiting.'
    )


async def _reply(arguments: ReplyArguments, hands: Hands) -> Result:
    waiting = hands.view.messages
    message: Message | None = waiting[-1] if waiting else None
    if arguments.message:
        message = _find(arguments.message.strip('[] '), hands)
        if message is None:
            ids = ', '.join(_item_id(m, hands) for m in waiting) or 'none'
            return Result(
                f'No message {arguments.message!r} is waiting. Waiting: {ids}.', ok=False
            )
    reply = hands.reply(message, arguments.text)
    to = message.sender if message else 'whoever listens'
    return Result(f'You answered {to}.', receipt=reply.id)


def _find(wanted: str, hands: Hands) -> Message | None:
    for message in hands.view.messages:
        if wanted in (message.id, _item_id(message, hands)):
            return message
    return None


def _item_id(message: Message, hands: Hands) -> str:
    view = hands.view
    for item in (*view.close, *view.around):
        if item.key == message.id:
            return item.id
    # What is in focus lies in no ring; a message there reads as the field writes it.
    if view.focus_id and view.focus == f'{message.sender}: {message.text}':
        return view.focus_id
    return message.id


REPLY = Tool(
    name='reply',
    description='Answer a message at your door in writing.',
    arguments=ReplyArguments,
    run=_reply,
    routine=True,
)
