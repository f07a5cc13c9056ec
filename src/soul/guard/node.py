"""The guard as a ROS node."""

from __future__ import annotations

from soul.guard.audit import Audit
from soul.guard.config import GuardConfig
from soul.guard.guard import Guard
from soul.ros.organ import Birth, OrganSpec
from soul.ros.runner import run
from soul.store.stop_file import StopFile


def _build(birth: Birth[GuardConfig]) -> Guard:
    stop_file = StopFile(birth.home.stop_file)
    audit = Audit(birth.home.path / 'guard.db')
    birth.on_close(audit.close)
    guard = Guard(
        birth.config,
        birth.rng,
        audit,
        stop_file.write,
        stop_file.read(),
        birth.memory,
    )
    stop_file.watch(lambda content: birth.inject(lambda now: guard.on_stop_file(content, now)))
    birth.on_close(stop_file.close)
    return guard


SPEC = OrganSpec(name='guard', organ=Guard, config=GuardConfig, build=_build)


def main() -> int:
    """Run the guard alone in this process."""
    return run([SPEC])
