"""The one wall for money and time: every request to a model goes through here.

No tool, name or outcome is exempt. Before a request the waking's tokens and the day's tokens,
cost and wakings are looked at together with the estimate of this request, and a minute has a
ceiling of requests; after it counts what the server has counted, or the estimate where it counts
nothing. A request that is cut, fails or is never heard of again counts, too, once a server may
have begun to work on it.
"""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable

from soul.mind import tokens
from soul.mind.config import MindConfig
from soul.mind.counters import Counters, cost, weighed
from soul.mind.day import Day, Expense
from soul.mind.ports import Ports
from soul.mind.providers.base import Completion, ProviderError, Request, Usage
from soul.mind.providers.models import Candidate
from soul.mind.request_rate import RequestRate
from soul.mind.turn_ledger import TurnLedger

#: What an answer is expected to have before any was heard, tokens, and how fast that is learnt.
TYPICAL_OUT = 300.0
LEARNING = 0.2


class Exhausted(Exception):
    """A limit is reached; says which.

    Parameters
    ----------
    day
        Whether it is the day's, so that nothing changes before the guard says so.
    """

    def __init__(self, limit: str, day: bool) -> None:
        super().__init__(f'{limit}: used up' if day else limit)
        self.day = day


@dataclasses.dataclass
class Allowance:
    """What one waking, dream or account may use, and what it has used."""

    sequence: int = 0  # of its turn in the ledger; 0: it belongs to none
    limit: int = 0  # tokens it may bring beside what a cache serves; 0: no limit of its own
    trusted: bool = False  # whether it is for her people, who may use the reserve
    waking: bool = False  # whether it counts as a waking of the day
    steps: int = 0  # requests made
    answers: int = 0  # ... and answered
    fresh: int = 0  # tokens it has brought
    length: int = 0  # of its newest request, tokens
    usage: Usage = Usage()  # of all its requests, also of those that failed
    cost: float = 0.0  # USD


