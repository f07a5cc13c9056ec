"""Mouth and eyes: what goes outward through the guard."""

from __future__ import annotations

from pydantic import Field, model_validator

from soul.mind.tools.base import Arguments, Hands, Result, Tool
from soul.signals import Act, ActState, LookRequest, SpeakRequest

#: The guard's own limits, and some time to hear of them, s.
SPEAK_SECONDS = 65.0
LOOK_SECONDS = 95.0
#: A guard that has just been started anew is found within this, s.
ASK_SECONDS = 10.0
BY = 'mind'


class SpeakArguments(Arguments):
    """Arguments of speak."""

    text: str = Field(min_length=1, max_length=1000, description='What you say aloud.')
    emotion: str = Field('', description='neutral, happy, sad, surprised, sleepy, angry or doubt')


async def _speak(arguments: SpeakArguments, hands: Hands) -> Result:
    request = SpeakRequest(arguments.text, arguments.emotion, BY, hands.session)
    answer = await hands.ask('speak', request, ASK_SECONDS)
    if not answer.accepted:
        return Result(f'You did not say it: {answer.reason}.', ok=False)
    act = await hands.act_ended(answer.act_id, SPEAK_SECONDS)
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


async def _look(arguments: LookArguments, hands: Hands) -> Result:
    request = LookRequest(
        direction=arguments.direction,
        question=arguments.question,
        capture=True,
        by=BY,
        session=hands.session,
    )
    answer = await hands.ask('look', request, ASK_SECONDS)
    if not answer.accepted:
        return Result(f'You did not look: {answer.reason}.', ok=False)
    act = await hands.act_ended(answer.act_id, LOOK_SECONDS)
    return _outcome(act, answer.act_id, 'You looked.', 'You may have looked', shows=True)


def _outcome(act: Act | None, act_id: str, done: str, maybe: str, shows: bool = False) -> Result:
    if act is None or act.state == ActState.UNCERTAIN:
        why = act.detail if act else 'no word came back'
        return Result(f'{maybe}: {why}. It is not repeated.', ok=False, act_id=act_id)
    if act.state != ActState.DONE:
        return Result(f'It did not happen: {act.detail or act.state}.', ok=False, act_id=act_id)
    seen = act.detail if shows else ''
    text = f'{done} {seen}'.strip()
    return Result(text, receipt=act.receipt, act_id=act_id, seen=seen)


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
)
