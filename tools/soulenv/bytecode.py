"""Compile once what every process of hers loads.

pip leaves that to the first import, which is right for the thousand modules that nobody imports.
But where Python may not write (PYTHONDONTWRITEBYTECODE, as many containers have it, or a checkout
of another user) each process would compile two megabytes of source again: a start takes three
times as long then.
"""

from __future__ import annotations

import subprocess

from soulenv import workspace
from soulenv.families import Family

#: Loads what is named, and every node; what is not installed is passed over.
_LOAD = """
import contextlib, importlib, sys
sys.dont_write_bytecode = False
names = sys.argv[1:]
with contextlib.suppress(ImportError):
    from soul import graph
    names += [node.module for node in graph.NODES]
for name in names:
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
"""
#: What the graph beside its nodes, the command line and the tests load.
MODULES = (
    *('soul.bringup', 'soul.entry', 'soul.library', 'soul.ros.main', 'soul.ros.terminals'),
    *('soul.cli.main', 'soul.cli.up', 'soul.cli.find', 'soul.cli.status', 'soul.cli.talk'),
    *('soul.cli.control', 'soul.cli.poke', 'soul.cli.readable'),
    *('numpy.ma', 'PIL.Image', 'rich.markdown', 'rich.panel', 'rich.table'),
    *('starlette.applications', 'uvicorn', 'websockets.asyncio.client'),
    *('pytest', 'pytest_timeout', 'xdist', 'hypothesis.strategies', 'click.testing'),
)


def write(family: Family) -> None:
    """Write the bytecode of everything that is loaded; no fault: it only takes longer without."""
    variables = workspace.build_environment(family)
    variables.pop('PYTHONDONTWRITEBYTECODE', None)
    variables['SOUL_FAMILY'] = family.distro
    script = '. tools/env.sh && exec python -c "$0" "$@"'
    command = ['bash', '-c', script, _LOAD, *MODULES]
    subprocess.run(command, env=variables, cwd=family.root, capture_output=True)
