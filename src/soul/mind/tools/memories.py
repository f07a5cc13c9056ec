"""What she remembers."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from soul.mind.memory import Hit, Memory, MemoryRefused
from soul.mind.memory.index_rows import PAGES
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.text.stamps import stamp

#: So many memories are shown for one question.
SHOWN = 8
#: Longer entries of her pages are cut to the part that was looked for, characters.
LONGEST = 1000
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
        return Result('\n'.join(_line(hit, memory) for hit in hits))

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
        Tool(
            'recall',
            'Look something up in your notes, your diary, what you have done and settled, and who '
            'you were.',
            RecallArguments,
            recall,
            routine=True,
        ),
        Tool(
            'forget', 'Let go of something in your notes.', ForgetArguments, forget, routine=True
        ),
    ]


def _line(hit: Hit, memory: Memory) -> str:
    """Write a memory: mark, where it stands, since when, whose it is, and what it says.

    An entry of her pages has no mark, for it cannot be forgotten, and is cut where it is long.
    """
    when = stamp(hit.entry.at, memory.zone)
    if not hit.entry.path.startswith(PAGES):
        return f'[{hit.id}] {hit.entry.path}, {when}: {_whose(hit)}{hit.text}'
    text = hit.text if len(hit.text) <= LONGEST else hit.snippet
    return f'{hit.entry.path.removeprefix(PAGES)}, {when}: {_whose(hit)}{text}'


def _whose(hit: Hit) -> str:
    """Say where a memory comes from that is not her own."""
    others = [origin for origin in hit.entry.origins if origin != OWN]
    return f'({", ".join(others)}) ' if others else ''
