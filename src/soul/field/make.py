"""Makes the field from what it is born with."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from soul.core import persona
from soul.core.context import OrganContext
from soul.core.organ import Report, StartRefused
from soul.core.output import Outputs
from soul.core.state_file import ShapeRefused
from soul.field.bench_file import BenchFile
from soul.field.config import FieldConfig
from soul.field.embed import Embedder, choose
from soul.field.embed.worker import Worker
from soul.field.field import Field
from soul.field.trust import Trust
from soul.field.watch import Watcher
from soul.store import Unreadable
from soul.store.door_key import DoorKey, KeyUnusable
from soul.text.tables import TableUnreadable


def make(birth: OrganContext[FieldConfig]) -> Field:
    """Make the field, with the threads it has beside it: the model's and the bench's.

    Raises
    ------
    Unreadable
        If a channel of another package cannot use what it is said to remember.
    """
    config = birth.config
    trust = _trust(birth)
    try:
        field = Field(config, birth.memory, birth.past, trusts=trust)
    except ShapeRefused as refused:
        raise Unreadable(birth.home.path / Field.memory_file, [str(refused)]) from refused
    if config.embedder != 'hash':
        _add_model(field, birth)
    if 'bench' in config.channels:
        _add_bench(field, birth)
    return field


def _trust(birth: OrganContext[FieldConfig]) -> Trust:
    """Make the key of her door, and find out who her people are."""
    try:
        people = persona.load(birth.config.persona).people
    except TableUnreadable as error:
        raise StartRefused(f'field: persona: {error}') from None
    try:
        key = DoorKey.make(birth.home)
    except KeyUnusable as unusable:
        report = Report('warning', f'nobody can be trusted at the door: {unusable}')
        birth.inject(lambda now: [report])
        return Trust(None, people)
    return Trust(key, people)


def _add_model(field: Field, birth: OrganContext[FieldConfig]) -> None:
    """Let a thread load the model and compute with it."""
    config, perception = birth.config, field.perception

    def ready(embedder: Embedder) -> None:
        def change(now: float) -> Outputs:
            perception.trouble = ''
            yield Report('info', f'things are placed by {embedder.name}')
            yield from field.relate(lambda: perception.model_ready(embedder, worker.order), now)

        birth.inject(change)

    def unavailable(reason: str) -> None:
        def change(now: float) -> Outputs:
            if config.embedder == 'auto':
                return [Report('info', f'things are placed without a model: {reason}')]
            perception.model_trouble(reason)
            return [Report('error', f'embedder is {config.embedder!r}: {reason}')]

        birth.inject(change)

    def failed(texts: Sequence[str], reason: str) -> None:
        def change(now: float) -> Outputs:
            perception.model_trouble(reason, texts)
            return [Report('warning', f'the model failed: {reason}')]

        birth.inject(change)

    worker = Worker(
        functools.partial(choose.load, config.embedder, config.embedder_model),
        ready,
        unavailable,
        lambda texts, vectors: birth.inject(
            lambda now: field.relate(lambda: perception.vectors_arrived(texts, vectors), now)
        ),
        failed,
    )
    birth.on_close(worker.close)
    worker.start()


def _add_bench(field: Field, birth: OrganContext[FieldConfig]) -> None:
    """Let a thread watch her files."""

    def changed(files: list[BenchFile]) -> None:
        def notice(now: float) -> Outputs:
            for file in files:
                yield from field.notice(file, now)

        birth.inject(notice)

    home = birth.home.path
    watcher = Watcher(
        home,
        Path(birth.config.workbench),
        Path('soul'),
        changed,
        lambda text: birth.inject(lambda now: (Report('warning', text),)),
    )
    birth.on_close(watcher.close)
    watcher.start()
