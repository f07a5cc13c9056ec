"""Runs organs as a program: until a signal ends it, and with an exit code that says how.

SIGINT, SIGTERM and SIGHUP end with exit code 0. A wrong parameter or argument, a home that cannot
be used, a taken home or namespace ends with exit code 2 and one clear line.
"""

from __future__ import annotations

import errno
import faulthandler
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import rclpy

from soul import loading
from soul.core.interfaces import EXIT_REFUSED
from soul.core.organ import StartRefused
from soul.graph import OrganSpec
from soul.ros import dds, given
from soul.ros.ending import Ending
from soul.ros.params import known_names
from soul.ros.runner import Runner
from soul.ros.sole import Look, NameTaken
from soul.ros.terminals import serve
from soul.ros.watchdog import Watchdog
from soul.service.notify import Notifier
from soul.store import HomeInUse, HomeUnusable, Unreadable

#: What ends a start with one clear line instead of a traceback.
REFUSALS = (StartRefused, HomeInUse, HomeUnusable, Unreadable, NameTaken)

#: What may pass by itself, so that another start is worth a try.
_PASSING = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.EBUSY,
)

#: Longest time all of them may take, s; within what `ros2 launch` waits before it kills.
STOP_SECONDS = 9.0


def run(
    specs: Sequence[OrganSpec[Any]] | Callable[[], Sequence[OrganSpec[Any]]],
    arguments: Sequence[str] | None = None,
    greeting: Callable[[Runner], None] | None = None,
    values: Mapping[str, Mapping[str, Any]] | None = None,
    names: Sequence[str] = (),
    family: Sequence[str] = (),
) -> int:
    """Run organs until SIGINT, SIGTERM or SIGHUP.

    Parameters
    ----------
    specs
        The organs, or what loads them.
    values
        Parameter values by node name; they count more than the command line's.
    names
        Names of the nodes, if `specs` is yet to be loaded.
    family
        Names of all nodes of the graph, also of those that run elsewhere or not at all; empty:
        unknown.

    Returns
    -------
    int
        Exit code: 0 after a normal stop, 1 if an organ failed, 2 if the start was refused.
    """
    dds.prepare()
    arguments = list(sys.argv if arguments is None else arguments)
    code, text = given.stray_arguments(arguments)
    if text:
        print(text, file=sys.stderr if code else sys.stdout, flush=True)
        return code
    ending = Ending()
    ending.on_signals()  # from now on: a stop during the start is a clean one, too
    try:
        try:
            runner = _begin(specs, arguments, values, names, family, ending)
        except REFUSALS as refusal:
            print(refusal, file=sys.stderr, flush=True)  # noqa: T201
            return EXIT_REFUSED
        except OSError as error:
            where = f'{error.filename}: ' if error.filename else ''
            print(f'she cannot live: {where}{error.strerror or error}', file=sys.stderr)  # noqa: T201
            return 1 if error.errno in _PASSING else EXIT_REFUSED
        return _live(runner, greeting, ending)
    finally:
        rclpy.try_shutdown()
        faulthandler.cancel_dump_traceback_later()
        ending.ignore_signals()


def _begin(
    specs: Sequence[OrganSpec[Any]] | Callable[[], Sequence[OrganSpec[Any]]],
    arguments: Sequence[str],
    values: Mapping[str, Mapping[str, Any]] | None,
    names: Sequence[str],
    family: Sequence[str],
    ending: Ending,
) -> Runner:
    given.initialise(arguments)
    context = rclpy.get_default_context()
    look = Look(names if callable(specs) else [spec.name for spec in specs], context)
    try:
        organs = specs() if callable(specs) else specs
        nodes = {look.full_name(spec.name): known_names(spec.config) for spec in organs}
        for doubt in given.check_names(given.sections(arguments), nodes, family):
            print(doubt, file=sys.stderr, flush=True)  # noqa: T201
    except BaseException:
        look.close()
        raise
    look.conclude()
    return Runner(organs, context, given=values, ending=ending)


def _live(runner: Runner, greeting: Callable[[Runner], None] | None, ending: Ending) -> int:
    listener = None
    watchdog = Watchdog(runner, Notifier())
    try:
        runner.start()
        loading.end()
        listener = serve(runner.organs)
        watchdog.start()
        if greeting is not None:
            greeting(runner)
        ending.wait()
    finally:  # whatever happened: the hardware is not left alone
        # Whatever hangs is told, and does not keep the process alive for ever.
        faulthandler.dump_traceback_later(STOP_SECONDS, exit=True)
        watchdog.close()
        if listener is not None:
            listener.close()
        try:
            runner.stop()
        except Exception:  # noqa: BLE001 - reported where it happened
            code = 1
        else:
            code = 0
    return code
