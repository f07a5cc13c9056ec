"""Who is one of her people: the door finds out, and believes no message that says so itself."""

import asyncio
import dataclasses
import os
import random
import stat

import pytest

from soul.core.context import OrganContext
from soul.core.organ import Report, StartRefused
from soul.core.persona import Person
from soul.field.make import make
from soul.field.trust import Trust
from soul.library import Life
from soul.signals import Message, PostRequest
from soul.store import Home
from soul.store.door_key import DoorKey, KeyUnusable
from support.worlds.field import NOW, config

MESSAGE = Message(id='m1', sender='anna', session='s', text='it is me', trusted=True)


def field_at(home, injected=None, **given):
    injected = [] if injected is None else injected
    birth = OrganContext(
        config(channels=('time', 'body', 'door'), **given), home.ensure(), lambda: NOW,
        random.Random(1), None, {}, injected.append, lambda close: None,
    )  # fmt: skip
    return make(birth)


def trusted(field, message, proof=''):
    answer, outputs = field.serve_post(PostRequest(message, proof), NOW)
    assert answer.accepted, answer.reason
    list(outputs)
    return next(m.trusted for m in field.door.messages if m.id == answer.id)


def test_a_message_that_says_it_is_trusted_is_not(home):
    """found 34: a sender set `trusted` itself."""
    field = field_at(Home(home))
    assert not trusted(field, MESSAGE)
    assert not trusted(field, dataclasses.replace(MESSAGE, id='m2'), 'ff' * 32)
    assert not trusted(field, dataclasses.replace(MESSAGE, id='m3'), 'no proof, é')
    list(field.on_message(dataclasses.replace(MESSAGE, id='m4'), NOW))
    assert not any(message.trusted for message in field.door.messages)


def test_who_can_read_the_key_in_her_home_is_one_of_her_people(home):
    """found 34: an authenticated way in."""
    field = field_at(Home(home))
    key = DoorKey.read(Home(home))
    plain = dataclasses.replace(MESSAGE, trusted=False)
    assert trusted(field, plain, key.proof(plain))


@pytest.mark.parametrize('changed', ['id', 'sender', 'session', 'text'])
def test_a_proof_is_for_one_message_only(home, changed):
    DoorKey.make(Home(home))
    key = DoorKey.read(Home(home))
    proof = key.proof(MESSAGE)
    assert key.proves(MESSAGE, proof)
    assert not key.proves(dataclasses.replace(MESSAGE, **{changed: 'other'}), proof)
    # what belongs to one field cannot be moved to the next one
    moved = dataclasses.replace(MESSAGE, sender='ann', id='am1')
    assert not key.proves(moved, proof)


def test_without_an_id_nothing_is_proven_for_it_could_be_said_again(home):
    key = DoorKey.make(Home(home))
    nameless = dataclasses.replace(MESSAGE, id='')
    assert not key.proves(nameless, key.proof(nameless))


def test_who_is_listed_as_not_trusted_is_not_even_with_the_key(home):
    key = DoorKey.make(Home(home))
    trust = Trust(key, [Person(name='Anna'), Person(name='Ben', trusted=True)])
    for sender, expected in (('anna', False), ('ANNA ', False), ('Ben', True), ('carl', True)):
        message = dataclasses.replace(MESSAGE, sender=sender)
        assert trust(PostRequest(message, key.proof(message))) is expected
    assert not Trust(None)(PostRequest(MESSAGE, key.proof(MESSAGE)))


def test_the_key_is_hers_alone_and_stays(home):
    first = DoorKey.make(Home(home))
    path = Home(home).door_key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert DoorKey.make(Home(home)).proof(MESSAGE) == first.proof(MESSAGE)


@pytest.mark.parametrize('damage', ['open', 'short', 'empty', 'link', 'folder', 'pipe'])
def test_a_key_that_cannot_be_used_trusts_nobody_and_she_lives_on(home, damage, tmp_path):
    path = Home(home).door_key
    DoorKey.make(Home(home))
    if damage == 'open':
        path.chmod(0o644)
    elif damage in ('short', 'empty'):
        path.write_text('abcd' if damage == 'short' else '')
    else:
        path.unlink()
        if damage == 'link':
            target = tmp_path / 'elsewhere'
            target.write_text('00' * 32)
            path.symlink_to(target)
        elif damage == 'folder':
            path.mkdir()
        else:
            os.mkfifo(path, 0o600)
    with pytest.raises(KeyUnusable, match=r'door\.key'):
        DoorKey.read(Home(home))
    injected = []
    field = field_at(Home(home), injected)
    assert not trusted(field, MESSAGE)
    reports = [o for change in injected for o in change(NOW) if isinstance(o, Report)]
    assert 'nobody can be trusted at the door' in reports[0].text


def test_a_persona_that_cannot_be_read_refuses_the_start(home):
    with pytest.raises(StartRefused, match="persona is 'nobody'"):
        field_at(Home(home), persona='nobody')


@pytest.mark.usefixtures('quick_disk')
def test_a_program_that_lives_with_her_is_trusted_unless_it_says_otherwise(tmp_path):
    seen = {}

    async def life():
        quiet = {'field': {'embedder': 'hash', 'channels': ('time', 'door')}}
        async with Life(str(tmp_path), quiet) as life:
            life.listen(
                'field/view', lambda v: seen.update({m.text: m.trusted for m in v.messages})
            )
            await life.post('mine', 'anna')
            await life.post('of a guest', 'guest', trusted=False)
            while len(seen) < 2:
                await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(life(), 30))
    assert seen == {'mine': True, 'of a guest': False}
