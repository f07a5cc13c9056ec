"""The journal of the door, and which of its entries are none."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from soul.core.organ import Record
from soul.signals import Message

JOURNAL = 'door'
_FIELDS = dataclasses.fields(Message)


def message_record(message: Message, durable: bool, joins: str = '') -> Record:
    """Return what is written down of a message.

    Parameters
    ----------
    durable
        Whether it must be on the disk before anything follows.
    joins
        Id of the message that it becomes a part of; empty: it stands alone.
    """
    entry = {'kind': 'message', 'message': dataclasses.asdict(message)}
    return Record(JOURNAL, entry | ({'joins': joins} if joins else {}), durable)


def unfit(entry: Mapping[str, Any]) -> str:
    """Say why an entry of the journal is none of the door's; empty: it is one."""
    kind = entry.get('kind')
    if kind == 'message':
        if not isinstance(entry.get('joins', ''), str):
            return 'it does not say which message it is a part of'
        return _unfit_message(entry.get('message'))
    if kind == 'seen':
        ids = entry.get('ids')
        whole = isinstance(ids, list) and all(isinstance(one, str) for one in ids)
        return '' if whole else 'it does not say what was seen'
    if kind == 'reply':
        reply = entry.get('reply')
        whole = (
            isinstance(reply, dict)
            and isinstance(reply.get('in_reply_to'), str)
            and isinstance(reply.get('id', ''), str)
        )
        return '' if whole else 'it does not say what it replies to'
    return ''


def _unfit_message(plain: Any) -> str:
    if not isinstance(plain, dict):
        return 'it holds no message'
    try:
        message = Message(**plain)
    except (TypeError, ValueError) as error:
        return f'its message is none: {error}'
    for field in _FIELDS:
        value = getattr(message, field.name)
        if type(value) is int and type(field.default) is float:
            continue
        if type(value) is not type(field.default):
            return f'{field.name} of its message is {value!r:.40}'
    return '' if message.id else 'its message has no id'
