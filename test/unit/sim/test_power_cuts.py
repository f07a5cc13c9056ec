"""The power goes at every step of a busy life: what was promised holds when she lives again.

The disk forgets whatever was not synced (:mod:`support.forgetful_disk`); a real one keeps more.
"""

import asyncio

import pytest

from soul.mind.counters import weighed
from soul.signals import Outcome, PostRequest
from support.forgetful_disk import ForgetfulDisk
from support.worlds.power import CALL, MINUTE, Outside, PowerLife, busy_life

#: Somebody finds out and starts her again, s.
DARK = 30.0


def lived_and_cut(tmp_path, seconds):
    """Live, and return what the outside was told in the end, and an image at each step."""
    disk_root = tmp_path / 'disk'
    disk_root.mkdir()
    outside = Outside()
    with ForgetfulDisk(disk_root, lambda: len(outside), ['guard.db']) as disk:
        # an act that is under way has left its intent and nothing else
        outside.on_note = lambda kind: kind == 'spoken' and disk.take('speaking')
        life = asyncio.run(busy_life(disk_root / 'home', outside, seconds))
    assert life.errors == []
    return outside, disk.images


async def live_again(home, before, seconds):
    """Live on that home for a while; returns what the outside is told then."""
    after = Outside()
    begin = before[-1].at if before else 0.0
    async with PowerLife(home, after, (begin or after.now()) + DARK, seconds, seed=2) as life:
        for message in before.of('post'):
            again = await life.ask('door/post', PostRequest(message))
            assert again.accepted, f'{message.id} is known and taken as before'
        await life.go_on(5 * MINUTE)
        await life.post('probe')  # she sees then what else is open
        await life.go_on(2 * MINUTE)
    assert life.errors == [], 'nothing is unreadable, nothing fails'
    return after


def messages_hold(before, after):
    """Each message that was accepted is answered, once."""
    answers = {}
    for reply in (*before.of('reply'), *after.of('reply')):
        answers.setdefault(reply.in_reply_to, set()).add(reply.id)
    for message in before.of('post'):
        assert message.id in answers, f'{message.id} is never answered'
    twice = {message for message, ids in answers.items() if len(ids) > 1}
    assert not twice, f'answered twice: {twice}'


def acts_hold(before, after):
    """No act is done twice; of one that was under way she is told."""
    spoken = [*before.of('spoken'), *after.of('spoken')]
    for done in zip(*spoken, strict=True):  # the ids of the acts, and what was said
        assert len(done) == len(set(done)), f'done twice: {done}'
    ended = {act.id for act in (*before.of('act'), *after.of('act')) if act.state != 'executing'}
    known = {act.id: act.state for act in after.of('act')}
    for act_id, _ in before.of('spoken'):
        assert act_id in ended, f'nobody knows what became of {act_id}: {known}'


def turns_hold(before, after):
    """No turn with a deed is lived twice, nothing that has ended is forgotten."""
    deeds = {turn.wake for turn in before.of('turn')}
    deeds |= {wake for wake, _ in before.of('kept')}
    again = deeds & set(after.of('asked'))
    assert not again, f'lived twice: {again}'
    last = max((t.sequence for t in before.of('turn')), default=0)
    states = after.of('mind')
    assert states[0].last_turn.sequence >= last, 'the mind begins with what it has lived'
    if before.of('mind'):
        told = before.of('mind')[-1]
        assert states[-1].epoch == told.epoch, 'it is the same life'
        assert states[0].wakings >= told.wakings
        begun = min(s.begun.sequence for s in states)
        assert begun >= told.begun.sequence, 'a wake that was told as begun is open again'
    at_rest = [state.tokens for state in before.of('mind') if not state.sessions]
    assert states[0].tokens >= max(at_rest, default=0), 'what was told as used is counted'
    used = states[-1].tokens - states[0].tokens
    assert used >= len(after.of('asked')) * weighed(CALL), 'each request is counted'


def nudges_hold(before, after):
    """What she was nudged for was lived to its end, or is lived now."""
    slept = {turn.wake for turn in before.of('turn') if turn.outcome == Outcome.SLEPT}
    for reason in before.of('nudge'):
        then = any(reason in text and wake in slept for wake, text in before.read())
        assert then or any(reason in text for _, text in after.read()), f'{reason} is forgotten'


def a_rest_holds(before, after):
    """She rests on, unless somebody has called her since."""
    calls = [told for told in before if told.kind in ('rest', 'post', 'nudge')]
    if calls and calls[-1].kind == 'rest':
        left = after.of('heart')[0].rest_until - calls[-1].what
        assert abs(left) < 1.0, f'her rest has changed by {left:g} s'


def attention_holds(before, after):
    """What she noted, meant to do and held is in her field."""
    then, items = seen(before.of('view')[-1:]), seen(after.of('view')[:1])
    for _, (name, arguments) in before.of('kept'):
        if name != 'attend' or not any(about(arguments, item) for item in then):
            continue  # it had slipped away already
        there = [item for item in items if about(arguments, item)]
        assert there, f'gone: {arguments}'
        if arguments['action'] == 'hold':
            assert there[0].held, f'held no longer: {arguments}, {there}'


def seen(views):
    return [item for view in views for item in (*view.close, *view.around, *view.edge)]


def about(arguments, item):
    if arguments['action'] == 'hold':
        return item.id == arguments['item']
    return arguments['text'] in item.text


def pages_hold(before, home):
    """What was written for good stands there, once."""
    for _, (name, arguments) in before.of('kept'):
        where = {'diary': 'soul/DIARY.md', 'keep': 'soul/MIND.md'}.get(name, 'memory/notes')
        if name not in ('diary', 'keep', 'remember'):
            continue
        paths = (home / where).rglob('*.md') if name == 'remember' else [home / where]
        count = sum(path.read_text().count(arguments['text']) for path in paths)
        assert count == 1, f'{name} {arguments} stands there {count} times'


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.usefixtures('quick_disk')
@pytest.mark.parametrize(
    ('seconds', 'stride'),
    [
        (1.0, 2),
        (0.0, 3),
        pytest.param(1.0, 1, marks=pytest.mark.soak),
        pytest.param(0.0, 1, marks=pytest.mark.soak),
    ],
)
def test_the_power_goes_at_every_step(tmp_path, seconds, stride):
    """A model that takes its time, and one that answers at once; all steps, or every so many."""
    outside, images = lived_and_cut(tmp_path, seconds)
    assert len(images) > 100
    assert len(outside.of('reply')) == len(outside.of('post')) == 3, 'she has lived'
    broken = []
    for number, image in list(enumerate(images))[::stride]:
        before = Outside(outside[: image.told])
        home = tmp_path / f'{number}' / 'home'
        image.write(home.parent)
        try:
            after = asyncio.run(live_again(home, before, seconds))
            for holds in (messages_hold, acts_hold, turns_hold, nudges_hold, a_rest_holds,
                          attention_holds):  # fmt: skip
                holds(before, after)
            pages_hold(before, home)
        except AssertionError as wrong:
            what = next(iter(str(wrong).splitlines()), '')
            broken.append(f'{number}, before the sync of {image.before}: {what}')
    assert not broken, '\n'.join(broken)
