"""Her own pages: the diary and her words about how she feels."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import Field

from soul.mind.tools.base import Arguments, Hands, Result, Tool
from soul.store.text import append_text, replace_text


class DiaryArguments(Arguments):
    """Arguments of diary."""

    text: str = Field(min_length=1, max_length=4000, description='What you want to remember.')


class MoodArguments(Arguments):
    """Arguments of mood."""

    text: str = Field(min_length=1, max_length=500, description='How you feel, in your own words.')


def diary(folder: Path) -> Tool[DiaryArguments]:
    """The tool that writes DIARY.md."""

    async def write(arguments: DiaryArguments, hands: Hands) -> Result:
        when = datetime.fromtimestamp(hands.now()).astimezone()
        entry = f'## {when:%Y-%m-%d %H:%M}\n\n{arguments.text.strip()}\n\n'
        append_text(folder / 'DIARY.md', entry, heading='# Diary\n\n')
        return Result('It is in your diary.', receipt=f'DIARY.md {when:%Y-%m-%d %H:%M}')

    return Tool(
        name='diary',
        description='Write something that happened, or that you thought, into your diary.',
        arguments=DiaryArguments,
        run=write,
        routine=True,
    )


def mood(folder: Path) -> Tool[MoodArguments]:
    """The tool that writes MOOD.md."""

    async def write(arguments: MoodArguments, hands: Hands) -> Result:
        when = datetime.fromtimestamp(hands.now()).astimezone()
        text = f'# Mood\n\n{when.isoformat(timespec="minutes")}\n\n{arguments.text.strip()}\n'
        replace_text(folder / 'MOOD.md', text)
        return Result('You have put it into words.', receipt=f'MOOD.md {when:%Y-%m-%d %H:%M}')

    return Tool(
        name='mood',
        description='Put how you feel into your own words; it fades by itself.',
        arguments=MoodArguments,
        run=write,
        routine=True,
    )
