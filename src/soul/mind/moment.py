"""This moment as she reads it: the one part of the prompt that is new in each waking.

Its sections stand in Heart and Twin's order: situation, resident memory, memory index, retrieved
memories, the thought she wants to share, body, inner state and open loops, perception, recent
journal, other sessions. (Her personality stands before them all, in the part that never changes.)
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence

from soul.mind.words import Words
from soul.signals import YES, BodyState, HeartState, Message, View

#: Longest text of what somebody said, where it is only mentioned, characters.
LAST = 160


@dataclasses.dataclass(frozen=True)
class Inner:
    """What her own pages and her memory have for this moment; empty texts are not shown."""

    resident: str = ''
    index: str = ''
    retrieved: str = ''
    canon: str = ''
    share: str = ''
    self_text: str = ''
    aspirations: str = ''
    mood: str = ''
    matters: str = ''
    journal: str = ''
    edits: Sequence[str] = ()  # what others have changed in her pages, in words
    left_out: Sequence[str] = ()  # what did not fit, in words
    rut: bool = False
    open_loops: int = 0
    odd: Sequence[str] = ()  # what is odd about the files, for people; she does not read it


@dataclasses.dataclass(frozen=True)
class Other:
    """Another conversation, as it looks from this one."""

    name: str  # empty: her own stream
    at: float  # when something was said last, s of the node's clock
    last: str = ''
    stage: str = ''  # not empty: a turn is in progress


@dataclasses.dataclass(frozen=True)
class Circumstances:
    """What is known of this turn beside her field."""

    now: float
    session: str = ''
    slept: float | None = None  # s since her last waking ended
    unfinished: str = ''  # what she was at when she was interrupted
    uncertain: Sequence[str] = ()  # acts of which nobody knows whether they happened
    others: Sequence[Other] = ()
    body: BodyState | None = None
    heart: HeartState | None = None


def moment(
    view: View, inner: Inner, around: Circumstances, words: Words, compact: bool = False
) -> str:
    """Return this moment as text; sections without content are left out.

    Parameters
    ----------
    compact
        For small models: it ends with what there is to do, which they do not find by themselves.
    """
    sections = (
        ('situation', '\n'.join(_situation(inner, around, words))),
        ('resident', inner.resident),
        ('index', inner.index),
        ('retrieved', inner.retrieved),
        ('canon', inner.canon),
        ('share', inner.share),
        ('body', _body(around.body, words)),
        ('self', inner.self_text),
        ('aspirations', inner.aspirations),
        ('mood', inner.mood),
        ('drives', _drives(around.heart)),
        ('matters', inner.matters),
        ('perception', view.text),
        ('journal', inner.journal),
        ('others', '\n'.join(_others(around, words))),
        ('act', '\n'.join(_act(view, words)) if compact else ''),
    )
    return '\n\n'.join(
        f'## {words.say(f"headings.{name}")}\n{_below(text.strip())}'
        for name, text in sections
        if text.strip()
    )


def _below(text: str) -> str:
    """Let headings within a section stand below the section's own."""
    return re.sub(r'^#{1,4}(?=[ \t])', lambda found: '#' * (len(found[0]) + 2), text, flags=re.M)


def _situation(inner: Inner, around: Circumstances, words: Words) -> Iterable[str]:
    yield words.time(around.now)
    if around.slept is not None:
        yield words.say('situation.slept', span=words.span(around.slept))
    if around.session:
        yield words.say('situation.conversation', session=around.session)
    if around.unfinished:
        yield words.say('situation.interrupted', work=around.unfinished)
    if around.uncertain:
        yield words.say('situation.uncertain', acts='; '.join(around.uncertain))
    yield from inner.edits
    if inner.rut:
        yield words.say('situation.rut')
    if inner.left_out:
        yield words.say('situation.left_out', what='; '.join(inner.left_out))


def _body(body: BodyState | None, words: Words) -> str:
    if body is None or body.connected == -1:
        return words.say('body.none')
    if body.connected != YES:
        return words.say('body.lost')
    if body.feelings:
        return words.say('body.feels', feelings=', '.join(body.feelings))
    return words.say('body.at_ease')


def _drives(heart: HeartState | None) -> str:
    felt = [drive.sensation for drive in heart.drives if drive.sensation] if heart else []
    return '\n'.join(f'- {sensation}' for sensation in felt)


def _act(view: View, words: Words) -> Iterable[str]:
    yield from said_at_door(view.messages, words)
    people = ', '.join(dict.fromkeys(message.sender for message in view.messages))
    yield words.say('act.door', people=people) if people else words.say('act.quiet')


def said_at_door(messages: Iterable[Message], words: Words) -> Iterable[str]:
    """Say who is at the door and what they said, a line each."""
    for message in messages:
        yield words.say('act.said', who=message.sender, text=_short(message.text))


def _short(text: str) -> str:
    """Return a text on one line and not longer than is shown of what was said."""
    text = ' '.join(text.split())
    return text if len(text) <= LAST else text[: LAST - 1] + '…'


def _others(around: Circumstances, words: Words) -> Iterable[str]:
    for other in around.others:
        name = other.name or words.say('other.stream')
        if other.stage:
            yield '- ' + words.say('other.progress', name=name, stage=other.stage)
        if other.last:
            span = words.span(max(0.0, around.now - other.at))
            said = words.say('other.recent', name=name, span=span, last=_short(other.last))
            yield f'- {said}'
