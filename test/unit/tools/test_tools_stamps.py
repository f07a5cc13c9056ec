"""What setup does again, and what it leaves alone."""

from pathlib import Path

import pytest

from soulenv import bytecode, families, setup, shell, stamps, workspace

EVERYTHING = ['environment', 'packages', 'messages', 'soul', 'bytecode']


@pytest.fixture
def root(tmp_path):
    """Make a checkout as small as setup can take."""
    files = {
        'package.xml': '<package/>',
        'setup.py': '',
        'setup.cfg': '',
        'src/soul/__init__.py': '',
        'src/soul/heart.py': '',
        'launch/bringup.launch.py': '',
        'src/soul_msgs/package.xml': '<package/>',
        'src/soul_msgs/msg/Wake.msg': 'string why\n',
    }
    names = ('ros-kilted', 'ros-jazzy', 'build', 'runtime', 'test', 'dev')
    files |= {f'requirements/{name}.txt': name for name in names}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.fixture
def family(root):
    return families.choose(root, 'kilted', {})


@pytest.fixture
def done(family):
    """Stamp everything as done."""
    for step, stamp in setup.wanted_stamps(family).items():
        stamps.write(setup.stamp_path(family, step), stamp)
    shell.environment_file(family).write_text('')
    return family


def test_a_clean_clone_needs_everything(family):
    assert setup.due(family) == EVERYTHING


def test_a_second_run_needs_nothing(done):
    assert setup.due(done) == []


@pytest.mark.parametrize(
    ('name', 'steps'),
    [
        ('requirements/runtime.txt', ['packages', 'soul', 'bytecode']),
        ('requirements/dev.txt', ['packages', 'bytecode']),
        ('requirements/build.txt', EVERYTHING),
        ('requirements/ros-kilted.txt', EVERYTHING),
        ('requirements/ros-jazzy.txt', []),
        ('src/soul_msgs/msg/Wake.msg', ['messages', 'soul', 'bytecode']),
        ('src/soul_msgs/msg/Knock.msg', ['messages', 'soul', 'bytecode']),
        ('setup.py', ['soul', 'bytecode']),
        ('package.xml', ['soul', 'bytecode']),
        ('config/soul.yaml', ['soul', 'bytecode']),
        ('launch/bringup.launch.py', []),
        ('src/soul/heart.py', []),
        ('src/soul/organ/__init__.py', []),
    ],
)
def test_a_change_costs_only_what_rests_on_it(done, root, name, steps):
    (root / name).parent.mkdir(exist_ok=True, parents=True)
    (root / name).write_text('changed')

    assert setup.due(done) == steps


def test_a_removed_build_is_made_again(done):
    stamps.remove(setup.stamp_path(done, 'messages'))

    assert setup.due(done) == ['messages', 'soul', 'bytecode']


def test_a_lost_environment_file_is_written_again(done):
    shell.environment_file(done).unlink()

    assert setup.due(done) == ['soul']


def test_a_moved_checkout_is_made_anew(done, root, tmp_path_factory):
    moved = tmp_path_factory.mktemp('moved') / 'soul'
    root.rename(moved)

    assert setup.due(families.choose(moved, 'kilted', {})) == EVERYTHING


def test_a_step_that_fails_is_not_stamped(done, root, monkeypatch):
    (root / 'setup.py').write_text('changed')
    monkeypatch.setattr(setup, 'build_soul', lambda family: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        setup.perform(done, setup.due(done), None)

    assert setup.due(done) == ['soul', 'bytecode']


def test_a_torn_stamp_counts_as_none(tmp_path):
    path = tmp_path / 'stamp'
    path.write_text('{"sources": "ab')

    assert stamps.read(path) == {}
    assert stamps.read(tmp_path / 'nothing') == {}


def test_a_vanished_message_changes_the_names(family, root):
    before = workspace.messages_stamp(family, 'x')
    (root / 'src/soul_msgs/msg/Wake.msg').write_text('string reason\n')
    edited = workspace.messages_stamp(family, 'x')
    (root / 'src/soul_msgs/msg/Wake.msg').unlink()
    removed = workspace.messages_stamp(family, 'x')

    assert edited['names'] == before['names']
    assert edited['sources'] != before['sources']
    assert removed['names'] != before['names']


@pytest.mark.parametrize('name', [m for m in bytecode.MODULES if m.startswith('soul.')])
def test_what_is_compiled_exists(name):
    """A module that was renamed is not passed over in silence."""
    path = Path(__file__).resolve().parents[3] / 'src' / name.replace('.', '/')
    assert path.with_suffix('.py').is_file() or (path / '__init__.py').is_file()
