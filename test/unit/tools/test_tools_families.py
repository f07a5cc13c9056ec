"""Against which ROS 2 soul is built."""

import subprocess
from pathlib import Path

import pytest

from soulenv import families
from soulenv.report import SetupError

ENV_SH = Path(__file__).parents[3] / 'tools' / 'env.sh'


def installation(path, setup=True):
    """Make what looks like a ROS 2 installation."""
    (path / 'share' / 'rclpy').mkdir(parents=True)
    (path / 'share' / 'rclpy' / 'package.xml').write_text('<package/>')
    if setup:
        (path / 'setup.sh').write_text('')
    return path


def sourced(prefix, distro='jazzy'):
    return {'ROS_DISTRO': distro, 'AMENT_PREFIX_PATH': f'/elsewhere:{prefix}'}


@pytest.fixture
def root(tmp_path):
    path = tmp_path / 'soul'
    path.mkdir()
    return path


def test_a_bare_shell_gets_the_first_wheel_family(root):
    family = families.choose(root, 'auto', {})

    assert (family.distro, family.wheels) == ('kilted', True)
    assert family.venv == root / '.venv'
    assert family.requirements[0].name == 'ros-kilted.txt'


def test_the_second_family_shares_no_directory(root):
    kilted = families.choose(root, 'kilted', {})
    jazzy = families.choose(root, 'jazzy', {})

    assert jazzy.venv == root / '.venv-jazzy'
    assert jazzy.install == root / 'install-jazzy'
    for name in ('venv', 'build', 'install', 'log'):
        assert getattr(kilted, name) != getattr(jazzy, name)


def test_a_sourced_installation_is_used_and_its_ros_not_installed_again(root, tmp_path):
    environment = sourced(installation(tmp_path / 'ros'))

    family = families.choose(root, 'auto', environment)

    assert (family.distro, family.wheels) == ('jazzy', False)
    assert family.venv == root / '.venv-jazzy'
    assert not [path for path in family.requirements if path.name.startswith('ros-')]


def test_a_sourced_jazzy_also_answers_to_its_name(root, tmp_path):
    environment = sourced(installation(tmp_path / 'ros'))

    assert not families.choose(root, 'jazzy', environment).wheels
    assert families.choose(root, 'kilted', environment).wheels


def test_our_own_environment_is_no_installation(root):
    environment = sourced(installation(root / '.venv'), 'kilted')

    assert families.sourced_distro(environment, root) is None
    assert families.choose(root, 'auto', environment).wheels


def test_wheels_in_another_place_are_no_installation(root, tmp_path):
    environment = sourced(installation(tmp_path / 'venv', setup=False))

    assert families.sourced_distro(environment, root) is None


def test_a_distro_without_prefixes_is_no_installation(root):
    assert families.sourced_distro({'ROS_DISTRO': 'jazzy'}, root) is None


def test_sourced_was_asked_for_but_nothing_is(root):
    with pytest.raises(SetupError, match=r'setup\.bash'):
        families.choose(root, 'sourced', {})


def test_an_unknown_family_names_the_known_ones(root):
    with pytest.raises(SetupError, match='kilted, jazzy'):
        families.choose(root, 'humble', {})


@pytest.fixture
def enter(root):
    """Source a copy of env.sh in this root and return what the shell prints."""
    (root / 'tools').mkdir()
    (root / 'tools' / 'env.sh').write_text(ENV_SH.read_text())

    def run(environment, then='echo "$CHOSEN $A_LIST $ROS_AUTOMATIC_DISCOVERY_RANGE"'):
        script = f'. {root}/tools/env.sh && {then}'
        return subprocess.run(
            ['bash', '-c', script],
            capture_output=True,
            text=True,
            env={'PATH': '/usr/bin:/bin', **environment},
        )

    return run


def finished(family, word):
    """Make an environment that setup has finished."""
    family.venv.mkdir()
    (family.venv / 'soul_env.sh').write_text(
        f'export CHOSEN={word}\n_soul_prepend A_LIST {family.install}/lib:{family.venv}/lib\n'
    )


def test_env_sh_chooses_as_setup_does(root, tmp_path, enter):
    finished(families.choose(root, 'kilted', {}), 'kilted')
    finished(families.choose(root, 'jazzy', {}), 'jazzy')
    environment = sourced(installation(tmp_path / 'ros'))

    assert enter({}).stdout.startswith('kilted')
    assert enter({'SOUL_FAMILY': 'jazzy'}).stdout.startswith('jazzy')
    assert enter(environment).stdout.startswith('jazzy')
    assert enter(sourced(root / '.venv', 'kilted')).stdout.startswith('kilted')


def test_env_sh_puts_its_directories_first_and_only_once(root, enter):
    family = families.choose(root, 'kilted', {})
    finished(family, 'kilted')

    answer = enter(
        {'A_LIST': f'/mine:{root}/install-jazzy/lib::/yours'},
        f'. {root}/tools/env.sh; echo $A_LIST',
    )

    assert answer.stdout.strip() == f'{family.install}/lib:{family.venv}/lib:/mine:/yours'


@pytest.mark.parametrize(
    ('environment', 'found'),
    [
        ({}, 'LOCALHOST'),
        ({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}, 'SUBNET'),
        ({'ROS_LOCALHOST_ONLY': '0'}, ''),
    ],
)
def test_env_sh_keeps_her_on_this_machine_unless_told_otherwise(root, enter, environment, found):
    finished(families.choose(root, 'kilted', {}), 'kilted')

    answer = enter(environment, 'echo "<$ROS_AUTOMATIC_DISCOVERY_RANGE>"')

    assert answer.stdout.strip() == f'<{found}>'


def test_env_sh_says_what_to_run_first(root, enter):
    answer = enter({})

    assert answer.returncode != 0
    assert f'make -C {root} setup' in answer.stderr
    assert '--family jazzy' in enter({'SOUL_FAMILY': 'jazzy'}).stderr


def test_env_sh_leaves_no_helper_behind(root, enter):
    finished(families.choose(root, 'kilted', {}), 'kilted')

    assert '_soul' not in enter({}, 'set').stdout.replace('_soul_prepend A_LIST', '')
