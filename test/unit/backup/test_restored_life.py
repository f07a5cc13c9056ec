"""A backup restored on an empty home: the same views, prompts and retrievals as without it."""

import pytest

from soul.backup.backup import backup, restore
from soul.mind.memory import Memory
from support.worlds.fortnight import BIRTH, DAY, HOUR, live, post

pytestmark = pytest.mark.usefixtures('quick_disk')
LATER = BIRTH + 2 * DAY


def plan(now, request):
    hour = int((now - BIRTH) / HOUR)
    wanted = [
        ('diary', {'text': f'Hour {hour}: the light on the wall was number {hour * 7919}.'}),
        ('remember', {'text': f'In hour {hour} I counted {hour * 31} steps.', 'topic': 'steps'}),
        ('attend', {'action': 'note', 'text': f'what hour {hour} was like'}),
    ]
    if hour % 5 == 0:
        wanted.append(('remember', {'text': f'Star number {hour} is mine.', 'always': True}))
        wanted.append(('keep', {'text': f'look at star {hour} again'}))
        wanted.append(('mood', {'text': f'wide awake at {hour}'}))
    if request.view.messages:
        wanted.append(('reply', {'text': f'I hear you in hour {hour}.'}))
    return wanted


def three_hours(home):
    """Live on for three hours, with a message; returns all that the model read."""

    def during(hour, bus, body):
        if hour == 1:
            post(bus, 'which star is yours, and how many steps?', message_id='m-1')

    lived, model, _ = live(home, plan, 3 / 24, seed=5, during=during, begin=LATER)
    assert model.read, 'she woke'
    assert any('m-1' in turn.messages_answered for turn in lived.turns)
    return model.read


def test_it_is_the_same_life(tmp_path):
    home, again = tmp_path / 'home', tmp_path / 'again'

    def talk(hour, bus, body):
        if hour % 17 == 3:
            post(bus, f'good hour {hour}', message_id=f'old-{hour}')

    live(home, plan, 2, during=talk)
    archive = backup(home, tmp_path / 'backups', LATER)
    assert restore(archive, again) is None

    found = []
    for folder in (home, again):
        memory = Memory(folder / 'memory')
        found.append(
            [
                [(hit.id, hit.entry.text) for hit in memory.recall(query, LATER, 8)]
                for query in ('steps', 'star number', 'hour 30', 'wall')
            ]
            + [memory.resident_text(), memory.index_text()]
            + [memory.retrieve('how many steps to the star?', LATER, 2000)]
        )
        memory.close()
    assert found[0] == found[1]
    assert found[0][0], 'there was something to find'

    before, after = three_hours(home), three_hours(again)
    assert before == after, 'word for word what the model reads: prompt, history and views'
    assert any('Star number' in text for text in before[0])
    assert any('good hour' in text or 'I hear you' in text for text in before[0])
