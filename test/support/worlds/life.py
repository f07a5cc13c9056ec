"""A life on disk for tests."""

import random
from zoneinfo import ZoneInfo

from soul.mind.memory import Memory
from soul.mind.pages import SoulDirectory

NOW = 1_791_201_600.0  # 2026-10-05 14:00 in the zone below
HOUR = 3600.0
DAY = 86400.0
ZONE = ZoneInfo('Europe/Berlin')
CAPABILITIES = {
    'speak': 'Say something aloud.',
    'contact': 'Write to a person far away.',
    'sleep': 'Rest.',
}


def soul(home, language='en', **given):
    """Her pages."""
    given.setdefault('capabilities', CAPABILITIES)
    return SoulDirectory(home / 'soul', language=language, routine=['sleep'], zone=ZONE, **given)


def memory(home, language='en', **given):
    """Her memory."""
    return Memory(home / 'memory', language, zone=ZONE, **given)


def snapshot(pages, now=NOW, seed=1, scale=1.0):
    """What she wakes with."""
    return pages.snapshot(now, random.Random(seed), scale)


def texts(home):
    """Every text file below a home, by relative path, without what only serves the store."""
    return {
        str(path.relative_to(home)): path.read_bytes().decode('utf-8', 'surrogateescape')
        for path in sorted(home.rglob('*.md'))
    }
