"""The mind as a managed ROS node: while it is inactive, nothing is spent."""

from __future__ import annotations

from typing import Any

from soul.mind.config import MindConfig
from soul.mind.loop import LoopThread
from soul.mind.mind import Mind
from soul.mind.organ import MindOrgan
from soul.mind.ports import Ports
from soul.mind.providers.choose import provider
from soul.mind.questions import Questions
from soul.mind.session import JOURNAL, Session
from soul.mind.tools.base import Toolbox
from soul.mind.tools.kit import toolbox
from soul.organ import Report
from soul.ros.organ import Birth, OrganSpec
from soul.ros.runner import run
from soul.store import AtomicFile, Journal
from soul.store.keeper import START_BYTES
from soul.store.stop_file import StopFile


def _build(birth: Birth[MindConfig]) -> MindOrgan:
    config, home = birth.config, birth.home
    backend = provider(config)
    tools: Toolbox = toolbox(home.soul)
    sessions = home.path / f'{JOURNAL}.jsonl'
    sessions.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    journal = Journal(sessions)
    file = AtomicFile(home.path / 'mind.json')

    def emit(signal: Any) -> None:
        birth.inject(lambda now: (signal,))

    questions = Questions(emit)
    ports = Ports(
        now=birth.clock, emit=emit, ask=questions.ask, lost=questions.lost, save=file.write
    )
    mind = Mind(
        config,
        ports,
        backend,
        tools,
        Session(journal, config.history_characters),
        birth.rng,
        file.read(),
        journal.entries(START_BYTES),
    )
    for anomaly in (*file.anomalies, *journal.anomalies):
        birth.inject(lambda now, text=anomaly: (Report('error', text),))  # type: ignore[misc]
    loop = LoopThread('mind')
    organ = MindOrgan(mind, loop, questions.answered)
    stop_file = StopFile(home.stop_file)
    stop_file.watch(lambda content: birth.inject(lambda now: organ.on_stop_file(content, now)))
    birth.on_close(journal.close)
    birth.on_close(loop.close)
    birth.on_close(stop_file.close)
    return organ


SPEC = OrganSpec(name='mind', organ=MindOrgan, config=MindConfig, build=_build, managed=True)


def main() -> int:
    """Run the mind alone in this process."""
    return run([SPEC])
