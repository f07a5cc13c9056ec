"""Which ROS 2 soul is built against: wheels of one family, or an installation that is sourced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from soulenv.report import SetupError

WHEELS = ('kilted', 'jazzy')
TESTED = ('jazzy', 'kilted')


@dataclass(frozen=True)
class Family:
    """One environment: its ROS 2 and the directories that belong to it alone.

    Two families must never share a venv or a build; so each has its own of everything.
    """

    root: Path
    distro: str
    wheels: bool
    suffix: str

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / f'.venv{self.suffix}'

    @property
    def build(self) -> Path:
        """The build base of colcon."""
        return self.root / f'build{self.suffix}'

    @property
    def install(self) -> Path:
        """The install base of colcon."""
        return self.root / f'install{self.suffix}'

    @property
    def log(self) -> Path:
        """The log base of colcon; pip's output is here too."""
        return self.root / f'log{self.suffix}'

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.venv / 'bin' / 'python'

    @property
    def base_requirements(self) -> list[Path]:
        """The requirement files that an environment and its messages are made from."""
        names = ['build']
        if self.wheels:
            names.insert(0, f'ros-{self.distro}')
        return [self.root / 'requirements' / f'{name}.txt' for name in names]

    @property
    def requirements(self) -> list[Path]:
        """All requirement files."""
        names = ['runtime', 'test', 'dev']
        return [
            *self.base_requirements,
            *(self.root / 'requirements' / f'{name}.txt' for name in names),
        ]


def sourced_distro(environment: Mapping[str, str], root: Path) -> str | None:
    """Return the name of the ROS 2 installation that this shell has sourced, if any.

    Our own wheels also set ROS_DISTRO and AMENT_PREFIX_PATH. What tells an installation from
    them is a prefix outside the checkout that holds rclpy and a `setup.sh` of its own.
    """
    distro = environment.get('ROS_DISTRO')
    prefixes = environment.get('AMENT_PREFIX_PATH')
    if not distro or not prefixes:
        return None
    for text in prefixes.split(':'):
        prefix = Path(text)
        if not text or prefix == root or root in prefix.parents:
            continue
        has_rclpy = (prefix / 'share' / 'rclpy' / 'package.xml').is_file()
        if has_rclpy and (prefix / 'setup.sh').is_file():
            return distro
    return None


def choose(root: Path, wanted: str, environment: Mapping[str, str]) -> Family:
    """Decide what to build against.

    Parameters
    ----------
    root
        The checkout.
    wanted
        `auto`, `sourced`, or the name of a wheel family.
    environment
        The variables of the shell.

    Raises
    ------
    SetupError
        The family is unknown, or nothing is sourced although it was asked for.
    """
    distro = sourced_distro(environment, root)
    if wanted == 'sourced' and distro is None:
        raise SetupError(
            'No ROS 2 installation is sourced in this shell.',
            'source /opt/ros/<distro>/setup.bash first, or leave out --family',
        )
    # A sourced Jazzy is also the answer to `--family jazzy`: the real one beats its wheels, and
    # both live in `.venv-jazzy`, which the stamp keeps from being mixed.
    if distro is not None and wanted in ('auto', 'sourced', distro):
        return Family(root, distro, wheels=False, suffix=f'-{distro}')
    if wanted == 'auto':
        wanted = WHEELS[0]
    if wanted not in WHEELS:
        raise SetupError(
            f'There are no wheels of the family {wanted!r}.',
            f'choose one of {", ".join(WHEELS)}, or source an installation of {wanted}',
        )
    suffix = '' if wanted == WHEELS[0] else f'-{wanted}'
    return Family(root, wanted, wheels=True, suffix=suffix)
