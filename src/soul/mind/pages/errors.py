"""Why a page was not written."""

from __future__ import annotations


class PageRefused(ValueError):
    """A page was not written; the message says why, in her language."""


class EditedMeanwhile(PageRefused):
    """Somebody else changed the page since she last saw it: theirs stays, hers lies beside it."""


class SchemaTooNew(Exception):
    """The soul directory was written by a newer version of this package."""
