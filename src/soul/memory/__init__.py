"""Her memory: resident memory, a tree of notes, and search over all of it."""

from soul.memory.entry import ORIGINS, Entry
from soul.memory.errors import MemoryRefused
from soul.memory.keeping import Remembered
from soul.memory.memory import Memory
from soul.memory.ranking import Hit

__all__ = ['ORIGINS', 'Entry', 'Hit', 'Memory', 'MemoryRefused', 'Remembered']
