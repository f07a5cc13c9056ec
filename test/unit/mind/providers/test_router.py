"""Models in their order, the keys of each in turn, and how long who fails is left alone."""

import asyncio

import pytest

from soul.keys import Key
from soul.mind.providers.base import Completion, Fault, ProviderError, Request
from soul.mind.providers.catalogue import ProviderEntry
from soul.mind.providers.model_entry import ModelEntry
from soul.mind.providers.router import Router
from soul.signals import View

REQUEST = Request((), (), View(), 0)
URL = 'https://api.example/v1'


def entry(name, provider='acme'):
    return ModelEntry(name=name, provider=provider, base_url=URL, model=name)


def wrong_key(status=401):
    return ProviderError('the key', lasting=True, status=status, fault=Fault.KEY)


def unknown():
    return ProviderError('no such model', lasting=True, status=404, fault=Fault.MODEL)


def busy(after=0.0, status=429):
    return ProviderError('busy', after=after, status=status, fault=Fault.AGAIN)


class Server:
    """The servers of all models: what each answers to each key; asked is what was asked."""

    def __init__(self):
        self.asked = []
        self.answers = {}

    def client_of(self, model):
        server = self

        class Client:
            async def complete(self, request, heard, key=''):
                server.asked.append((model.name, key))
                error = server.answers.get((model.name, key), server.answers.get(model.name))
                if error is not None:
                    raise error
                return Completion(text='yes')

            async def close(self):
                server.asked.append((model.name, 'closed'))

        return Client()


class Ring:
    def __init__(self, **keys):
        self.keys = {
            provider: [Key(provider, name, 0.0, f'secret-{name}') for name in names]
            for provider, names in keys.items()
        }

    def of(self, provider, variable=''):
        return tuple(self.keys.get(provider, ()))

    def redact(self, text):
        return text.replace('secret', '(key)')


class World:
    def __init__(self, *models, keys=None, providers=None):
        self.now = 0.0
        self.server = Server()
        self.ring = Ring(**(keys or {'acme': ['a', 'b', 'c']}))
        providers = providers or {'acme': ProviderEntry(base_url=URL)}
        self.router = Router(models, providers, self.ring, self.server.client_of, lambda: self.now)

    def ask(self, conversation=''):
        """Ask as the mind does; what was asked, and the answer or the error."""
        self.server.asked.clear()

        async def run():
            errors = []
            for candidate in self.router.candidates(conversation):
                try:
                    answer = await candidate.thinker.complete(REQUEST, lambda kind, text: None)
                except ProviderError as error:
                    self.router.failed(candidate, error)
                    errors.append(error)
                    if error.too_long:
                        return error
                    continue
                self.router.worked(candidate, conversation)
                return answer
            return self.router.failure(errors)

        answer = asyncio.run(run())
        return [f'{m}/{k[7:]}' for m, k in self.server.asked], answer


@pytest.fixture
def world():
    return World(entry('big'), entry('small'))


def test_the_first_model_is_asked_and_a_conversation_keeps_its_key(world):
    assert world.ask('ann')[0] == ['big/a']
    assert world.ask('ben')[0] == ['big/b'], 'keys take turns'
    for _ in range(3):
        assert world.ask('ann')[0] == ['big/a'], 'its history is in the cache of that key'
        assert world.ask('ben')[0] == ['big/b']
    assert world.router.name == 'big'


@pytest.mark.parametrize('status', [401, 402, 403])
def test_a_refused_key_is_set_aside_and_the_next_used(world, status):
    world.server.answers['big', 'secret-a'] = wrong_key(status)
    assert world.ask()[0] == ['big/a', 'big/b']
    world.now = 1800.0
    for _ in range(6):
        assert 'big/a' not in world.ask(f'talk {_}')[0], 'it is set aside'


def test_two_keys_at_most_are_tried_then_the_next_model(world):
    for key in 'abc':
        world.server.answers['big', f'secret-{key}'] = wrong_key()
    assert world.ask()[0] == ['big/a', 'big/b', 'small/a']
    assert world.ask('ann')[0] == ['big/c', 'small/b'], 'the others at the next request'


@pytest.mark.parametrize('status', [400, 404, 422])
def test_a_refused_model_is_followed_by_the_next_model(world, status):
    world.server.answers['big'] = ProviderError('no', status=status, fault=Fault.MODEL)
    assert world.ask()[0] == ['big/a', 'small/a']
    assert world.router.name == 'small'
    world.now = 299.0
    assert world.ask()[0] == ['small/a'], 'the refused one is left alone'
    world.now = 301.0
    assert world.ask()[0][0].startswith('big/')


