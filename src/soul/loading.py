"""What a process of hers spares while it loads.

No garbage is looked for: loading makes half a million objects that stay, and looking through them
again and again takes a tenth of the start. Afterwards they are set aside once for all, so that
later looks are short, too. pydantic does not read the metadata of every installed package for
plugins that have nothing to do with hers. And the messages of ROS do without the generator of
their own code, which its package tries to load with a grammar, a parser and a template engine, and
does without where it is missing.
"""

from __future__ import annotations

import gc
import os
import sys

_PLUGINS = 'PYDANTIC_DISABLE_PLUGINS'
_NONE = '__all__'
#: Stands for nothing in `sys.modules`, so that an import fails as if it were not installed.
_GENERATOR = 'rosidl_generator_py.generate_py_impl'


def begin() -> None:
    """Spare it until :func:`end`."""
    gc.disable()
    os.environ.setdefault(_PLUGINS, _NONE)
    sys.modules.setdefault(_GENERATOR, None)  # type: ignore[arg-type]


def end() -> None:
    """Go on as every process does."""
    gc.freeze()
    gc.enable()
    if os.environ.get(_PLUGINS) == _NONE:
        del os.environ[_PLUGINS]
    if sys.modules.get(_GENERATOR, True) is None:
        del sys.modules[_GENERATOR]
