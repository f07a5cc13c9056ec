"""The threads that make text of sound, in the process of voice and ears.

One judges whether somebody speaks, all the time; the other understands what was said, which takes
a second in which the first must not wait.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from soul.voice.engines.port import EarEngine, EngineFailed, EngineMissing, Understood
from soul.voice.invented import invented
from soul.voice.judge import Judge
from soul.voice.messages import (
    Forget,
    Guessed,
    Hear,
    HeardSpeech,
    Message,
    SpeechBegan,
    SpeechLasts,
    TurnOver,
)
from soul.voice.own_words import Reading, is_own
from soul.voice.sound import EAR_RATE
from soul.voice.turns import (
    TurnBegan,
    TurnDropped,
    TurnEnded,
    TurnEvent,
    TurnFinder,
    TurnLasts,
    TurnPaused,
    TurnRules,
)

#: How to get an engine: it may take seconds to load.
MakeEar = Callable[[], EarEngine]
#: Utterances of her own that are kept to be recognised, and for how long, s.
OWN_KEPT, OWN_SECONDS = 8, 60.0


@dataclass(frozen=True)
class _Task:
    """A stretch to understand, if it is still wanted."""

    guess: int
    samples: bytes
    own: bool


@dataclass(frozen=True)
class _Result:
    guess: int
    understood: Understood | None  # None: no engine could
    seconds: float


class EarThreads:
    """Finds the turns in what it is given and says what was said in each.

    Parameters
    ----------
    judge
        How to get what judges whether somebody speaks.
    makers
        Engines in the order in which they are tried.
    keep
        Is given each turn that was understood; for who wants sound to be stored.
    tell
        Is told what was heard; called on a thread.
    ready
        Is told the name of the engine that listens now, empty: none, and what went wrong.
    """

    def __init__(
        self,
        judge: Callable[[], Judge],
        makers: Sequence[MakeEar],
        language: str,
        rules: TurnRules,
        tell: Callable[[Message], None],
        ready: Callable[[str, Sequence[str]], None],
        keep: Callable[[bytes, str], None] | None = None,
        reading: Callable[[], Reading | None] = lambda: None,
    ) -> None:
        self._make_judge = judge
        self._makers = list(makers)
        self._language = language
        self._tell = tell
        self._ready = ready
        self._keep = keep
        self._reading = reading
        self._turns = TurnFinder(rules)
        self._inbox: queue.SimpleQueue[Hear | TurnOver | Forget | _Result | None] = (
            queue.SimpleQueue()
        )
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._spoken: deque[tuple[float, str]] = deque(maxlen=OWN_KEPT)
        self._own = False  # she spoke during this turn
        self._wanted = 0  # the guess that counts; others are void
        self._over: dict[
            int, tuple[TurnEnded, bool]
        ] = {}  # turns that wait for their text, by guess
        self._results: dict[int, _Result] = {}
        self._threads = [
            threading.Thread(target=self._judge, name='judging', daemon=True),
            threading.Thread(target=self._understand, name='understanding', daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def take(self, message: Hear | TurnOver | Forget) -> None:
        """Take sound, or what the body says about it."""
        self._inbox.put(message)

    def spoke(self, text: str) -> None:
        """She says this herself."""
        self._spoken.append((time.monotonic(), text))

    def close(self) -> None:
        """End once what was heard up to now has been understood."""
        self._inbox.put(None)
        for thread in self._threads:
            thread.join()

    # --- judging --------------------------------------------------------------------------

    def _judge(self) -> None:
        try:
            judge = self._make_judge()
        except EngineMissing as missing:
            self._ready('', [str(missing)])
            self._tasks.put(None)
            return
        while (message := self._inbox.get()) is not None:
            self._take(message, judge)
        self._tasks.put(None)
        self._threads[1].join()
        while (message := self._inbox.get()) is not None:
            self._take(message, judge)

    def _take(self, message: Hear | TurnOver | Forget | _Result, judge: Judge) -> None:
        match message:
            case Hear():
                self._own = self._own or message.own
                behind = len(message.samples)
                for window, likelihood in judge.judge(message.samples):
                    behind -= len(window)
                    at = message.at - max(0, behind) / 2 / EAR_RATE
                    likelihood = 0.0 if message.tail else likelihood
                    self._follow(self._turns.add(window, likelihood, at))
            case TurnOver():
                self._follow(self._turns.end())
            case Forget():
                self._turns.forget()
                judge.reset()
                self._wanted = 0
            case _Result():
                self._understood(message)

    def _follow(self, events: Iterable[TurnEvent]) -> None:
        for event in events:
            self._turn(event)

    def _turn(self, event: TurnEvent) -> None:
        match event:
            case TurnBegan():
                self._own = False
                self._tell(SpeechBegan(event.at))
            case TurnDropped(at=at):
                self._tell(HeardSpeech('', at, at, invented='it was too short to be speech'))
            case TurnLasts(at=at):
                if self._own:
                    self._tell(SpeechLasts(at))
            case TurnPaused():
                self._ask(event.guess, event.samples)
            case TurnEnded():
                own, self._own = self._own, False
                if self._wanted != event.guess:
                    self._ask(event.guess, event.samples)
                self._over[event.guess] = (event, own)
                if event.guess in self._results:
                    self._heard(self._results[event.guess])

    def _ask(self, guess: int, samples: bytes) -> None:
        self._wanted = guess
        self._results.clear()
        self._tasks.put(_Task(guess, samples, self._own))

    def _understood(self, result: _Result) -> None:
        if result.guess in self._over:
            self._heard(result)
        elif result.guess == self._wanted:
            self._results[result.guess] = result
            text = result.understood.text if result.understood is not None else ''
            if text:
                self._tell(Guessed(text, self._own and self._is_own(text)))

    def _heard(self, result: _Result) -> None:
        ended, own = self._over.pop(result.guess)
        self._results.pop(result.guess, None)
        if result.understood is None:
            why = 'no engine could understand it'
            self._tell(HeardSpeech('', ended.began, ended.ended, invented=why))
            return
        text = result.understood.text
        why = invented(result.understood, ended.voiced)
        if not why and self._keep is not None:
            self._keep(ended.samples, text)
        mine = own and self._is_own(text)
        self._tell(HeardSpeech(text, ended.began, ended.ended, mine, why, result.seconds))

    def _is_own(self, text: str) -> bool:
        oldest = time.monotonic() - OWN_SECONDS
        own = ' '.join(said for at, said in self._spoken if at >= oldest)
        return is_own(text, own, self._reading())

    # --- understanding --------------------------------------------------------------------

    def _understand(self) -> None:
        ear = self._load()
        while (task := self._tasks.get()) is not None:
            if task.guess < self._wanted and task.guess not in self._over:
                continue  # more was said since
            began = time.monotonic()
            understood: Understood | None = None
            while ear is not None and understood is None:
                try:
                    understood = ear.understand(task.samples, self._language)
                except EngineFailed as failed:
                    self._ready('', [str(failed)])
                    ear = self._load()
            self._inbox.put(_Result(task.guess, understood, time.monotonic() - began))
        self._inbox.put(None)  # there will be no more results

    def _load(self) -> EarEngine | None:
        """Get the next engine that can be had; the last one stays, whatever happens to it."""
        troubles: list[str] = []
        while self._makers:
            try:
                ear = self._makers.pop(0)()
            except EngineMissing as missing:
                troubles.append(str(missing))
                continue
            self._ready(ear.name, troubles)
            return ear
        self._ready('', troubles)
        return None
