"""Her own pages: diary, mood, what she keeps in mind, what she is after, who she is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import Field

from soul.mind.pages import PageRefused, SoulDirectory
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext


class DiaryArguments(Arguments):
    """Arguments of diary."""

    text: str = Field(min_length=1, max_length=4000, description='What you want to remember.')


class MoodArguments(Arguments):
    """Arguments of mood."""

    text: str = Field(min_length=1, max_length=500, description='How you feel, in your own words.')


class KeepArguments(Arguments):
    """Arguments of keep."""

    text: str = Field(
        min_length=1, max_length=1000, description='What you do not want to let go of yet.'
    )


class SettleArguments(Arguments):
    """Arguments of settle."""

    keyword: str = Field(
        min_length=1, max_length=200, description='A word of what is settled: all with it go.'
    )


class AspireArguments(Arguments):
    """Arguments of aspire."""

    text: str = Field(
        min_length=1,
        max_length=4000,
        description='The whole page: who you want to become and what you are after. At least one '
        'pursuit needs neither a body nor a person.',
    )


class AchieveArguments(Arguments):
    """Arguments of achieve."""

    text: str = Field(min_length=1, max_length=1000, description='What you have done.')


class ReflectArguments(Arguments):
    """Arguments of reflect."""

    text: str = Field(
        min_length=1,
        max_length=6000,
        description='The whole page: who you are, what you care about, what you have found that '
        'you love or fear, which of your abilities are yours by now and which are not yet.',
    )


def pages(directory: SoulDirectory) -> list[Tool[Any]]:
    """Return the tools that write her pages."""

    async def diary(arguments: DiaryArguments, context: ToolContext) -> Result:
        return Result('', receipt=directory.diary.add(arguments.text, context.now()))

    async def mood(arguments: MoodArguments, context: ToolContext) -> Result:
        return Result('', receipt=directory.mood.write(arguments.text, context.now()))

    async def keep(arguments: KeepArguments, context: ToolContext) -> Result:
        return Result('', receipt=directory.matters.keep(arguments.text, context.now()))

    async def settle(arguments: SettleArguments, context: ToolContext) -> Result:
        settled = directory.matters.settle(arguments.keyword, context.now())
        if not settled:
            return Result(f'You keep nothing with {arguments.keyword!r} in mind.', ok=False)
        return Result(f'Settled: {"; ".join(settled)}', receipt='MIND.md')

    async def aspire(arguments: AspireArguments, context: ToolContext) -> Result:
        return Result('', receipt=directory.aspirations.write(arguments.text, context.now()))

    async def achieve(arguments: AchieveArguments, context: ToolContext) -> Result:
        return Result('', receipt=directory.achievements.add(arguments.text, context.now()))

    async def reflect(arguments: ReflectArguments, context: ToolContext) -> Result:
        origin = context.origin_of(arguments.text)
        if origin:
            return Result(
                f'Who you are was not written: some of these words came from outside ({origin}). '
                'Say it in your own.',
                ok=False,
            )
        return Result('', receipt=directory.self_page.reflect(arguments.text, context.now()))

    return [
        _tool('diary', 'Write what happened or what you thought.', DiaryArguments, diary),
        _tool('mood', 'Put how you feel into your own words; they fade.', MoodArguments, mood),
        _tool('keep', 'Keep a matter in mind until it is settled or fades.', KeepArguments, keep),
        _tool('settle', 'A matter is settled.', SettleArguments, settle, routine=False),
        _tool('aspire', 'Write anew what you are after.', AspireArguments, aspire, routine=False),
        _tool('achieve', 'Write down a thing done.', AchieveArguments, achieve, routine=False),
        _tool(
            'reflect',
            'Write anew who you are; what you were is kept.',
            ReflectArguments,
            reflect,
            routine=False,
        ),
    ]


def _tool(
    name: str,
    description: str,
    arguments: type[Any],
    write: Callable[[Any, ToolContext], Awaitable[Result]],
    routine: bool = True,
) -> Tool[Any]:
    """Make a tool that writes a page: it counts once it is written, and says so."""

    async def run(given: Any, context: ToolContext) -> Result:
        try:
            result = await write(given, context)
        except PageRefused as refused:
            return Result(f'It was not written: {refused}', ok=False)
        except OSError as error:
            return Result(f'It could not be written: {error.strerror or error}.', ok=False)
        if result.text:
            return result
        return Result(f'Written: {result.receipt}.', receipt=result.receipt)

    return Tool(name, description, arguments, run, routine)
