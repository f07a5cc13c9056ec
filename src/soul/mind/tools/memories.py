"""What she remembers."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from soul.mind.memory import Hit, Memory, MemoryRefused
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext

#: So many memories are shown for one question.
SHOWN = 8
OWN = 'self'


class RememberArguments(Arguments):
    """Arguments of remember."""

    text: str = Field(
        min_length=1, max_length=4000, description='One thing worth knowing later, by itself.'
    )
    topic: str = Field(
        '', max_length=200, description='Where it belongs, for example people/anna or garden.'
    )
    importance: float = Field(0.5, ge=0, le=1, description='How much it matters.')
    always: bool = Field(
        False, description='Whether you want to know it always, without looking it up.'
    )


class RecallArguments(Arguments):
    """Arguments of recall."""

    query: str = Field(min_length=1, max_length=500, description='What it is about.')


class ForgetArguments(Arguments):
    """Arguments of forget."""

    what: str = Field(
        min_length=1, max_length=500, description='The [mark] of a memory, or words that it holds.'
    )


def memories(memory: Memory) -> list[Tool[Any]]:
    """Return the tools of her memory."""

    async def remember(given: RememberArguments, context: ToolContext) -> Result:
        origin = context.origin_of(given.text) or OWN
        try:
            kept = memory.remember(
                given.text,
                origin,
                context.now(),
                given.importance,
                given.topic,
                given.always and origin == OWN,
            )
        except MemoryRefused as refused:
            return Result(f'It was not kept: {refused}.', ok=False)
        words = 'You knew that already; it is fresh again.' if kept.merged else 'You will know.'
        if origin != OWN:
            words += f' It is kept as something from outside ({origin}).'
        return Result(f'{words} [{kept.id}]', receipt=f'memory {kept.id}')

    async def recall(given: RecallArguments, context: ToolContext) -> Result:
        hits = memory.recall(given.query, context.now(), SHOWN)
        if not hits:
            return Result(f'Nothing comes to mind about {given.query!r}.')
        lines = [f'[{hit.id}] {hit.entry.path}: {_whose(hit)}{hit.entry.text}' for hit in hits]
        return Result('\n'.join(lines))

    async def forget(given: ForgetArguments, context: ToolContext) -> Result:
        try:
            gone = memory.forget(given.what.strip('[] '))
        except MemoryRefused as refused:
            return Result(f'Nothing was forgotten: {refused}.', ok=False)
        if not gone:
            return Result(f'You remember nothing of {given.what!r}.', ok=False)
        return Result(f'Forgotten: {"; ".join(entry.text for entry in gone)}', receipt='memory')

    return [
        Tool(
            'remember',
            'Keep something you know in your notes, for any later time.',
            RememberArguments,
            remember,
            routine=True,
        ),
        Tool('recall', 'Look something up in your notes.', RecallArguments, recall, routine=True),
        Tool(
            'forget', 'Let go of something in your notes.', ForgetArguments, forget, routine=True
        ),
    ]


def _whose(hit: Hit) -> str:
    """Say where a memory comes from that is not her own."""
    others = [origin for origin in hit.entry.origins if origin != OWN]
    return f'({", ".join(others)}) ' if others else ''
