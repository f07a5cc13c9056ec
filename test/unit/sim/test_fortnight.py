"""A scripted fortnight on a virtual clock: heart, field, guard, mind and a body on one bus."""

import os
import random
import re
from datetime import datetime, timezone

import pytest

from soul.mind.memory import Memory
from soul.mind.memory.resident import CAP_CHARACTERS
from soul.signals import Outcome
from support.worlds.fortnight import BIRTH, DAY, live, post

WAITING = 'Quietly napping, still waiting. Everything steady.'


class Story:
    """What she does: mostly the same, with a few things on certain days."""

    def __init__(self):
        self.rng = random.Random(7)
        self.reflected = 0
        self.facts = 0
        self.kept = None
        self.broken_looks = 0

    def __call__(self, now, request):
        day = (now - BIRTH) / DAY
        wanted = [('diary', {'text': WAITING})]
        if self.kept is None:
            self.kept = now
            wanted.append(('keep', {'text': 'The gate in the garden squeaks and wants some oil.'}))
        if request.view.messages:
            wanted.append(('reply', {'text': 'I am here.'}))
        if day >= 2 * (self.reflected + 1):
            self.reflected += 1
            text = f'I am somebody who has thought {self.reflected} times about it.'
            wanted.append(('reflect', {'text': text}))
        for _ in range(2):
            self.facts += 1
            words = ' '.join(f'{self.rng.choice("bdgklmprst")}{self.rng.randrange(10**6)}'
                             for _ in range(12))  # fmt: skip
            text = f'Thing {self.facts}: {words}'
            wanted.append(('remember', {'text': text, 'always': True}))
        if 5.0 <= day < 6.0:
            self.broken_looks += 1
            wanted.append(('look', {'direction': 'left'}))
        elif 9.0 <= day < 9.5:
            wanted.append(('look', {'direction': 'left'}))
        return wanted


@pytest.fixture(scope='module')
def fortnight(tmp_path_factory):
    home = tmp_path_factory.mktemp('fortnight')
    story = Story()

    def during(hour, bus, body):
        body.broken = 4.5 * 24 <= hour < 8 * 24
        if hour % 96 == 50:
            post(bus, f'how is it going, hour {hour}?')

    with pytest.MonkeyPatch.context() as patch:
        # Nobody cuts the power here, and a fortnight has some 12,000 waits for the disk.
        patch.setattr(os, 'fsync', lambda descriptor: None)
        patch.setattr(os, 'fdatasync', lambda descriptor: None)
        lived, model, body = live(home, story, 14, during=during)
    return home, story, lived, model, body


def seen(model, day):
    """What she read of her moment on a day."""
    return [text for at, text in model.views if day <= (at - BIRTH) / DAY < day + 1]


def section(text, heading):
    found = re.search(rf'## {heading}\n(.*?)(?=\n\n## |\Z)', text, re.S)
    return found[1] if found else ''


def test_she_has_lived(fortnight):
    _, _, lived, model, _ = fortnight
    wakings = [t for t in lived.turns if 'dream' not in t.causes]
    assert all(t.outcome in (Outcome.SLEPT, Outcome.CUT) for t in lived.turns)
    assert 6 * 14 < len(wakings) < 25 * 14
    assert len([t for t in lived.turns if 'dream' in t.causes]) > 5
    assert model.dreams > 0
    assert len(model.views) == len(wakings)
    hours = [datetime.fromtimestamp(at, timezone.utc).hour for at, _ in model.views]
    assert sum(1 for h in hours if 1 <= h < 6) < len(hours) / 10, 'she sleeps at night'


def test_a_matter_fades_at_day_three(fortnight):
    _, story, _, model, _ = fortnight
    whole = 'The gate in the garden squeaks and wants some oil.'
    for at, text in model.views:
        if at <= story.kept:
            continue
        age = at - story.kept
        matters = section(text, 'What you keep in mind')
        if age < 3 * DAY - 60:
            assert whole in matters
        elif age > 3 * DAY + 60:
            assert whole not in matters
            assert whole[:30] in matters


def test_boredom_is_discharged_by_a_receipt_within_one_waking_and_never_by_a_failed_act(fortnight):
    _, story, lived, _, _ = fortnight
    assert story.broken_looks > 3
    reflections = [t.stamp for t in lived.turns if any(c.name == 'reflect' for c in t.calls)]
    failed = looked = 0
    for turn in lived.turns:
        if not any(call.name == 'look' for call in turn.calls):
            continue
        look = next(call for call in turn.calls if call.name == 'look')
        before = lived.level('boredom', turn.stamp - turn.duration - 1)
        after = lived.level('boredom', turn.stamp + 1)
        if look.receipt:
            looked += 1
            assert after == 0.0
        elif turn.stamp not in reflections:
            failed += 1
            assert not look.ok
            assert after >= before, 'what failed discharges nothing'
    assert failed > 3
    assert looked > 0
    assert max(lived.level('boredom', t.stamp) for t in lived.turns) > 0.3, 'it did grow'


def test_each_reflection_leaves_one_entry_in_the_history(fortnight):
    home, story, _, _, _ = fortnight
    history = (home / 'soul' / 'SELF.history.md').read_text()
    assert story.reflected == 6
    assert len(re.findall(r'^## \d{4}-\d\d-\d\d', history, re.M)) == story.reflected
    assert 'thought 6 times' in (home / 'soul' / 'SELF.md').read_text()
    for number in range(1, 6):
        assert f'thought {number} times' in history


def test_an_identical_diary_never_shows_more_than_two_of_ten(fortnight):
    _, _, _, model, _ = fortnight
    for _, text in model.views:
        assert section(text, 'From your diary').count(WAITING) <= 2
    assert any('going round in a circle' in text for text in seen(model, 3))


def test_resident_memory_stays_under_its_cap_while_the_notes_grow(fortnight):
    home, story, _, model, _ = fortnight
    lengths = [len(section(text, 'What you always know')) for _, text in model.views]
    assert max(lengths) <= CAP_CHARACTERS
    assert max(lengths) > CAP_CHARACTERS / 2
    memory = Memory(home / 'memory', read_only=True)
    try:
        for number in (1, story.facts // 2, story.facts):
            hits = memory.recall(f'Thing {number}', BIRTH + 14 * DAY, 50)
            assert any(f'Thing {number}:' in hit.entry.text for hit in hits), number
    finally:
        memory.close()
    sizes = sum(path.stat().st_size for path in (home / 'memory').rglob('*.md'))
    assert sizes > 5 * CAP_CHARACTERS


def test_everybody_was_answered(fortnight):
    _, _, lived, _, body = fortnight
    answered = [m for t in lived.turns for m in t.messages_answered]
    assert len(answered) == len(set(answered)) == 3
    assert not body.said


def test_her_files_stay_small_enough_for_months(fortnight):
    home, *_ = fortnight
    state = [home / name for name in ('heart.json', 'field.json', 'mind.json', 'guard.json')]
    assert all(path.stat().st_size < 300_000 for path in state)
