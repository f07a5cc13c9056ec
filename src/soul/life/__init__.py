"""The soul directory: her pages, what they mean, their snapshot, migration and backup."""

from soul.life.directory import SoulDirectory
from soul.life.errors import EditedMeanwhile, PageRefused, SchemaTooNew
from soul.life.persona import Persona
from soul.life.snapshot import Snapshot

__all__ = [
    'EditedMeanwhile',
    'PageRefused',
    'Persona',
    'SchemaTooNew',
    'Snapshot',
    'SoulDirectory',
]