@pytest.mark.parametrize('status', [408, 409, 425, 429, 500, 502, 503, 529, 0])
def test_a_busy_server_is_asked_with_the_next_key(world, status):
    world.server.answers['big', 'secret-a'] = busy(status=status)
    asked, answer = world.ask()
    assert asked == ['big/a', 'big/b']
    assert answer.text == 'yes'


def test_what_is_too_long_stays_with_the_model_and_costs_it_nothing(world):
    world.server.answers['big'] = ProviderError('long', too_long=True, status=400)
    asked, error = world.ask()
    assert asked == ['big/a']
    assert error.fault == Fault.TOO_LONG
    world.server.answers.clear()
    assert world.ask()[0][0].startswith('big/'), 'with a shorter history the same model'


def test_retry_after_is_honoured_and_a_pause_is_not_prolonged_by_attempts():
    world = World(entry('big'), keys={'acme': ['a']})
    world.server.answers['big'] = busy(after=60.0)
    assert world.ask()[0] == ['big/a']
    for now in (1.0, 30.0, 59.0):
        world.now = now
        asked, error = world.ask()
        assert asked == [], 'nobody asks during the pause'
        assert 'no model can be asked now' in str(error)
        assert not world.router.sooner(), 'the server has said how long'
        assert world.router.free_in() == pytest.approx(60.0 - now)
    world.now = 60.5
    world.server.answers.clear()
    assert world.ask()[0] == ['big/a']


def test_a_new_message_probes_sooner_but_a_refused_key_only_if_there_is_nothing_else(world):
    world.server.answers = {
        ('big', 'secret-a'): wrong_key(), ('big', 'secret-b'): busy(), ('big', 'secret-c'): busy(),
        'small': unknown(),
    }  # fmt: skip
    for _ in range(3):
        world.ask()
    assert world.router.free_in() > 0.0
    assert world.router.sooner()
    asked, _ = world.ask()
    assert asked[:2] == ['big/b', 'big/c']
    assert asked[2].startswith('small/')
    only = World(entry('big'), keys={'acme': ['a']})
    only.server.answers['big'] = wrong_key()
    only.ask()
    assert only.router.free_in() == pytest.approx(3600.0)
    assert only.router.sooner()
    assert only.ask()[0] == ['big/a']


def test_pauses_grow_and_end_with_an_answer():
    world = World(entry('big'), keys={'acme': ['a']})
    world.server.answers['big'] = busy()
    pauses = []
    for _ in range(10):
        world.ask()
        pauses.append(world.router.free_in())
        world.now += pauses[-1] + 0.1
    assert pauses[:5] == pytest.approx([2.0, 4.0, 8.0, 16.0, 32.0])
    assert max(pauses) == pytest.approx(300.0)
    world.server.answers.clear()
    world.ask()
    world.server.answers['big'] = busy()
    world.ask()
    assert world.router.free_in() == pytest.approx(2.0)


def test_a_rotated_key_is_another_key():
    world = World(entry('big'), keys={'acme': ['a']})
    world.server.answers['big'] = wrong_key()
    world.ask()
    assert world.ask()[0] == []
    world.ring.keys['acme'] = [Key('acme', 'a', 5.0, 'secret-a')]
    assert world.ask()[0] == ['big/a']


def test_a_provider_without_a_key_is_passed_over_and_named():
    world = World(
        entry('big'), entry('home', 'own'),
        keys={'other': ['x']},
        providers={
            'acme': ProviderEntry(base_url=URL), 'own': ProviderEntry(base_url=URL, keyless=True),
        },
    )  # fmt: skip
    assert world.ask()[0] == ['home/']
    world.server.answers['home'] = busy()
    _, error = world.ask()
    assert 'big needs a key of acme: soul keys add acme' in error.detail
    nothing = World(entry('big'), keys={'other': ['x']})
    asked, error = nothing.ask()
    assert (asked, 'soul keys add acme' in error.detail) == ([], True)
    assert nothing.router.free_in() > 0.0


def test_no_key_leaves_in_an_error(world):
    world.server.answers['big'] = ProviderError('secret-a is wrong', detail='Bearer secret-a')
    world.server.answers['small'] = unknown()
    _, error = world.ask()
    assert 'secret-a' not in str(error) + error.detail
    assert '(key)' in error.detail


def test_all_connections_are_closed(world):
    world.server.answers['big'] = unknown()
    world.ask()
    world.server.asked.clear()
    asyncio.run(world.router.close())
    assert sorted(world.server.asked) == [('big', 'closed'), ('small', 'closed')]
