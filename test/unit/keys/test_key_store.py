"""Keys of providers: encrypted, bound to their provider, and never lost by a wrong master key."""

import base64
import os
import stat
import threading

import pytest

from soul.keys import KeyFileError, KeyRing, KeyStore, MasterKey, MasterKeyError
from soul.store.atomic import AtomicFile

SECRET = 'sk-live-0123456789abcdef'


@pytest.fixture
def master(home):
    return MasterKey.find(home, {}, create=True)


@pytest.fixture
def store(home, master):
    return KeyStore(home, master, lambda: 1000.0)


def everything(home):
    return b''.join(path.read_bytes() for path in home.rglob('*') if path.is_file())


def test_a_key_comes_back_and_nowhere_stands_in_clear(home, store):
    store.add('anthropic', 'first', SECRET)
    store.add('openai', 'work', ' other ')
    assert [(k.provider, k.name, k.secret) for k in store.opened()] == [
        ('anthropic', 'first', SECRET),
        ('openai', 'work', 'other'),
    ]
    assert [k.secret for k in store.names()] == ['', '']
    assert SECRET.encode() not in everything(home)
    assert SECRET not in repr(store.opened())
    for path in (home / 'keys.json', home / 'master.key'):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_each_key_has_a_nonce_of_its_own(home, store):
    store.add('anthropic', 'a', SECRET)
    store.add('anthropic', 'b', SECRET)
    keys = AtomicFile(home / 'keys.json').read()
    nonces = {one['nonce'] for one in [*keys['keys'], keys['check']]}
    assert len(nonces) == 3
    assert len({one['secret'] for one in keys['keys']}) == 2


def test_a_wrong_master_key_says_so_and_loses_nothing(home, store):
    store.add('anthropic', 'a', SECRET)
    before = everything(home)
    wrong = KeyStore(home, MasterKey(b'x' * 32, '$SOUL_MASTER_KEY'))
    for work in (wrong.opened, lambda: wrong.add('openai', 'b', 'y')):
        with pytest.raises(KeyFileError, match=r'another master key than that of \$SOUL_MASTER'):
            work()
    without = KeyStore(home, None)
    with pytest.raises(KeyFileError, match='there is no master key'):
        without.opened()
    assert [k.name for k in without.names()] == ['a']
    assert everything(home) == before
    assert store.opened()[0].secret == SECRET


def test_a_key_moved_to_another_provider_is_not_sent_there(home, store, master):
    store.add('anthropic', 'a', SECRET)
    file = AtomicFile(home / 'keys.json')
    data = file.read()
    data['keys'][0]['provider'] = 'openrouter'
    file.write(data)
    with pytest.raises(KeyFileError, match='moved here from another provider'):
        store.opened()


def test_rotated_and_removed(home, store):
    store.add('anthropic', 'a', SECRET)
    store.rotate('anthropic', 'a', 'new')
    assert [k.secret for k in store.opened()] == ['new']
    store.remove('anthropic', 'a')
    assert store.opened() == ()
    with pytest.raises(KeyFileError, match='it has none'):
        store.remove('anthropic', 'a')
    with pytest.raises(KeyFileError, match="has no key 'b'"):
        store.rotate('anthropic', 'b', 'z')
    store.add('anthropic', 'a', 'again')
    with pytest.raises(KeyFileError, match='soul keys rotate anthropic a'):
        store.add('anthropic', 'a', 'again')


def test_nothing_of_a_removed_key_stays(home, store):
    store.add('anthropic', 'a', SECRET)
    sealed = AtomicFile(home / 'keys.json').read()['keys'][0]['secret'].encode()
    assert sealed in everything(home)
    store.remove('anthropic', 'a')
    assert sealed not in everything(home), 'also in no generation before'


@pytest.mark.parametrize(
    ('provider', 'name', 'secret', 'why'),
    [
        ('', 'a', 'x', 'provider'),
        ('a/b', 'a', 'x', 'provider'),
        ('anthropic', '../a', 'x', 'name'),
        ('anthropic', 'a', '  ', 'empty'),
        ('anthropic', 'a', 'x\ny', 'no header'),
        ('anthropic', 'a', 'ключ', 'no header'),
        ('anthropic', 'a', 'x' * 20_000, 'no header'),
    ],
)
def test_what_is_no_key_is_refused(home, store, provider, name, secret, why):
    with pytest.raises(KeyFileError, match=why):
        store.add(provider, name, secret)
    assert not (home / 'keys.json').exists()


