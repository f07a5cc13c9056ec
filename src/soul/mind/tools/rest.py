"""Letting time pass: sleeping, waiting, and stopping herself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from soul.core.interfaces import LONGEST_REST_MINUTES
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.signals import TriggerRequest

#: Longest wait in mid-turn, minutes.
LONGEST_WAIT = 10.0


class SleepArguments(Arguments):
    """Arguments of sleep."""

    minutes: float | None = Field(
        None,
        ge=1,
        le=LONGEST_REST_MINUTES,
        description='How long you mean to rest; leave it out to let it come.',
    )
    curiosity: float | None = Field(
        None, ge=0, le=1, description='How curious this waking leaves you; leave it out mostly.'
    )


async def _sleep(arguments: SleepArguments, context: ToolContext) -> Result:
    minutes = arguments.minutes
    text = f'You let go for about {minutes:g} minutes.' if minutes else 'You let go.'
    left = {} if arguments.curiosity is None else {'curiosity': arguments.curiosity}
    return Result(text, rest_minutes=minutes or 0.0, drives=left, ends=True)


class WaitArguments(Arguments):
    """Arguments of wait."""

    minutes: float = Field(
        1.0, gt=0, le=LONGEST_WAIT, description='How long at most; somebody who speaks ends it.'
    )


async def _wait(arguments: WaitArguments, context: ToolContext) -> Result:
    if await context.wait(arguments.minutes * 60.0):
        return Result('Somebody spoke.')
    return Result('It stayed quiet.')


class ControlArguments(Arguments):
    """Arguments of loop_control."""

    action: Literal['rest', 'stop'] = Field(
        description='rest: sleep long because nothing is worth the strength; stop: be still '
        'until a person lets you go on.'
    )
    minutes: float = Field(60.0, ge=1, le=LONGEST_REST_MINUTES, description='For rest: how long.')


async def _control(arguments: ControlArguments, context: ToolContext) -> Result:
    if arguments.action == 'rest':
        return Result('You rest.', rest_minutes=arguments.minutes, ends=True)
    answer = await context.ask('stop', TriggerRequest())
    return Result(answer.message or 'You stop.', ok=answer.success, ends=answer.success)


SLEEP = Tool(
    name='sleep',
    description='End this waking and rest. Every waking ends with it.',
    arguments=SleepArguments,
    run=_sleep,
    routine=True,
)
WAIT = Tool(
    name='wait',
    description='Stay awake and let some time pass, for example until somebody answers.',
    arguments=WaitArguments,
    run=_wait,
    routine=True,
)
CONTROL = Tool(
    name='loop_control',
    description='Take a long rest, or stop yourself altogether.',
    arguments=ControlArguments,
    run=_control,
    routine=True,
)
