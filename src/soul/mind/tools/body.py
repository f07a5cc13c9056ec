"""Mouth and eyes: what goes outward through the guard."""

from __future__ import annotations

import math
from collections.abc import Iterable

from pydantic import Field, model_validator

from soul.mind.acts import BY
from soul.mind.ports import NoAnswer
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.mind.tools.granted import Executed, granted
from soul.signals import (
    NO,
    UNKNOWN,
    YES,
    Act,
    ActState,
    BodyState,
    ExpressRequest,
    LookRequest,
    SpeakRequest,
)

#: Beside the limit that the guard names: some time to hear how it ended, s.
WORD_SECONDS = 5.0
#: A guard that has just been started anew is found within this, s.
ASK_SECONDS = 10.0


class SpeakArguments(Arguments):
    """Arguments of speak."""

    text: str = Field(min_length=1, max_length=1000, description='What you say aloud.')
    emotion: str = Field('', description='neutral, happy, sad, surprised, sleepy, angry or doubt')


async def _speak(arguments: SpeakArguments, context: ToolContext) -> Result:
    request = SpeakRequest(arguments.text, arguments.emotion, BY, context.session)
    answer = await context.ask('speak', request, ASK_SECONDS)
    if not answer.accepted:
        return Result(f'You did not say it: {answer.reason}.', ok=False)
    act = await context.act_ended(answer.act_id, answer.longest + WORD_SECONDS)
    return _outcome(act, answer.act_id, 'You said it aloud.', 'You may have said it')


class LookArguments(Arguments):
    """Arguments of look."""

    direction: str = Field('', description='left, right, up, down or ahead; empty: where you look')
    question: str = Field('', max_length=500, description='What you want to know.')

    @model_validator(mode='after')
    def _something(self) -> LookArguments:
        if not self.direction and not self.question:
            self.question = 'What is there?'
        return self


async def _look(arguments: LookArguments, context: ToolContext) -> Result:
    request = LookRequest(
        direction=arguments.direction,
        question=arguments.question,
        capture=True,
        by=BY,
        session=context.session,
    )
    answer = await context.ask('look', request, ASK_SECONDS)
    if not answer.accepted:
        return Result(f'You did not look: {answer.reason}.', ok=False)
    act = await context.act_ended(answer.act_id, answer.longest + WORD_SECONDS)
    return _outcome(act, answer.act_id, 'You looked.', 'You may have looked', shows=True)


def _outcome(act: Act | None, act_id: str, done: str, maybe: str, shows: bool = False) -> Result:
    if act is None or act.state == ActState.UNCERTAIN:
        why = act.detail if act else 'no word came back'
        return Result(f'{maybe}: {why}. It is not repeated.', ok=False, act_id=act_id)
    if act.state != ActState.DONE:
        return Result(f'It did not happen: {act.detail or act.state}.', ok=False, act_id=act_id)
    seen = act.detail if shows else ''
    text = f'{done} {seen}'.strip()
    pictures = tuple((image.format.split(';')[0].strip(), image.data) for image in act.images)
    return Result(text, receipt=act.receipt, act_id=act_id, seen=seen, pictures=pictures)


class StatusArguments(Arguments):
    """Arguments of body_status."""


async def _status(arguments: StatusArguments, context: ToolContext) -> Result:
    body = context.body
    if body is None or body.connected == UNKNOWN:
        return Result('You have no body at the moment.')
    lines = [] if body.connected else ['Your body does not answer; this is what it felt last.']
    lines += [f'{name}: {value}' for name, value in _senses(body)]
    if body.feelings:
        lines.append(f'It feels {", ".join(body.feelings)}.')
    return Result('\n'.join(lines))


def _senses(body: BodyState) -> Iterable[tuple[str, str]]:
    """What the body senses, in words; what it cannot sense is unknown, never zero."""
    for name, value, unit, scale in (
        ('battery', body.charge, ' %', 100.0),
        ('temperature', body.temperature, ' degrees Celsius', 1.0),
        ('light', body.illuminance, ' lux', 1.0),
        ("the computer's load", body.cpu, ' %', 100.0),
        ("the computer's memory in use", body.memory, ' %', 100.0),
        ("the computer's storage in use", body.disk, ' %', 100.0),
    ):
        yield name, 'unknown' if math.isnan(value) else f'{value * scale:.0f}{unit}'
    for name, known in (
        ('charging', body.charging),
        ('held in hands', body.picked_up),
        ('at rest', body.still),
        ('screen on', body.screen_on),
        ('online', body.online),
    ):
        yield name, {YES: 'yes', NO: 'no'}.get(known, 'unknown')


class ExpressArguments(Arguments):
    """Arguments of express."""

    name: str = Field(
        '',
        max_length=40,
        description='neutral, happy, sad, surprised, sleepy, angry or doubt; empty: by the '
        'numbers.',
    )
    valence: float = Field(0.0, ge=-1, le=1, description='From misery to delight.')
    arousal: float = Field(0.0, ge=0, le=1, description='From calm to excited.')


async def _express(arguments: ExpressArguments, context: ToolContext) -> Result:
    wanted = arguments.name or f'valence {arguments.valence:g}, arousal {arguments.arousal:g}'

    async def act() -> Executed:
        request = ExpressRequest(arguments.name, arguments.valence, arguments.arousal)
        try:
            answer = await context.ask('body/express', request, ASK_SECONDS)
        except NoAnswer as silence:
            state = ActState.UNCERTAIN if silence.lost else ActState.FAILED
            return Executed(f'{silence}.', state)
        if not answer.ok:
            return Executed(f'Your face did not change: {answer.reason}.', ActState.FAILED)
        return Executed('It shows on your face.')

    return await granted(context, 'express', 'expression', wanted, act)


SPEAK = Tool(
    name='speak',
    description='Say something aloud with your own voice, to whoever is in the room.',
    arguments=SpeakArguments,
    run=_speak,
    routine=False,
    category='speech',
)
LOOK = Tool(
    name='look',
    description='Turn your head and look. It costs a little; curiosity is worth it.',
    arguments=LookArguments,
    run=_look,
    routine=False,
    category='gaze',
    origin='body',
)
STATUS = Tool(
    name='body_status',
    description='Feel what your body tells you: battery, warmth, light, whether it is held.',
    arguments=StatusArguments,
    run=_status,
    routine=True,
)
EXPRESS = Tool(
    name='express',
    description='Show a feeling on your face.',
    arguments=ExpressArguments,
    run=_express,
    routine=False,
    category='expression',
)
