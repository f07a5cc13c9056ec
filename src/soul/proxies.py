"""Which addresses are asked through a proxy that the environment names."""

from __future__ import annotations

import importlib.util
import ipaddress
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

#: Endings of names that belong to no public host.
_LOCAL_NAMES = ('.local', '.localhost', '.lan', '.internal', '.home.arpa', '.home')


def is_local(url: str) -> bool:
    """Whether an address names this machine or its own network, going by its words alone."""
    host = (urlsplit(url).hostname or '').rstrip('.').lower()
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return '.' not in host or host.endswith(_LOCAL_NAMES)
    return not address.is_global


def client_options(url: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return how a client for an address treats the proxies of the environment.

    What lies on this machine or in its own network is never asked through a proxy: it could not
    be reached there, and what is sent to it would be read elsewhere.

    Raises
    ------
    ValueError
        If the environment names a SOCKS proxy that nothing here can use; says what to do.
    """
    if is_local(url):
        return {'trust_env': False}
    name, proxy = _proxy(url, environ)
    # httpx uses socksio when it is there
    if proxy.lower().startswith('socks') and importlib.util.find_spec('socksio') is None:
        raise ValueError(
            f'{name} names a SOCKS proxy, for which the package socksio is missing: '
            "`pip install 'httpx[socks]'`, or unset it"
        )
    return {'trust_env': True}


def _proxy(url: str, environ: Mapping[str, str]) -> tuple[str, str]:
    scheme = urlsplit(url).scheme or 'http'
    for name in (f'{scheme}_proxy', 'all_proxy'):
        for spelled in (name, name.upper()):
            if environ.get(spelled):
                return spelled, environ[spelled]
    return '', ''
