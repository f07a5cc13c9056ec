"""The commands of voice and ears, and what `soul up --voice` brings."""

import struct
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from soul.cli import speaking
from soul.cli.main import app
from soul.cli.output import Output
from soul.core.errors import StartRefused
from soul.voice import install as installing
from soul.voice.install import NotInstalled, install
from soul.voice.languages import language_of
from soul.voice.packages import OF_LANGUAGE, extras, megabytes, packages
from soul.voice.recording import read_recording
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


def wave(channels=1, rate=16_000, bits=16, sound=b'\1\0' * 100):
    """A WAV file as anybody may write it."""
    size = channels * bits // 8
    form = struct.pack('<HHIIHH', 1, channels, rate, rate * size & 0xFFFFFFFF, size & 0xFFFF, bits)
    return b'RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0' + form + b'data\xff\xff\xff\x7f' + sound


@pytest.mark.parametrize(
    ('content', 'why'),
    [
        (b'ID3' + bytes(100), 'no WAV file'),
        (b'', 'no WAV file: it ends in its header'),
        (wave()[:30], 'no WAV file'),
        (wave(rate=0), 'of 0 Hz, wanted are 4000 to 192000'),
        (wave(rate=1), 'of 1 Hz'),
        (wave(rate=4_000_000_000), 'of 4000000000 Hz'),
        (wave(channels=0), 'no WAV file'),
        (wave(channels=60_000), 'of 60000 channels'),
        (wave(bits=24), 'of 24 bit, wanted are 16'),
        (wave(sound=b''), 'without any sound'),
        (wave(sound=b'1'), 'without any sound'),
    ],
)
def test_a_file_that_is_no_sound_is_refused_with_what_to_do(tmp_path, content, why):
    file = tmp_path / 'song.wav'
    file.write_bytes(content)
    told = CliRunner().invoke(app, ['ears', 'test', str(file)])
    assert told.exit_code == 1
    text = ' '.join(told.output.split())
    assert why in text
    assert 'ffmpeg' in text


@pytest.mark.parametrize('name', ['/dev/zero', '/', '/nobody/has/this.wav'])
def test_what_is_no_file_is_refused(name):
    told = CliRunner().invoke(app, ['ears', 'test', name])
    assert told.exit_code == 1
    assert 'no ordinary file' in told.output or 'it cannot be read: No such file' in told.output


def test_of_a_huge_file_a_part_is_read(tmp_path):
    file = tmp_path / 'day.wav'
    with file.open('wb') as target:
        target.write(wave(channels=2, sound=b'\1\0\2\0' * 16_000))
        target.truncate(1 << 32)
    clip, more = read_recording(file, 2.0)
    assert (clip.seconds, more) == (2.0, True)
    assert clip.samples[:4] == b'\1\0\1\0', 'the first channel'


@pytest.mark.parametrize('name', ['', 'qq', '../../etc', 'x' * 500, 'klingon'])
@pytest.mark.parametrize(
    'words',
    [['voice', 'install'], ['voice', 'test', '--language'], ['ears', 'test', '/', '--language']],
)
def test_a_language_that_nobody_knows_is_refused_with_those_there_are(words, name):
    told = CliRunner().invoke(app, [*words, name])
    assert told.exit_code == 2
    text = ' '.join(told.output.split())
    assert f'there is no language {name[:40]!r} here' in text
    assert 'she speaks and hears en, ja, zh, and only hears af, am' in text
    assert len(text) < 700


@pytest.mark.parametrize(
    ('name', 'short'),
    [('EN', 'en'), ('en-US', 'en'), ('zh_CN', 'zh'), (' ja ', 'ja'), ('de', 'de')],
)
def test_a_language_may_be_written_as_people_do(name, short):
    assert language_of(name) == short


def test_a_persona_of_a_language_that_nobody_knows_writes(tmp_path):
    file = parameters(tmp_path, {'/**/mind': {'ros__parameters': {'language': 'qq'}}})
    console = Output()
    with console.capture() as told:
        assert speaking.begin(console, file).language == 'qq'
    assert "there is no language 'qq' here" in told.get()


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
