"""Her pages as she can look them up: what she did, who she was, her diary, what is settled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from pathlib import Path

from soul.mind.memory.entry import OWN, Entry, mark
from soul.mind.memory.index import Stat
from soul.mind.pages import months
from soul.mind.pages.achievements import Achievements
from soul.mind.pages.entries import PageEntry, dated_sections, listed
from soul.mind.pages.matters import SETTLED
from soul.mind.pages.self_page import SelfPage
from soul.store.pages import text_of
from soul.store.regular import read_regular

Parser = Callable[[str, tzinfo | None], Sequence[PageEntry]]
_PARSERS: dict[str, Parser] = {
    months.DIARY: dated_sections,
    Achievements.name: listed,
    SETTLED: listed,
    f'{SelfPage.name.removesuffix(".md")}.history.md': dated_sections,
}
#: Whose words may be among those of a page that is not as she wrote it.
OTHERS = 'person'


class RecalledPages:
    """The pages of one soul directory, as :class:`soul.mind.memory.Memory` takes them.

    Parameters
    ----------
    folder
        The soul directory.
    is_hers
        Whether a page of this name and text is as she wrote it.
    zone
        Time zone of the dates in the pages; None: the host's.
    """

    def __init__(
        self,
        folder: Path,
        is_hers: Callable[[str, str], bool],
        zone: tzinfo | None = None,
    ) -> None:
        self._folder, self._is_hers, self._zone = folder, is_hers, zone

    def stats(self) -> Mapping[str, Stat]:
        """Return what tells that a page has changed, by name; reads none."""
        old = (self._folder / months.FOLDER).glob('*.md')
        names = [*_PARSERS, *(months.name_of(p.stem) for p in old if months.is_month(p.name))]
        found = {}
        for name in names:
            try:
                status = (self._folder / name).stat()
            except OSError:
                continue
            found[name] = Stat(status.st_mtime_ns, status.st_size)
        return found

    def entries(self, name: str) -> Sequence[Entry]:
        """Read the entries of a page; what cannot be read has none."""
        path = self._folder / name
        try:
            modified, text = path.stat().st_mtime, text_of(read_regular(path))
        except OSError:
            return ()
        origins = (OWN,) if self._is_hers(name, text) else (OWN, OTHERS)
        parse = _PARSERS.get(name, dated_sections)
        return [
            Entry(mark(entry.text, name, at), entry.text, at, origins, path=name)
            for entry in parse(text, self._zone)
            for at in [(modified if entry.at is None else entry.at) // 60 * 60]
        ]
