"""Files that come with the package are found from the source tree and installed alike."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import soul
from soul.text.resources import resource

PACKAGE = Path(soul.__file__).parent


def test_in_the_source_tree():
    assert resource('drives.yaml').is_file()
    assert resource('sensations').is_dir()


@pytest.mark.parametrize('library', ['lib/python3.11/site-packages', 'local/lib/python3.11/x'])
def test_installed(tmp_path, library):
    prefix = tmp_path / 'install' / 'soul'
    package = prefix / library / 'soul'
    shutil.copytree(PACKAGE / 'text', package / 'text')
    shutil.copy(PACKAGE / '__init__.py', package)
    config = prefix / 'share' / 'soul' / 'config'
    config.mkdir(parents=True)
    (config / 'drives.yaml').touch()
    script = (
        'from soul.text.resources import resource\n'
        'print(resource("drives.yaml"))\n'
        'try: resource("nothing")\n'
        'except FileNotFoundError as error: print(error)\n'
    )
    environment = {**os.environ, 'PYTHONPATH': str(package.parent)}
    environment['AMENT_PREFIX_PATH'] = str(prefix) if library.startswith('local') else ''
    ended = subprocess.run(
        [sys.executable, '-c', script],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=tmp_path,
    )
    found, missing = ended.stdout.splitlines()
    assert found == str(config / 'drives.yaml')
    assert 'nothing belongs to the package' in missing
