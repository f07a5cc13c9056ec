"""Her bench: the files she is making, the plan she left herself, and what others change.

What changes while she is awake is hers if a receipt of her turn names the file, or if she used a
tool that can write anything; what changes at any other time is somebody else's doing.
"""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import Any

from soul.field.bench_file import BenchFile
from soul.field.channels.base import Channel, Setting
from soul.field.item import clip
from soul.field.memory import BenchMemory
from soul.field.readings import ChannelReading, ItemUpdate, Moment
from soul.signals import MindState, Phase, Turn

#: Tools that can write any file of hers.
FREE_HANDS = frozenset({'workbench', 'linux', 'run_python'})
#: Names of the file that holds her plan, without its ending.
PLANS = frozenset({'PLAN', 'NEXT'})
#: So much of a file is looked at, characters.
PREVIEW = 2000
#: A file that changes so soon after a turn that names it was still hers, s.
AFTERGLOW = 10.0
#: Pages that were written until so long after the mind was first heard are her first, s.
SEEDING = 1.0
#: After a start, only what changed this much later than she lived is somebody else's doing, s.
ABSENCE = 120.0


class BenchChannel(Channel):
    """Her files. Predicts `bench.outside_change`: whether somebody else touches them."""

    name = 'bench'
    hears = (BenchFile, Turn, MindState)

    def __init__(self, setting: Setting) -> None:
        self._words = setting.words
        self._cleaner = setting.cleaner
        self._most = setting.config.bench_files
        self._files: dict[str, BenchFile] = {}
        self._known = False  # the files of an earlier life are known
        self._phase = ''
        self._born = math.inf  # when the mind was first heard, s
        self._pending: dict[str, BenchFile] = {}  # changed while she was awake
        self._turn: Turn | None = None
        self._turn_at = 0.0
        self._outside = False  # since the last tick
        self._shown: set[str] = set()
        self._seen_until = 0.0

    # --- hearing ----------------------------------------------------------------------------

    def hear(self, signal: Any, now: float) -> ChannelReading | None:
        """Notice a change, or who may have made it."""
        if isinstance(signal, MindState):
            self._born = min(self._born, now)
            self._phase = signal.phase
            return None
        if isinstance(signal, Turn):
            self._turn, self._turn_at = signal, now
            pending, self._pending = list(self._pending.values()), {}
            return self._others([f for f in pending if not _hers(f, signal)])
        return self._changed(signal, now)

    def _changed(self, file: BenchFile, now: float) -> ChannelReading | None:
        before = self._files.get(file.path)
        if (before.digest if before else '') == file.digest:
            return None
        if file.digest:
            self._files[file.path] = file
        else:
            self._files.pop(file.path, None)
        if file.found:
            late = file.changed - self._seen_until > ABSENCE
            return self._others([file]) if self._known and late else None
        if not file.bench and file.changed <= self._born + SEEDING:
            return None  # a mind that begins writes her first pages
        if self._phase == Phase.DREAMING:
            return None  # she tidies her memory in her sleep
        if self._phase == Phase.WAKING:
            self._pending[file.path] = file
            return None
        just_now = self._turn is not None and now - self._turn_at <= AFTERGLOW
        if just_now and self._turn is not None and _hers(file, self._turn):
            return None
        return self._others([file])

    def _others(self, files: list[BenchFile]) -> ChannelReading | None:
        if not files:
            return None
        self._outside = True
        reading = ChannelReading(self.name, events=['bench'])
        for file in files:
            preview = self._cleaner.clean(file.preview, PREVIEW)
            path = self._cleaner.name(file.path)
            text = (
                self._words.say('changed_file', path=path.text, preview=clip(preview.text, 160))
                if file.digest
                else self._words.say('gone_file', path=path.text)
            )
            key = f'outside/{file.path}'
            marked = preview.marked or path.marked
            # the same file again is a new happening
            reading.clear.append(key)
            reading.updates.append(
                ItemUpdate(key, 'note', 'bench', text, salience=0.6, marked=marked)
            )
            reading.events.append(f'bench/{file.path}')
        return reading

    # --- sensing ----------------------------------------------------------------------------

    def sense(self, moment: Moment) -> ChannelReading:
        """See the newest files on the bench and the plan."""
        self._seen_until = moment.now
        late = list(self._pending.values()) if self._phase != Phase.WAKING else []
        if late:  # the end of that turn was never heard of
            self._pending = {}
        reading = self._others(late) or ChannelReading(self.name)
        reading.features['bench.outside_change'] = float(self._outside)
        self._outside = False
        newest = sorted((f for f in self._files.values() if f.bench), key=lambda f: -f.changed)[
            : self._most
        ]
        for file in newest:
            preview = self._cleaner.clean(file.preview, PREVIEW)
            path = self._cleaner.name(file.path)
            text = f'{path.text}: {clip(preview.text, 160)}' if preview.text else path.text
            reading.updates.append(
                ItemUpdate(
                    f'file/{file.path}',
                    'work',
                    'bench',
                    text,
                    path.text,
                    salience=0.35,
                    valence=0.15,
                    own=True,
                    marked=preview.marked or path.marked,
                )
            )
        shown = {f'file/{file.path}' for file in newest}
        reading.clear += sorted(self._shown - shown)
        self._shown = shown
        self._see_plan(reading)
        return reading

    def _see_plan(self, reading: ChannelReading) -> None:
        plans = [f for f in self._files.values() if PurePath(f.path).stem.upper() in PLANS]
        newest = max(plans, key=lambda f: f.changed, default=None)
        if newest is None or not newest.preview.strip():
            reading.clear.append('plan')
            return
        plan = self._cleaner.clean(newest.preview, PREVIEW)
        reading.updates.append(
            ItemUpdate(
                'plan',
                'plan',
                'bench',
                self._words.say('plan', text=clip(plan.text, 300)),
                self._words.say('plan', text=clip(plan.text, 48)),
                salience=0.5,
                valence=0.1,
                marked=plan.marked,
            )
        )

    # --- what survives ----------------------------------------------------------------------

    def memory(self) -> BenchMemory:
        """Return what the files were like."""
        return BenchMemory(
            tuple(self._files.values()),
            tuple(sorted(self._shown)),
            self._outside,
            self._seen_until,
        )

    def restore(self, memory: BenchMemory) -> None:
        """Compare what is there now with these."""
        self._files = {file.path: file for file in memory.files}
        self._shown = set(memory.shown)
        self._outside = memory.outside
        self._seen_until = memory.seen_until
        self._known = True


def _hers(file: BenchFile, turn: Turn) -> bool:
    name = PurePath(file.path).name
    return any(
        call.ok and (name in call.receipt or call.name in FREE_HANDS) for call in turn.calls
    )


def make(setting: Setting) -> BenchChannel:
    """Return the channel of the workbench for a field with these settings."""
    return BenchChannel(setting)
