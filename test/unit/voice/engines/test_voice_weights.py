"""Weights inside packages: joined, checked, and a clear word where they are not what is meant."""

import hashlib
import json
import stat
import sys

import pytest

from soul.voice.engines import kokoro_voices, weights
from soul.voice.engines.piper import Piper
from soul.voice.engines.port import EngineFailed, EngineMissing
from soul.voice.make import embedded_ear, embedded_mouth
from soul.voice.sound import Clip


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Two packages with a part each."""
    for number, content in enumerate((b'first ', b'second'), 1):
        folder = tmp_path / 'site' / f'toy_weights_{number}'
        folder.mkdir(parents=True)
        (folder / '__init__.py').write_text('')
        (folder / 'part.bin').write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path / 'site'))
    return tmp_path / 'site'


SUM = hashlib.sha256(b'first second').hexdigest()


def toy():
    parts = (('toy_weights_1', 'part.bin'), ('toy_weights_2', 'part.bin'))
    return weights.PackagedFile('toy/model.bin', parts, SUM)


def test_parts_are_joined_once(packages, tmp_path):
    joined = weights.whole(toy(), tmp_path / 'cache')
    assert joined.read_bytes() == b'first second'
    (packages / 'toy_weights_1' / 'part.bin').unlink()
    assert weights.whole(toy(), tmp_path / 'cache') == joined


def test_a_wrong_sum_leaves_nothing_behind(packages, tmp_path):
    (packages / 'toy_weights_2' / 'part.bin').write_bytes(b'third')
    with pytest.raises(EngineMissing, match='brings its packages anew'):
        weights.whole(toy(), tmp_path / 'cache')
    assert not list((tmp_path / 'cache' / 'toy').iterdir())


@pytest.mark.parametrize('rotten', [b'first sekond', b'first', b''])
def test_a_joined_file_that_rots_is_joined_anew(packages, tmp_path, rotten):
    joined = weights.whole(toy(), tmp_path / 'cache')
    joined.write_bytes(rotten)
    assert weights.whole(toy(), tmp_path / 'cache').read_bytes() == b'first second'


def test_a_packaged_file_that_rots_is_found_out(packages):
    file = weights.PackagedFile('one', (('toy_weights_1', 'part.bin'),), SUM)
    with pytest.raises(EngineMissing, match='`soul voice install` with her language'):
        weights.whole(file)


def test_a_part_that_is_gone_leaves_nothing_behind(packages, tmp_path):
    (packages / 'toy_weights_2' / 'part.bin').unlink()
    with pytest.raises(EngineMissing, match='cannot be made'):
        weights.whole(toy(), tmp_path / 'cache')
    assert not list((tmp_path / 'cache' / 'toy').iterdir())


def test_a_package_that_is_missing_is_named(tmp_path):
    with pytest.raises(EngineMissing, match='toy_weights_1 is not installed'):
        weights.whole(toy(), tmp_path)


def test_one_file_is_taken_where_it_lies(packages):
    file = weights.PackagedFile(
        'one', (('toy_weights_1', 'part.bin'),), hashlib.sha256(b'first ').hexdigest()
    )
    assert weights.whole(file) == packages / 'toy_weights_1' / 'part.bin'


def test_a_voice_that_does_not_exist_is_refused_with_those_that_do(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    with pytest.raises(EngineMissing, match='zf_xiaobei'):
        kokoro_voices.find('anna')
    with pytest.raises(EngineMissing, match='soul voice install zh'):
        kokoro_voices.find('zf_xiaobei')


def test_without_npm_chinese_is_not_spoken_and_it_says_why(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(EngineMissing, match='npm is not installed'):
        kokoro_voices.fetch()


def test_voices_that_rot_are_fetched_anew(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    monkeypatch.setenv('PATH', str(tmp_path))
    kokoro_voices.folder().mkdir(parents=True)
    for name in kokoro_voices.SUMS:
        (kokoro_voices.folder() / f'{name}.bin').write_bytes(b'half')
    assert not kokoro_voices.are_whole()
    with pytest.raises(EngineMissing, match='npm is not installed'):
        kokoro_voices.fetch()


def program(path, text):
    path.write_text(f'#!{sys.executable}\n{text}')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_npm_that_fails_says_why(monkeypatch, tmp_path):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    program(tmp_path / 'npm', 'import sys; sys.exit("no network")')
    monkeypatch.setenv('PATH', str(tmp_path))
    with pytest.raises(EngineMissing, match='no network'):
        kokoro_voices.fetch()


@pytest.mark.parametrize(('language', 'voice'), [('en', 'anna'), ('ja', 'anna'), ('sw', '')])
def test_a_language_or_voice_that_is_not_there_is_named(language, voice):
    with pytest.raises(EngineMissing, match='voice'):
        embedded_mouth(language, voice)


def test_ears_without_their_packages_say_what_to_do(monkeypatch):
    monkeypatch.setattr('importlib.util.find_spec', lambda name: None)
    for language in ('en', 'ja'):
        with pytest.raises(EngineMissing, match='not installed: `make up VOICE=1`'):
            embedded_ear(language, 1)


def piper(tmp_path, text):
    model = tmp_path / 'voice.onnx'
    (tmp_path / 'voice.onnx.json').write_text(json.dumps({'audio': {'sample_rate': 22_050}}))
    return Piper('en', str(model), program(tmp_path / 'piper', text))


def test_piper_is_a_process_apart(tmp_path):
    echo = (
        'import sys\nassert sys.argv[1:] == ["--model", sys.argv[2], "--output-raw"]\n'
        'sys.stdout.buffer.write(sys.stdin.buffer.read())'
    )
    mouth = piper(tmp_path, echo)
    assert list(mouth.speak('Good\nday')) == [Clip(b'Good day', 22_050)]
    assert mouth.name == 'piper voice'


def test_piper_that_fails_says_why(tmp_path):
    mouth = piper(tmp_path, 'import sys; sys.exit("bad voice")')
    with pytest.raises(EngineFailed, match='bad voice'):
        list(mouth.speak('Good day'))


def test_piper_that_is_not_there_is_told(tmp_path):
    with pytest.raises(EngineMissing, match='not installed'):
        Piper('en', str(tmp_path / 'voice.onnx'), 'piper-that-nobody-has')
