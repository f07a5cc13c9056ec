"""What a process of hers spares while it loads.

No garbage is looked for: loading makes half a million objects that stay, and looking through them
again and again takes a tenth of the start. Afterwards they are set aside once for all, so that
later looks are short, too. And pydantic does not read the metadata of every installed package for
plugins that have nothing to do with hers.
"""

from __future__ import annotations

import gc
import os

_PLUGINS = 'PYDANTIC_DISABLE_PLUGINS'
_NONE = '__all__'


def begin() -> None:
    """Spare it until :func:`end`."""
    gc.disable()
    os.environ.setdefault(_PLUGINS, _NONE)


def end() -> None:
    """Go on as every process does."""
    gc.freeze()
    gc.enable()
    if os.environ.get(_PLUGINS) == _NONE:
        del os.environ[_PLUGINS]
