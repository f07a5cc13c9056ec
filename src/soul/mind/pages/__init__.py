"""Her pages: the soul directory, one module for each kind of page, and what enters her mind."""

from soul.mind.pages.directory import SoulDirectory
from soul.mind.pages.errors import EditedMeanwhile, PageRefused, SchemaTooNew
from soul.mind.pages.snapshot import Snapshot

__all__ = ['EditedMeanwhile', 'PageRefused', 'SchemaTooNew', 'Snapshot', 'SoulDirectory']
