"""What she does with her attention."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.signals import AttendAction, AttendRequest

#: What each action needs: an item, a text, or either.
NEEDS = {
    'focus': 'item, text or source',
    'hold': 'item',
    'release': 'item',
    'resolve': 'item',
    'note': 'text',
    'intend': 'text',
}


class AttendArguments(Arguments):
    """Arguments of attend."""

    action: Literal['focus', 'unfocus', 'hold', 'release', 'resolve', 'note', 'intend'] = Field(
        description='focus: look at something; unfocus: let your gaze wander; hold: keep it from '
        'fading (three at most); release; resolve: it is dealt with; note: a thought of your own; '
        'intend: something you mean to do.'
    )
    item: str = Field('', max_length=200, description='The [id] of something you see.')
    text: str = Field('', max_length=1000, description='A topic, a note or an intention.')
    source: str = Field('', max_length=200, description='For focus: everything from there.')

    @model_validator(mode='after')
    def _enough(self) -> AttendArguments:
        needs = NEEDS.get(self.action, '')
        if needs and not any(getattr(self, n) for n in needs.replace(' or', ',').split(', ')):
            raise ValueError(f'{self.action} needs {needs}')
        return self


async def _attend(arguments: AttendArguments, context: ToolContext) -> Result:
    refused = await context.attend(
        AttendRequest(
            action=arguments.action,
            item=arguments.item.strip('[] '),
            text=arguments.text,
            source=arguments.source,
        )
    )
    if refused:
        return Result(f'It did not work: {refused}.', ok=False)
    return Result(f'{arguments.action}: done.\n\n{context.view.text}'.strip(), receipt='field')


class ExpectArguments(Arguments):
    """Arguments of expect."""

    text: str = Field(min_length=1, max_length=500, description='What you expect to happen.')
    channel: Literal['door', 'bench', 'body'] = Field('door', description='Where it would show.')
    minutes: float = Field(30.0, description='Within how long: 1 to 1440.')


async def _expect(arguments: ExpectArguments, context: ToolContext) -> Result:
    refused = await context.attend(
        AttendRequest(
            action=AttendAction.EXPECT,
            text=arguments.text,
            channel=arguments.channel,
            within=60.0 * arguments.minutes,
        )
    )
    if refused:
        return Result(f'It did not work: {refused}.', ok=False)
    said = f' ({context.said})' if context.said else ''
    return Result(f'You will feel whether it comes true{said}.', receipt='field')


ATTEND = Tool(
    name='attend',
    description='Move your attention: what you focus comes close, the rest is arranged around it.',
    arguments=AttendArguments,
    run=_attend,
    routine=True,
)
EXPECT = Tool(
    name='expect',
    description='Expect something within a time: you feel it come true, or fail to.',
    arguments=ExpectArguments,
    run=_expect,
    routine=True,
)
