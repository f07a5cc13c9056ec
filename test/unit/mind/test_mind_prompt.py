"""The prompt: what never changes first, what is new last, in Heart and Twin's order."""

import asyncio
import json
import random

import pytest

from soul.mind import tokens, words
from soul.mind.kept_messages import to_plain
from soul.mind.moment import Circumstances, Inner, Other, moment
from soul.mind.prompt import Prompt
from soul.mind.providers.base import Completion, ToolCall, Usage
from soul.signals import BodyState, Drive, HeartState, View
from soul.text.phrases import differences
from soul.text.resources import resource
from soul.text.tables import read_table
from support.minds import World, make, message, until, view

pytestmark = pytest.mark.usefixtures('quick_disk')

LANGUAGES = ('en', 'ja', 'zh')


@pytest.mark.parametrize('language', LANGUAGES)
@pytest.mark.parametrize('compact', [False, True])
def test_the_core_is_a_narrative_with_one_rule(language, compact):
    said = words.load(language)
    text = Prompt(said, 'WHO SHE IS', compact=compact).system(View()).text
    assert text.endswith('WHO SHE IS')
    core = text.removesuffix('WHO SHE IS')
    assert core.count('`sleep`') == 1, 'one rule: every waking ends with sleep'
    lowered = core.lower()
    for commandment in (
        'you must',
        'you should',
        'you never',
        'always',
        '必须',
        '禁止',
        '不得',
        'なりません',
    ):
        assert commandment not in lowered
    ideas = {
        'en': ('steady is not being numb', 'neither a body nor a person', 'curiosity'),
        'zh': ('安稳不是麻木', '既不需要身体', '好奇'),
        'ja': (
            '落ち着いていることと、何も感じないことは違います',
            '身体も人も要らない',
            '知りたい',
        ),
    }
    for idea in ideas[language]:
        assert idea in core


def test_every_language_says_everything():
    tables = {name: read_table(resource(f'mind/{name}.yaml')) for name in LANGUAGES}
    for table in tables.values():
        assert not differences(tables['en'], table)
        assert not differences(table, tables['en'])


ORDER = (
    'situation', 'resident', 'index', 'retrieved', 'share', 'body', 'self', 'aspirations', 'mood',
    'drives', 'matters', 'perception', 'journal', 'others',
)  # fmt: skip


@pytest.mark.parametrize('language', LANGUAGES)
def test_the_moment_is_in_the_order_of_seed_001(language):
    said = words.load(language)
    inner = Inner(**{n: f'TEXT {n}' for n in Inner.__dataclass_fields__ if n in ORDER or n in (
        'self_text', 'canon')})  # fmt: skip
    around = Circumstances(
        now=1_800_000_000.0,
        body=BodyState(connected=1, feelings=('warm',)),
        heart=HeartState(drives=(Drive(name='curiosity', level=0.9, sensation='TUG'),)),
        others=(Other('kitchen', 1_799_999_000.0, 'TALK', 'thinking'),),
    )
    text = moment(View(text='SEEN'), inner, around, said)
    places = [text.index(f'## {said.say(f"headings.{name}")}') for name in ORDER]
    assert places == sorted(places)
    for part in ('SEEN', 'TUG', 'TALK', 'warm', 'TEXT self_text', 'TEXT journal'):
        assert part in text
    assert '0.9' not in text, 'felt, not counted'


def test_what_is_empty_is_not_there():
    text = moment(View(text='SEEN'), Inner(), Circumstances(now=0.0), words.load('en'))
    assert text.count('## ') == 3
    assert '## What you see\nSEEN' in text


def test_an_identity_of_ones_own_stands_behind_the_core():
    seen = []

    def identity(view):
        seen.append(view)
        return 'I AM BY HOOK'

    prompt = Prompt(words.load('en'), 'WHO', identity)
    system = prompt.system(View(text='a view')).text
    assert system.endswith('I AM BY HOOK')
    assert 'WHO' not in system
    assert seen[0].text == 'a view'


