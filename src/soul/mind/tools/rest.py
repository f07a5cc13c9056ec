"""Going to sleep."""

from __future__ import annotations

from pydantic import Field

from soul.mind.tools.base import Arguments, Hands, Result, Tool


class SleepArguments(Arguments):
    """Arguments of sleep."""

    minutes: float | None = Field(
        None, ge=1, le=240, description='How long you mean to rest; leave it out to let it come.'
    )


async def _sleep(arguments: SleepArguments, hands: Hands) -> Result:
    minutes = arguments.minutes
    text = f'You let go for about {minutes:g} minutes.' if minutes else 'You let go.'
    return Result(text, rest_minutes=minutes or 0.0, ends=True)


SLEEP = Tool(
    name='sleep',
    description='End this waking and rest. Every waking ends with it.',
    arguments=SleepArguments,
    run=_sleep,
    routine=True,
)
