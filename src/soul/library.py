"""Her in your own asyncio program, without ROS.

    from soul.library import Life

    async def main():
        async with Life('~/.soul', {'mind': {'backend': 'openai', 'base_url': ..., 'model': ...}},
                        tools=[weather], tasks=my_queue.pending) as life:
            life.post('you still up?', sender='Trent')
            async for reply in life.replies():
                print(reply.text)

She has no body then, unless you give her one: `body='mock'`, the serial port or the address of a
StackChan, or an :class:`soul.core.organ.Organ` of yours that performs `body/say` and the like.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

from soul.core.clock import HostClock
from soul.core.organ import Answer, Organ
from soul.core.supervision import in_a_line
from soul.mind.prompt import Identity
from soul.mind.providers.base import Provider
from soul.mind.providers.models import Models
from soul.mind.tools.base import Arguments, Result, Tool, ToolContext
from soul.signals import Message, PostRequest, Reply, Task, TaskList, TriggerRequest
from soul.sim.drive import live
from soul.sim.graph import Graph
from soul.sim.replies import AnswersLater, NotTaken, Replies, answer_to
from soul.sim.status import status_of
from soul.store import Home
from soul.store.door_key import DoorKey, KeyUnusable

__all__ = [
    'AnswersLater',
    'Arguments',
    'Life',
    'NotTaken',
    'Result',
    'Task',
    'Tool',
    'ToolContext',
]

Tasks = Callable[[], Iterable[Task]]


class Life:
    """One living persona.

    Parameters
    ----------
    home
        Where she lives; empty: SOUL_HOME or ~/.soul.
    parameters
        Parameters of her organs, as in config/soul.yaml: `{'mind': {'backend': 'openai'}}`.
    tools
        Tools of yours; what they show her enters her field.
    tasks
        Called every `tasks_seconds`: what is to be done. What it no longer returns is resolved.
    identity
        Says who she is for what she sees now: `identity(view) -> text`, for each call of the
        model. A text that changes from view to view costs the provider's cache.
    provider
        What thinks, if it is yours; otherwise what the mind's parameters name.
    body
        A StackChan in a word: `mock` (the simulated device), `/dev/...` (its serial port),
        `stackchan` (the one on USB, or what the parameters of `stackchan` say), `http://...` (an
        adapter of body protocol v1) or `xiaozhi` (it dials in). Its driver, and the body twin that
        feels it, live and end with her; whether it is there, :meth:`status` says. Empty: none.
    organs
        Further organs by name, for example a body of another kind.
    report
        Hears what an organ has to say for the log: (organ, level, text). As `body` it hears
        whether a body is connected, and why none is.
    """

    def __init__(
        self,
        home: str = '',
        parameters: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        tools: Sequence[Tool[Any]] = (),
        tasks: Tasks | None = None,
        tasks_seconds: float = 10.0,
        identity: Identity | None = None,
        provider: Provider | Models | None = None,
        body: str = '',
        organs: Mapping[str, Organ] | None = None,
        report: Callable[[str, str, str], None] = lambda organ, level, text: None,
    ) -> None:
        self._home = Home(home)
        self._parameters = parameters
        self._tools = tools
        self._tasks = tasks
        self._tasks_seconds = tasks_seconds
        self._identity = identity
        self._provider = provider
        self._body = body
        self._organs = organs
        self._report = report
        self._graph: Graph | None = None
        self._stopped = asyncio.Event()
        self._running: list[asyncio.Task[None]] = []
        self._replies = Replies()
        self._calls: set[asyncio.Future[Answer]] = set()

    # --- living ---------------------------------------------------------------------------

    async def __aenter__(self) -> Life:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def start(self) -> None:
        """Wake her.

        Raises
        ------
        ValidationError, StartRefused, HomeInUse, Unreadable
            If she cannot live here, or the body is none. One that is not there is no reason: its
            driver looks for it for as long as she lives.
        """
        clock = HostClock()
        graph = self._graph = Graph(
            self._home,
            clock,
            random.Random(),
            self._parameters,
            self._organs,
            self._provider,
            self._tools,
            self._identity,
            self._report,
            backups=True,
            supervised=True,
            body=self._body,
        )
        graph.bus.listen('door/reply', self._replies.hear)
        if self._body:
            graph.bus.listen('connection', lambda c: graph.bus.report('body', 'info', c.detail))
        graph.start()
        loop = asyncio.get_running_loop()
        living = loop.create_task(live(graph.bus, clock.now, self._stopped))
        living.add_done_callback(self._on_end)
        self._running.append(living)
        while graph.bus.latest('mind/state') is None:
            await asyncio.sleep(0)
        if self._tasks is not None:
            self._running.append(loop.create_task(self._bring_tasks()))

    async def close(self) -> None:
        """Let her rest; she goes on where she was with the next start."""
        graph, self._graph = self._graph, None
        if graph is None:
            return
        self._stopped.set()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await graph.close()
        self._replies.end()

    def _on_end(self, living: asyncio.Task[None]) -> None:
        """Let nobody wait for a life that has ended by itself."""
        if living.cancelled() or living.exception() is None:
            return
        self._report('life', 'error', f'she has ended: {in_a_line(living.exception())}')
        self._replies.end()
        for call in self._calls:
            if not call.done():
                call.set_exception(AnswersLater('she has ended; what she was told is kept'))

    async def _bring_tasks(self) -> None:
        assert self._tasks is not None
        listed = self._tasks
        while True:
            tasks = self._bus.outside(lambda: tuple(listed()))
            if tasks is not None:
                self._bus.say('door/tasks', TaskList(source='program', tasks=tasks))
            await asyncio.sleep(self._tasks_seconds)

    @property
    def _bus(self) -> Any:
        if self._graph is None:
            raise RuntimeError('she does not live yet: use `async with Life(...)` or start()')
        return self._graph.bus

    # --- speaking with her ----------------------------------------------------------------

    async def post(
        self, text: str, sender: str = 'somebody', session: str = '', trusted: bool = True
    ) -> str:
        """Put a message at her door; returns its id once it is on the disk.

        Raises
        ------
        NotTaken
            If it is empty, too long or cannot be written.
        """
        text = text.encode('utf-8', 'replace').decode()  # half a surrogate is no text
        message = Message(
            id=uuid.uuid4().hex, sender=sender, channel='program', session=session, text=text
        )
        proof = ''
        if trusted:  # who runs this program can read her home
            with contextlib.suppress(KeyUnusable):
                proof = DoorKey.read(self._home).proof(message)
        answer = await self.call('door/post', PostRequest(message, proof))
        if answer.answer is None:
            raise NotTaken(f'nobody answers at her door ({answer.failure})')
        if not answer.answer.accepted:
            raise NotTaken(answer.answer.reason)
        return str(answer.answer.id)

    def replies(self) -> AsyncIterator[Reply]:
        """Yield what she answers, from now on, until she rests."""
        return self._replies.stream()

    async def ask(
        self, text: str, sender: str = 'somebody', session: str = '', seconds: float = 300.0
    ) -> str:
        """Say something and wait for her answer.

        Parameters
        ----------
        seconds
            Longest wait. She need not answer: she may look and go on sleeping.

        Raises
        ------
        AnswersLater
            If she cannot think now; the message is kept.
        asyncio.TimeoutError
            If there is no answer in time; it may still come, see :meth:`replies`.
        NotTaken
            As with :meth:`post`.
        """
        with self._replies.listening() as queue:  # she is heard before anything is said
            message_id = await self.post(text, sender, session)
            return await asyncio.wait_for(answer_to(message_id, queue), seconds)

    async def call(self, to: str, request: Any) -> Answer:
        """Ask an organ for one of its services or goals."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def done(answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        self._calls.add(future)
        try:
            self._bus.call(to, request, done)
            return await future
        finally:
            self._calls.discard(future)

    async def stop(self) -> None:
        """Let nothing act, at once; :meth:`resume` ends it."""
        await self.call('stop', TriggerRequest())

    async def resume(self) -> None:
        """End a stop, as `soul resume` does."""
        await self.call('resume', TriggerRequest())

    # --- looking at her -------------------------------------------------------------------

    def listen(self, topic: str, hear: Callable[[Any], None]) -> None:
        """Hear one of her topics; what was said last is heard at once."""
        self._bus.listen(topic, hear)

    def status(self) -> dict[str, Any]:
        """Return how she is: phase, stages, readings, guards, energy, mood, focus, body."""
        return status_of(self._bus)