class Living:
    """A model with a life: looks around, writes, answers, in words that are not all the same."""

    name = 'living'

    def __init__(self):
        self.requests = []
        self.rng = random.Random(3)

    async def complete(self, request, heard):
        self.requests.append(request)
        return self.answer(request)

    def answer(self, request):
        if request.purpose != 'waking':
            return Completion(text='An account of what happened.')
        word = self.words(12)
        step = request.step
        wanted = [('sleep', {})]
        if step == 0 and request.view.messages:
            wanted = [('reply', {'text': f'I think {word}'})]
        elif step == 0:
            wanted = [('attend', {'action': 'note', 'text': word})]
        elif step == 1:
            wanted = [('diary', {'text': f'Today {word}'}), ('remember', {'text': word})]
        calls = tuple(
            ToolCall(f'{len(self.requests)}-{n}', name, json.dumps(arguments))
            for n, (name, arguments) in enumerate(wanted)
        )
        return Completion(self.words(25), '', calls, Usage())

    def words(self, count):
        return ' '.join(f'{self.rng.choice("bdfgklmnprst")}{self.rng.randrange(9999)}'
                        for _ in range(count))  # fmt: skip

    async def close(self):
        pass


def parts(request):
    """A request as a provider's cache sees it: tools first, then the messages."""
    return [json.dumps(request.tools), *(json.dumps(to_plain(m)) for m in request.messages)]


def shared(before, after):
    """Tokens of `after` that lie in the unchanged prefix."""
    total = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            common = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
                          min(len(one), len(other)))  # fmt: skip
            return total + tokens.of_text(other[:common])
        total += tokens.of_text(other)
    return total


def live(tmp_path, wakings, per_view=1200, quiet=20, **config):
    async def life():
        world, model = World(), Living()
        mind = make(tmp_path, model, world, **config)
        mind.start()
        mind.activate()
        for number in range(1, wakings + 1):
            world.now += 1800.0
            people = [message(number, model.words(8))] if number % 3 == 0 else []
            mind.on_view(view(number, *people, tick=number, text=model.words(per_view // 8)))
            await until(lambda n=number: len(world.turns) == n)
            for _ in range(quiet):
                await asyncio.sleep(0)
        await mind.close()
        world.made.close()
        return model.requests

    return asyncio.run(life())


@pytest.mark.parametrize('language', LANGUAGES)
def test_over_fifty_wakings_most_of_what_is_read_lies_in_the_unchanged_prefix(tmp_path, language):
    requests = live(tmp_path, 50, language=language)
    cached = whole = 0
    before = []
    for request in requests:
        now = parts(request)
        cached += shared(before, now)
        whole += sum(map(tokens.of_text, now))
        before = now
    assert len(requests) > 100
    assert cached / whole >= 0.85
    assert len({json.dumps(request.tools) for request in requests}) == 1
    assert len({request.messages[0].text for request in requests}) == 1


def test_of_an_old_waking_one_line_stays_instead_of_its_view(tmp_path):
    requests = live(tmp_path, 8)
    last = requests[-1].messages
    views = [m for m in last if m.role == 'user' and '## What you see' in str(m.text)]
    assert len(views) == 1, 'only the view of this waking'
    lines = [m for m in last if str(m.text).startswith('(waking ')]
    assert len(lines) == 7


def test_a_long_life_stays_below_the_ceiling(tmp_path):
    requests = live(tmp_path / 'quiet', 60, ceiling_tokens=12000, keep_tokens=3000)
    waking = [r for r in requests if r.purpose == 'waking']
    lengths = [tokens.of_messages(r.messages) + tokens.of_tools(r.tools) for r in waking]
    assert max(lengths) < 14000
    assert any('An account of earlier wakings' in str(m.text) for m in waking[-1].messages)
    assert sum(r.purpose == 'summary' for r in requests) >= 2
    # somebody always talks: there is no time to think of the past, and it is bounded all the same
    busy = live(tmp_path / 'busy', 60, quiet=0, ceiling_tokens=12000, keep_tokens=3000)
    lengths = [tokens.of_messages(r.messages) + tokens.of_tools(r.tools) for r in busy]
    assert max(lengths) < 12000 * 1.25 + 2000


def test_a_small_model_gets_a_short_prompt_and_fewer_tools(tmp_path):
    whole = live(tmp_path / 'a', 3)[-1]
    small = live(tmp_path / 'b', 3, context_window=8192)[-1]
    assert tokens.of_tools(small.tools) < tokens.of_tools(whole.tools) * 0.6
    assert len(small.messages[0].text) < len(whole.messages[0].text) * 0.5
    names = {tool['function']['name'] for tool in small.tools}
    assert {'sleep', 'reply', 'speak', 'look', 'diary'} <= names
    lengths = tokens.of_messages(small.messages) + tokens.of_tools(small.tools)
    assert lengths < 8192 * 3 // 4