class Wall:
    """Asks the model within all limits, and counts.

    Parameters
    ----------
    counters
        Where everything is counted.
    day
        What is left of her day.
    metered
        Whether thinking costs something.
    """

    def __init__(
        self,
        config: MindConfig,
        ports: Ports,
        metered: bool,
        ledger: TurnLedger,
        counters: Counters,
        day: Day,
    ) -> None:
        self._config = config
        self._ledger = ledger
        self._counters = counters
        self.day = day
        self.gauge = tokens.TokenGauge()
        self._lengths = tokens.Lengths()
        self._rate = RequestRate(config.requests_per_minute, ports.steady, ports.pause)
        #: Whether thinking costs something.
        self.metered = metered
        self._typical_out = TYPICAL_OUT

    # --- a waking -------------------------------------------------------------------------

    def length(self, request: Request) -> int:
        """Estimate how long a request is, tokens."""
        return self.gauge.correct(self._lengths.of_request(request))

    def refusal(self, trusted: bool) -> str:
        """Say why no waking may begin; empty if one may."""
        return self.day.refusal(Expense(wakings=1), trusted)

    def open(self, sequence: int, trusted: bool) -> Allowance:
        """Begin a waking; it counts as one until :meth:`close`."""
        self.day.open += Expense(wakings=1)
        return Allowance(sequence, self._config.waking_tokens, trusted, waking=True)

    def aside(self, sequence: int) -> Allowance:
        """Begin a dream: within a waking's limit of tokens, but no waking of the day."""
        return Allowance(sequence, self._config.waking_tokens)

    def close(self, allowance: Allowance) -> None:
        """A waking or dream is over: what it used is counted for good."""
        if allowance.waking:
            allowance.waking = False
            self.day.open -= Expense(wakings=1)
        self._counters.settled(allowance.sequence)

    # --- a request ------------------------------------------------------------------------

    async def ask(
        self,
        request: Request,
        heard: Callable[[str, str], None],
        allowance: Allowance,
        candidate: Candidate,
    ) -> tuple[Completion, float]:
        """Ask a model once.

        Returns
        -------
        tuple
            The completion, its usage never zero if thinking costs something, and the cost in USD.

        Raises
        ------
        Exhausted
            If a limit does not allow it; nothing was asked.
        ProviderError
            As the provider does; what it cost is counted.
        OSError
            If it cannot be written down beforehand; nothing was asked.
        """
        estimated = self._lengths.of_request(request) if self.metered else 0
        length = self.gauge.correct(estimated)
        expected = self._expected(length)
        expense = Expense(weighed(expected), cost(expected, candidate.prices))
        self._allow(length, allowance, expense)
        if self.metered:
            await self._rate.room()
            self._allow(length, allowance, expense)  # others may have asked meanwhile
        self._ledger.asked(allowance.sequence, expected, expense.cost)
        allowance.steps += 1
        self.day.open += expense
        listener = _Listener(heard, self._room(allowance), self._config.answer_seconds)
        told = usage = Usage()
        try:
            completion = await candidate.thinker.complete(request, listener.heard)
            told = completion.usage
            usage = self._counted(told, length, listener.tokens, completion)
            allowance.answers += 1
            self._learn(request, estimated, told, usage)
        except ProviderError as error:
            told = error.usage or Usage()
            if error.usage is not None or error.begun:
                usage = self._counted(told, length, listener.tokens)
            raise
        except BaseException:  # cut in the middle: the server had begun
            usage = self._counted(Usage(), length, listener.tokens)
            raise
        finally:
            self.day.open -= expense
            price = cost(usage, candidate.prices)
            self._spend(allowance, usage, length, told)
            allowance.cost += price
            self._counters.add(usage, price, allowance.sequence)
            self._ledger.used(allowance.sequence, usage, price)
        return dataclasses.replace(completion, usage=usage), price

    def _room(self, allowance: Allowance) -> int:
        """Return how long an answer may become before it is ended, tokens."""
        most = self._config.answer_tokens
        if allowance.limit:
            most = min(most, max(1000, allowance.limit - allowance.fresh))
        return most

    def _allow(self, length: int, allowance: Allowance, expense: Expense) -> None:
        limit = allowance.limit
        if limit and allowance.steps and allowance.fresh + self._fresh(length, allowance) > limit:
            raise Exhausted(f'the waking used its {limit} tokens', day=False)
        why = self.day.refusal(expense, allowance.trusted)
        if why:
            raise Exhausted(why, day=True)

    def _fresh(self, length: int, allowance: Allowance) -> int:
        """Estimate what a request brings that no cache serves, tokens."""
        if self.gauge.without_cache:
            return length
        return max(0, length - allowance.length)

    def _expected(self, length: int) -> Usage:
        """Return what a request of a length is expected to use."""
        if not self.metered:
            return Usage()
        return Usage(length, int(length * self.gauge.cached_part), math.ceil(self._typical_out))

    def _counted(
        self, told: Usage, length: int, heard: int, completion: Completion | None = None
    ) -> Usage:
        """Return what a server has counted; what it has not is estimated."""
        if not self.metered:
            return told
        out = heard
        if completion is not None:
            out = max(out, tokens.of_completion(completion))
        return Usage(
            told.tokens_in or length,
            told.cached if told.tokens_in else 0,
            told.tokens_out or out,
            told.cache_write if told.tokens_in else 0,
        )

    def _spend(self, allowance: Allowance, usage: Usage, length: int, told: Usage) -> None:
        """Hold a waking to what it may bring.

        What the provider serves from its cache does not count, nor does the first request's
        history: a long life is no runaway chain. A server that does not count is taken to have a
        cache, as those of one's own machine have.
        """
        allowance.usage += usage
        allowance.fresh += usage.tokens_out
        if allowance.steps > 1 and told.tokens_in:
            allowance.fresh += usage.tokens_in - usage.cached
        elif allowance.steps > 1:
            allowance.fresh += self._fresh(length, allowance)
        allowance.length = length

    def _learn(self, request: Request, estimated: int, told: Usage, usage: Usage) -> None:
        if self.metered:
            self.gauge.heard(estimated, told, request.step)
        self._typical_out += LEARNING * (usage.tokens_out - self._typical_out)


class _Listener:
    """Counts what is heard of an answer, hands it on, and ends one that does not end by itself.

    Parameters
    ----------
    most
        Longest answer, tokens.
    seconds
        Longest time from its first piece on, s.
    """

    def __init__(self, heard: Callable[[str, str], None], most: int, seconds: float) -> None:
        self._heard = heard
        self._most = most
        self._seconds = seconds
        self._begun = math.inf
        self._characters = 0.0  # as many as of a European script

    def heard(self, kind: str, text: str) -> None:
        """Take a piece of an answer.

        Raises
        ------
        ProviderError
            If the answer is too long or takes too long: its connection is closed then.
        """
        now = time.monotonic()
        self._begun = min(self._begun, now)
        wide = 1.0 if text.isascii() else tokens.WIDE * tokens.CHARACTERS
        self._characters += len(text) * wide
        if self.tokens > self._most:
            raise ProviderError(
                'the answer of the model did not come to an end',
                detail=f'it was ended after {self._most} tokens (`answer_tokens`)',
                begun=True,
            )
        if now - self._begun > self._seconds:
            raise ProviderError(
                'the answer of the model did not come to an end',
                detail=f'it was ended after {self._seconds:g} s (`answer_seconds`)',
                begun=True,
            )
        self._heard(kind, text)

    @property
    def tokens(self) -> int:
        """Estimated tokens of what was heard."""
        return math.ceil(self._characters / tokens.CHARACTERS)
