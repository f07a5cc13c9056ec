"""A thought she wants to share, and letting go of it once she has."""

from __future__ import annotations

from pydantic import Field, model_validator

from soul.mind.shares import LONGEST, Shares
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext


class ShareArguments(Arguments):
    """Arguments of share."""

    thought: str = Field('', max_length=LONGEST, description='What you want to tell somebody.')
    told: str = Field(
        '', max_length=LONGEST, description='Words of a thought that you have told by now.'
    )

    @model_validator(mode='after')
    def _something(self) -> ShareArguments:
        if not (self.thought.strip() or self.told.strip()):
            raise ValueError('give thought or told')
        return self


def share(shares: Shares) -> Tool[ShareArguments]:
    """The tool that keeps thoughts to share."""

    async def run(arguments: ShareArguments, context: ToolContext) -> Result:
        said = []
        if arguments.told.strip():
            gone = shares.shared(arguments.told.strip())
            said.append('You have told it.' if gone else 'You keep no such thought.')
        if arguments.thought.strip():
            new = shares.add(arguments.thought, context.now())
            said.append('You will think of it.' if new else 'You think of it already.')
        return Result(' '.join(said), receipt='share')

    return Tool(
        name='share',
        description='Keep a thought that you want to tell somebody when there is an occasion. '
        'It tells nobody: that is what speak and reply are for.',
        arguments=ShareArguments,
        run=run,
        routine=True,
    )
