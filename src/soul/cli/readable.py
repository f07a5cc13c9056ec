"""Writes the messages of topics for people."""

from __future__ import annotations

from typing import Any

import yaml


class _Readable(yaml.SafeDumper):
    pass


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # Whole lines, one below the other, where there are several: what she sees is a picture.
    style = '|' if '\n' in text else None
    return dumper.represent_scalar('tag:yaml.org,2002:str', text, style)


_Readable.add_representer(str, _text)


def readable(value: Any) -> str:
    """Write the plain values of a message, or of a part of it."""
    if isinstance(value, str):
        return value
    if not isinstance(value, (dict, list)):
        return str(value)
    return yaml.dump(
        value, Dumper=_Readable, allow_unicode=True, sort_keys=False, width=10_000
    ).rstrip('\n')
