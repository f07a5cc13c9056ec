"""The soul directory: her pages, what others changed in them, and what she wakes with."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import Any

from soul.core.persona import Persona
from soul.mind.pages import schema, words
from soul.mind.pages.achievements import Achievements
from soul.mind.pages.aspirations import Aspirations
from soul.mind.pages.diary import Diary
from soul.mind.pages.matters import Matters, is_stale
from soul.mind.pages.mood import MoodPage
from soul.mind.pages.older import OlderEntry
from soul.mind.pages.page_store import Pages, PageStore
from soul.mind.pages.recalled import RecalledPages
from soul.mind.pages.repetition import Likeness
from soul.mind.pages.self_page import SelfPage
from soul.mind.pages.snapshot import Material, Snapshot, compose, newest
from soul.store.durable import make_folder
from soul.store.pages import shown
from soul.store.regular import read_regular

#: The heart's file; she only reads it.
DRIVES = 'DRIVES.json'


class SoulDirectory:
    """Her pages in one folder.

    Parameters
    ----------
    folder
        `<home>/soul`; it is made, brought to the newest form and seeded.
    persona
        Who she is in the beginning.
    language
        Name of a language in `config/life`, or the path of a YAML file; empty: the persona's.
    capabilities
        What she could do: name of a tool -> description.
    routine
        Those of them that are no part of anybody's self: sleeping, writing a diary.
    zone
        Time zone of the dates in her pages; None: the host's.
    now
        Seconds since 1970; a first page about herself then says when she came into being.

    Raises
    ------
    SchemaTooNew
        If a newer version of this package has written the folder.
    TableUnreadable
        If there is no such language.
    """

    def __init__(
        self,
        folder: Path,
        persona: Persona | None = None,
        language: str = '',
        capabilities: Mapping[str, str] | None = None,
        routine: Sequence[str] = (),
        zone: tzinfo | None = None,
        now: float | None = None,
    ) -> None:
        self.folder = folder
        self.persona = persona or Persona.model_validate({})
        self._capabilities = dict(capabilities or {})
        self._routine = tuple(routine)
        self._words = words.load(language or self.persona.language)
        make_folder(folder)
        self._store = store = PageStore(folder, self._words, zone)
        self.mood, self.diary, self.matters = MoodPage(store), Diary(store), Matters(store)
        self.aspirations, self.achievements = Aspirations(store), Achievements(store)
        self.self_page = SelfPage(store)
        self._likeness = Likeness()
        self._older = OlderEntry(self._likeness)
        self.aspirations.people = tuple(person.name for person in self.persona.people)
        self._seed(now)

    @property
    def anomalies(self) -> list[str]:
        """What was wrong with the files behind the pages, in words."""
        return [*self._store.seen.anomalies, *self._store.transaction.anomalies]

    def pages(self) -> dict[str, str]:
        """Return all Markdown files of the folder itself as they are, by name.

        What cannot be read is left out; :meth:`news` tells of it.
        """
        texts = {path.name: self._store.reader.read(path) for path in self._files()}
        return {name: text for name, text in texts.items() if text is not None}

    def versions(self) -> dict[str, str]:
        """Return the digests of all pages by name, also of those in DIARY/.

        Only what has changed is read. What cannot be read is left out.
        """
        digests = {path.name: self._store.reader.digest(path) for path in self._files()}
        old = self.diary.old.versions()
        return {name: digest for name, digest in {**digests, **old}.items() if digest is not None}

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob('*.md'))

    def news(self) -> list[str]:
        """Return what was found odd about the pages since the last call, in words."""
        return self._store.reader.news()

    def recalled(self) -> RecalledPages:
        """Return her pages as her memory takes them, to look them up with the notes."""
        return RecalledPages(self.folder, self._store.seen.wrote, self._store.zone)

    def drives(self) -> dict[str, Any] | None:
        """Read what the heart shows of her drives; None if there is nothing to read."""
        try:
            drives = json.loads(read_regular(self.folder / DRIVES))
        except (OSError, ValueError, RecursionError):
            return None
        return drives if isinstance(drives, dict) else None

    def changed_by_others(self) -> list[str]:
        """Return the names of pages that somebody else changed, put there or took away.

        They are named until a snapshot has told her.
        """
        return self._changed(self.versions())

    def _changed(self, versions: Mapping[str, str]) -> list[str]:
        known, unreadable = self._store.seen, self._store.reader.unreadable
        changed = [
            name
            for name in {*versions, *known.names()}
            if name not in known.untold
            and not known.has_seen(name, versions.get(name, ''))
            and not unreadable(self.folder / name)
            and not unreadable((self.folder / name).parent)
        ]
        return sorted({*known.untold, *changed})

    def open_loops(self, now: float) -> int:
        """Count the matters that are fresh."""
        return sum(not is_stale(matter, now) for matter in self.matters.entries())

    def material(self) -> Material:
        """Return the pages as a snapshot takes them."""
        edits = self._edits()  # looks at the old months, too
        return Material(
            self_page=self.self_page.text(),
            aspirations=self.aspirations.text(),
            mood=self.mood.entry(),
            matters=self.matters.entries(),
            diary=self.diary.entries(look=False),
            edits=edits,
            capabilities=self._capabilities,
            routine=self._routine,
            people=self.aspirations.people,
        )

    def snapshot(self, now: float, rng: random.Random, scale: float = 1.0) -> Snapshot:
        """Return what enters her mind now; what others changed is told with it, once.

        Parameters
        ----------
        now
            Seconds since 1970.
        rng
            Chooses the older diary entry.
        scale
            Size of all windows, for models with a small context; 0.1 to 1.
        """
        material = self.material()
        if material.edits:
            versions = self.versions()
            known = self._store.seen
            for name in self._changed(versions):
                known.see(name, versions.get(name, ''))
            known.told()
        zone = self._store.zone
        return compose(material, now, rng, self._words, scale, zone, self._likeness, self._older)

    def look_ahead(self, rng: random.Random, scale: float = 1.0) -> None:
        """Get ready what the next :meth:`snapshot` need not find out itself."""
        diary = self.diary.entries()
        self._older.look_ahead(diary, newest(diary, scale), rng)

    def _edits(self) -> list[str]:
        known, versions = self._store.seen, self.versions()
        edits = list(known.notes)
        before = known.names()
        for name in self._changed(versions):
            phrase = 'gone' if name not in versions else 'edited' if name in before else 'appeared'
            edits.append(self._words.say(phrase, name=shown(name)))
        return edits

    def _seed(self, now: float | None) -> None:
        known = self._store.seen
        changed = [] if known.new else self.changed_by_others()
        if schema.migrate(self.folder, schema.steps(self.folder, self._store.zone)) or known.new:
            # what a migration changes is nobody's edit, but must not hide one either
            for name in changed:
                known.tell(name)
            for name, digest in self.versions().items():
                known.own(name, digest)
            known.save()
        seeds = self._first_pages(now)
        for page, text in self.persona.seeds.items():
            seeds[page] = text

        def make(there: Pages) -> Pages:
            return {
                name: f'# {self._words.say(f"titles.{_TITLES[name]}")}\n\n{text.strip()}\n'
                for name, text in seeds.items()
                if there[name] is None
            }

        self._store.edit(tuple(seeds), make)

    def _first_pages(self, now: float | None) -> dict[str, str]:
        said = self._words.say
        born = f'\n\n{said("seeds.born", when=self._store.stamp(now))}' if now is not None else ''
        lines = [
            said('seeds.unclaimed_line', name=name, description=description)
            for name, description in self._capabilities.items()
            if name not in self._routine
        ]
        could = f'\n\n{said("seeds.unclaimed")}\n\n' + '\n'.join(lines) if lines else ''
        return {
            'SELF.md': said('seeds.self') + born + could,
            'ASPIRATIONS.md': said('seeds.aspirations'),
        }


_TITLES = {
    'SELF.md': 'self',
    'ASPIRATIONS.md': 'aspirations',
    'DIARY.md': 'diary',
    'MIND.md': 'matters',
    'ACHIEVEMENTS.md': 'achievements',
}
