"""The commands of voice and ears, and what `soul up --voice` brings."""

import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from soul.cli import speaking
from soul.cli.main import app
from soul.core.errors import StartRefused
from soul.voice import install as installing
from soul.voice.install import NotInstalled, install
from soul.voice.packages import OF_LANGUAGE, extras, megabytes, packages
from soul.voice.sound import Clip, write_wave
from support.speech import TEXTS, quiet, samples, wrong
from support.voices import needs

#: Plays pip: it writes what it is called with, and fails where it is told to.
PIP = (
    'import sys, pathlib\n'
    'words = sys.argv[1:]\n'
    'listed = pathlib.Path(words[words.index("-r") + 1]).read_text()\n'
    'with open({log!r}, "a") as log:\n'
    '    print(" ".join(words[:-2]), file=log)\n'
    '    print(listed, file=log)\n'
    'sys.exit({code})\n'
)


def pip(tmp_path, code=0):
    log = tmp_path / 'pip.log'
    return [sys.executable, '-c', PIP.format(log=str(log), code=code)], log


@pytest.fixture
def nothing(monkeypatch):
    """Nothing is installed."""
    monkeypatch.setattr(installing, 'lacking', packages)


def test_what_is_installed_is_named_with_its_size_and_licence(nothing, tmp_path):
    said = []
    words, log = pip(tmp_path)
    install('en', said.append, words)
    text = '\n'.join(said)
    assert f'{megabytes(packages("en"))} MB' in said[0]
    for package in packages('en'):
        assert package.wanted in text
        assert package.licence in text
    written = log.read_text()
    assert '--require-hashes --no-deps' in written
    assert 'hibari-tts==0.2.1 --hash=sha256:49f2abbb' in written


def test_pip_that_fails_is_told(nothing, tmp_path):
    words, _ = pip(tmp_path, code=1)
    with pytest.raises(NotInstalled, match='it ended with 1'):
        install('en', lambda text: None, words)


def test_what_is_there_is_not_installed_again(monkeypatch, tmp_path):
    monkeypatch.setattr(installing, 'lacking', lambda language: ())
    words, log = pip(tmp_path)
    install('en', lambda text: pytest.fail(text), words)
    assert not log.exists()


def test_each_weight_is_pinned_to_one_file():
    for language in OF_LANGUAGE:
        for package in packages(language):
            assert package.sha256 or '<' in package.wanted or package.module in (
                'faster_whisper', 'misaki',
            ), package.wanted  # fmt: skip
            assert all(len(sha256) == 64 for sha256 in package.sha256)
    assert set(extras()) == {'voice', 'voice-ja', 'voice-zh'}


def parameters(tmp_path, document):
    file = tmp_path / 'params.yaml'
    file.write_text(yaml.safe_dump(document))
    return str(file)


@pytest.mark.parametrize(
    ('document', 'language'),
    [
        ({}, 'en'),
        ({'/**/mind': {'ros__parameters': {'persona': 'mira_ja', 'language': 'ja'}}}, 'ja'),
        ({'/**': {'ros__parameters': {'persona': 'mira_zh'}}}, 'zh'),
        ({'soul': {'mind': {'ros__parameters': {'persona': 'mira_ja'}}}}, 'en'),
        ({'/soul/mind': {'ros__parameters': {'language': 'de'}}}, 'de'),
    ],
)
def test_she_speaks_the_language_of_her_persona(tmp_path, document, language):
    assert speaking.wish(parameters(tmp_path, document)).language == language


def test_the_voice_of_the_persona_is_hers(tmp_path):
    persona = tmp_path / 'mine.yaml'
    persona.write_text('name: Ming\nlanguage: zh\nvoice: zm_yunxi\n')
    file = parameters(tmp_path, {'/**/mind': {'ros__parameters': {'persona': str(persona)}}})
    wanted = speaking.wish(file)
    assert wanted == speaking.Wish('zh', 'zm_yunxi')
    with speaking.parameters(wanted) as words:
        given = yaml.safe_load(Path(words[1]).read_text(encoding='utf-8'))
    assert given == {
        '/**/stackchan': {
            'ros__parameters': {'voice': True, 'voice_language': 'zh', 'voice_name': 'zm_yunxi'}
        }
    }


@pytest.mark.parametrize('text', ['- a\n- b: [', '/**/mind: {ros__parameters: {persona: nobody}}'])
def test_what_cannot_be_read_is_named(tmp_path, text):
    file = tmp_path / 'params.yaml'
    file.write_text(text)
    with pytest.raises(StartRefused, match=r'params\.yaml|nobody'):
        speaking.wish(str(file))


def test_a_file_that_is_no_sound_is_refused_with_what_to_do(tmp_path):
    file = tmp_path / 'song.mp3'
    file.write_bytes(b'ID3' + bytes(100))
    told = CliRunner().invoke(app, ['ears', 'test', str(file)])
    assert told.exit_code == 1
    assert 'ffmpeg' in told.output


@pytest.mark.voice
@needs('en', mouth=False)
def test_the_ears_can_be_tried_on_a_file(tmp_path):
    file = tmp_path / 'two.wav'
    both = quiet(0.5) + samples('en_morning') + quiet(1.5) + samples('en_look') + quiet(0.2)
    file.write_bytes(write_wave(Clip(both, 16_000)))
    told = CliRunner().invoke(app, ['ears', 'test', str(file)])
    assert told.exit_code == 0, told.output
    first, second = (line.partition(' s  ')[2] for line in told.output.splitlines()[1:])
    assert wrong(first, TEXTS['en_morning']) <= 0.2
    assert wrong(second, TEXTS['en_look']) <= 0.2


@pytest.mark.voice
@needs('en')
def test_the_voice_can_be_tried(tmp_path):
    told = CliRunner().invoke(app, ['voice', 'test', '--keep', str(tmp_path / 'said.wav')])
    assert told.exit_code == 0, told.output
    for words in ('loaded in', 'hibari', 'whisper', 'first sound after', 'heard:  Good morning'):
        assert words in told.output
    assert (tmp_path / 'said.wav').stat().st_size > 48_000


def test_a_language_without_a_voice_says_so():
    told = CliRunner().invoke(app, ['voice', 'test', '--language', 'sw'])
    assert told.exit_code == 1
    assert 'no embedded voice' in told.output