@pytest.mark.parametrize(
    'content',
    ['', '{}', '[]', '{"schema":1,"generation":1,"checksum":"x",\n"data":{}}\n', '\x00' * 100],
)
def test_a_file_that_cannot_be_read_is_said_and_stays(home, store, content):
    home.mkdir(exist_ok=True)
    (home / 'keys.json').write_text(content)
    with pytest.raises(KeyFileError, match=r'keys\.json'):
        store.opened()
    with pytest.raises(KeyFileError):
        store.add('anthropic', 'a', SECRET)
    assert (home / 'keys.json').read_text() == content


def test_two_writers_lose_no_key(home, store, master):
    def add(n):
        KeyStore(home, master).add('anthropic', f'k{n}', f'secret-{n}')

    threads = [threading.Thread(target=add, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sorted(k.name for k in store.opened()) == [f'k{n}' for n in range(8)]


# --- the master key -------------------------------------------------------------------------


def test_it_is_made_once_and_only_for_her_user(home):
    assert MasterKey.find(home, {}) is None
    made = MasterKey.find(home, {}, create=True)
    assert MasterKey.find(home, {}, create=True) == made
    assert len(made.secret) == 32
    assert made.secret.hex() not in repr(made)
    (home / 'master.key').chmod(0o640)
    with pytest.raises(MasterKeyError, match='chmod 600'):
        MasterKey.find(home, {})


def test_two_who_make_it_at_once_have_the_same(home):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(MasterKey.find(home, {}, create=True)))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len({key.secret for key in found}) == 1
    assert [path.name for path in home.iterdir()] == ['master.key']


def test_a_credential_comes_before_a_variable_and_that_before_the_file(home, tmp_path):
    MasterKey.find(home, {}, create=True)
    variable = {'SOUL_MASTER_KEY': base64.b64encode(b'v' * 32).decode()}
    assert MasterKey.find(home, variable).secret == b'v' * 32
    folder = tmp_path / 'credentials'
    folder.mkdir()
    (folder / 'soul-master-key').write_bytes(b'c' * 32)
    both = {**variable, 'CREDENTIALS_DIRECTORY': str(folder)}
    assert MasterKey.find(home, both).secret == b'c' * 32
    assert MasterKey.find(home, {'SOUL_MASTER_KEY': (b'h' * 32).hex()}).secret == b'h' * 32
    with pytest.raises(MasterKeyError, match=r'\$SOUL_MASTER_KEY is no master key'):
        MasterKey.find(home, {'SOUL_MASTER_KEY': 'too short'})


# --- as whoever asks a model has them -------------------------------------------------------


def test_what_is_added_later_is_noticed_and_redacted(home, store):
    told = []
    ring = KeyRing(home, {'A_KEY': 'from-environment'}, told.append)
    assert ring.of('anthropic') == ()
    store.add('anthropic', 'a', SECRET)
    assert [k.secret for k in ring.of('anthropic', 'A_KEY')] == [SECRET, 'from-environment']
    assert ring.of('anthropic', 'A_KEY')[1].name == '$A_KEY'
    assert ring.of('openai') == ()
    store.rotate('anthropic', 'a', 'sk-new-0123456789')
    assert [k.secret for k in ring.of('anthropic')] == ['sk-new-0123456789']
    said = f'no such key {SECRET}, nor sk-new-0123456789, nor from-environment'
    assert ring.redact(said) == 'no such key (key), nor (key), nor (key)'
    os.environ.pop('A_KEY', None)
    assert told == []


def test_keys_that_cannot_be_read_are_said_once(home, store):
    store.add('anthropic', 'a', SECRET)
    told = []
    (home / 'master.key').unlink()
    ring = KeyRing(home, {}, told.append)
    for _ in range(3):
        assert ring.of('anthropic') == ()
    assert len(told) == 1
    assert 'there is no master key' in told[0]
