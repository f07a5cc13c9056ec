"""`soul models` and `soul keys`: what people type, what they read, and that no key is shown."""

import base64
import json

import pytest
from click.testing import CliRunner

from soul.cli.main import app
from soul.keys import KeyStore, MasterKey
from soul.mind.providers.catalogue import ModelCatalogue
from soul.mind.providers.model_entry import FILE
from support.provider import FakeServer, call

SECRET = 'sk-very-secret-0123456789'


@pytest.fixture
def soul(home, monkeypatch):
    for variable in ('ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'SOUL_MASTER_KEY'):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv('COLUMNS', '200')

    def run(*words, stdin=''):
        result = CliRunner().invoke(app, [*words, '--home', str(home)], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        assert SECRET not in result.output
        return result.exit_code, result.output

    return run


def test_a_key_is_piped_in_listed_rotated_and_removed(soul, home):
    code, text = soul('keys', 'add', 'anthropic', stdin=SECRET + '\n')
    assert (code, 'anthropic has the key key-1' in text) == (0, True)
    assert 'soul models add anthropic/<model>' in text
    assert soul('keys', 'add', 'anthropic', stdin=SECRET)[1].startswith('anthropic has the key ke')
    text = soul('keys', 'list')[1]
    assert 'key-1' in text
    assert 'key-2' in text
    assert soul('keys', 'rotate', 'anthropic', 'key-2', stdin='another')[0] == 0
    store = KeyStore(home, MasterKey.find(home, {}))
    assert [key.secret for key in store.opened()] == [SECRET, 'another']
    assert soul('keys', 'remove', 'anthropic', 'key-1')[0] == 0
    assert [key.name for key in store.names()] == ['key-2']
    code, text = soul('keys', 'remove', 'anthropic', 'key-1')
    assert (code, 'it has key-2' in text) == (1, True)
    assert soul('keys', 'add', 'anthropic', 'work', stdin='')[0] == 1


def test_a_key_in_the_environment_is_listed_by_its_variable(soul, monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', SECRET)
    assert '$OPENAI_API_KEY' in soul('keys', 'list')[1]


def test_another_master_key_is_said_and_nothing_is_lost(soul, home):
    soul('keys', 'add', 'anthropic', stdin=SECRET)
    (home / 'master.key').write_bytes(base64.b64encode(b'x' * 32))
    code, text = soul('keys', 'list')
    assert code == 1
    assert 'another master key' in ' '.join(text.split())
    assert 'key-1' in text


def test_models_are_added_ordered_switched_off_and_removed(soul, home):
    assert 'she is an echo' in soul('models', 'list')[1]
    assert 'anthropic' in soul('models', 'list', '--known')[1]
    assert soul('models', 'add', 'anthropic/claude-sonnet-4-5', '--name', 'sonnet')[0] == 0
    text = soul(
        'models', 'add', 'mine/x', '--base-url', 'http://127.0.0.1:9/v1', '--window', '9000',
        '--temperature', 'none', '--price-read', '1', '--price-written', '2',
    )[1]  # fmt: skip
    assert 'x is number 2' in text
    soul('models', 'add', 'openai/unheard-of')
    (home / FILE).write_text((home / FILE).read_text() + '# a word of mine\n')
    assert soul('models', 'order', 'x')[1].startswith('x, sonnet, unheard-of')
    assert soul('models', 'enable', 'sonnet', '--off')[0] == 0
    found = ModelCatalogue.load(home)
    assert [model.name for model in found.enabled] == ['x', 'unheard-of']
    assert found.models[0].temperature is None
    assert found.models[0].prices.written == 2.0
    text = soul('models', 'list')[1]
    assert 'unknown' in text
    assert 'soul keys add openai' in ' '.join(text.split())
    assert soul('models', 'enable', 'sonnet')[0] == 0
    assert soul('models', 'remove', 'x')[0] == 0
    assert [model.name for model in ModelCatalogue.load(home).enabled] == ['sonnet', 'unheard-of']
    assert '# a word of mine' in (home / FILE).read_text()


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['models', 'add', 'gpt'], 'provider/model is wanted'),
        (['models', 'add', 'nobody/x'], "'nobody' is not known"),
        (['models', 'add', 'openai/x', '--temperature', 'warm'], 'a number from 0 to 2'),
        (['models', 'add', 'openai/x', '--temperature', '7'], 'temperature'),
        (['models', 'add', 'openai/x', '--base-url', 'ftp://x'], 'no http'),
        (['models', 'remove', 'x'], 'none of her models'),
        (['models', 'order', 'x'], 'none of her models'),
        (['models', 'test', 'x'], 'none of her models'),
    ],
)
def test_what_cannot_be_is_refused_in_a_line_and_nothing_is_written(soul, home, words, said):
    code, text = soul(*words)
    assert code in (1, 2)
    assert said in ' '.join(text.split())
    assert not (home / FILE).exists()


def test_a_file_that_a_person_broke_is_named_and_stays(soul, home):
    home.mkdir()
    (home / FILE).write_text('models: [')
    for words in (['list'], ['add', 'openai/x'], ['test']):
        code, text = soul('models', *words)
        assert code == 1
        assert 'models.yaml' in text
    assert (home / FILE).read_text() == 'models: ['


@pytest.fixture
def server():
    def behave(body):
        said = json.dumps(body['messages'])
        if server.headers[-1].get('Authorization') != f'Bearer {SECRET}':
            sent = server.headers[-1].get('Authorization')
            return 401, json.dumps({'error': {'message': f'not with {sent}'}})
        if body.get('tools'):
            return {'tool_calls': [call('look', {'direction': 'left'})]}
        if 'image_url' in said:
            return {'content': 'It is red.'}
        return {'content': 'hello there, one two three'}

    server = FakeServer(behave)
    yield server
    server.close()


def test_each_way_is_tried_once_and_shown(soul, home, server):
    soul('keys', 'add', 'mine', stdin=SECRET)
    soul('models', 'add', 'mine/m', '--base-url', server.url, '--pictures', '--price-read', '1',
         '--price-written', '2')  # fmt: skip
    code, text = soul('models', 'test')
    assert code == 0, text
    assert text.count('yes') == 5
    assert 'm, cache: 100 of 120 tokens' in text
    assert 'm, picture: It is red.' in text
    assert all(h['Authorization'] == f'Bearer {SECRET}' for h in server.headers)
    assert [bool(body.get('stream')) for body in server.requests] == [False, *[True] * 5]
    # six requests of 100 cached and 20 fresh tokens read and 30 written; cached cost as much
    assert '0.0011' in text


def test_what_fails_is_shown_and_told_without_the_key(soul, server):
    soul('models', 'add', 'mine/m', '--base-url', server.url)
    soul('keys', 'add', 'mine', stdin='sk-wrong-0123456789')
    code, text = soul('models', 'test', 'm')
    assert code == 1
    assert 'refuses the key' in text
    assert 'not with Bearer (key)' in text
    assert 'sk-wrong' not in text


def test_a_restored_home_says_that_its_keys_cannot_be_opened(soul, home, tmp_path):
    soul('keys', 'add', 'anthropic', stdin=SECRET)
    (home / 'soul').mkdir()
    (home / 'soul' / 'SELF.md').write_text('me')
    assert soul('backup', '--to', str(tmp_path / 'safe'))[0] == 0
    (archive,) = (tmp_path / 'safe').iterdir()
    words = ['restore', str(archive), '--home', str(tmp_path / 'new')]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert 'there is no master key' in ' '.join(result.output.split())
