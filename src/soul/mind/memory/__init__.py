"""Her memory: resident memory, a tree of notes, and search over all of it."""

from soul.mind.memory.entry import ORIGINS, Entry
from soul.mind.memory.errors import MemoryRefused
from soul.mind.memory.keeping import Remembered
from soul.mind.memory.memory import Memory
from soul.mind.memory.ranking import Hit

__all__ = ['ORIGINS', 'Entry', 'Hit', 'Memory', 'MemoryRefused', 'Remembered']
