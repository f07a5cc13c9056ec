"""A file on her bench, or a page of her soul, as it is told to the field."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BenchFile:
    """A file of hers as it is now."""

    path: str  # relative to her home
    digest: str = ''  # empty: it is gone
    preview: str = ''  # how it begins
    changed: float = 0.0  # s since 1970, of the file system's clock
    bench: bool = True  # on the workbench; otherwise a page of her soul
    found: bool = False  # it was there when watching began
