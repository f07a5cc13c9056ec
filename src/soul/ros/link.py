"""A terminal's connection over ROS: a node that listens to her topics and calls her services."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.context import Context
from rclpy.exceptions import InvalidHandle
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from soul.core.refusal import answer_type
from soul.core.repeats import REPEAT_SECONDS, may_repeat, with_id
from soul.ros import convert, dds, given, qos
from soul.ros.topics import Topics
from soul.terminal.link import CALL_SECONDS, Link, LinkLost, nobody

S = TypeVar('S')

_LEVELS = {DiagnosticStatus.OK: 'ok', DiagnosticStatus.WARN: 'warn'}
#: Pause between two looks at the graph, s.
LOOK_TICK = 0.01


class RosLink(Link):
    """One node of a terminal; spins on a thread of its own.

    Parameters
    ----------
    namespace
        Where she lives, for example /soul.
    log_level
        What of ROS's own log is shown.
    look_seconds
        Longest look for a service, s.
    context
        The context of a process that knows the graph already. None: one of its own.

    Raises
    ------
    StartRefused
        If there can be no such namespace.
    """

    def __init__(
        self,
        namespace: str,
        log_level: str = 'warn',
        look_seconds: float = CALL_SECONDS,
        context: Context | None = None,
    ) -> None:
        super().__init__()
        self.namespace = '/' + namespace.strip('/')
        self.look_seconds = look_seconds
        self._guest = context is not None
        given.check_namespace(self.namespace)
        if context is None:
            dds.prepare()
            context = Context()
            # Also here: the newest context decides about the log of the whole process.
            given.initialise(['--ros-args', '--log-level', log_level], context)
        self._context = context
        self.node = rclpy.create_node(
            f'terminal_{uuid.uuid4().hex[:8]}',
            namespace=self.namespace,
            context=self._context,
            cli_args=[],
            use_global_arguments=False,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
        self._topics = Topics(self.node, self.namespace)
        self._closing = threading.Event()
        self._waiting: set[threading.Event] = set()
        self._thread = threading.Thread(target=self._spin, name='link', daemon=True)

    def listen(self, topic: str, kind: type[S], hear: Callable[[S], None]) -> None:
        """Hear a topic; `hear` is called on the link's thread."""
        self.node.create_subscription(
            convert.ros_class(kind),
            topic,
            lambda message: hear(convert.from_ros(message, kind)),
            qos.for_reader(topic),
        )

    def listen_health(self, hear: Callable[[str, str, str], None]) -> None:
        """Hear how her organs are, every two seconds."""
        space = self.namespace.lstrip('/') + '/'

        def take(message: DiagnosticArray) -> None:
            for status in message.status:
                if status.name.startswith(space):
                    level = _LEVELS.get(status.level, 'error')
                    hear(status.name.removeprefix(space), level, status.message)

        self.node.create_subscription(DiagnosticArray, '/diagnostics', take, qos.event())

    def start(self) -> Link:
        """Begin to hear, on a thread of its own; returns itself."""
        self._thread.start()
        return self

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException, InvalidHandle):
            while not self._closing.is_set():
                self._executor.spin_once()

    def call(self, name: str, request: Any, seconds: float = CALL_SECONDS) -> Any:
        """Call a service of hers and return its answer; raises as :class:`Link`."""
        with self._ends_with_the_context():
            client = self._client(name, type(request))
            ready = client.service_is_ready
            if self._wait_until(ready, min(seconds, self.look_seconds)):
                done = threading.Event()
                self._waiting.add(done)
                try:
                    future = self._ask(client, with_id(request), done, seconds)
                finally:
                    self._waiting.discard(done)
                if future.done():
                    return convert.from_ros(future.result(), answer_type(type(request)))
        raise nobody(self.namespace)

    def _ask(self, client: Any, request: Any, done: threading.Event, seconds: float) -> Any:
        """Ask until an answer has come, or for so long; one with an id is sent again."""
        ends = time.monotonic() + seconds
        pause = REPEAT_SECONDS if may_repeat(request) else seconds
        futures = []
        while not self._closing.is_set() and (left := ends - time.monotonic()) > 0.0:
            futures.append(client.call_async(convert.to_ros(request)))
            futures[-1].add_done_callback(lambda _: done.set())
            if done.wait(min(pause, left)):
                break
        return next((future for future in futures if future.done()), futures[-1])

    def _client(self, name: str, kind: type) -> Any:
        if name not in self._clients:
            self._clients[name] = self.node.create_client(
                convert.service_class(kind), name, qos_profile=qos.service()
            )
        return self._clients[name]

    @contextlib.contextmanager
    def _ends_with_the_context(self) -> Iterator[None]:
        try:
            yield
        except InvalidHandle:
            if self._context.ok() and not self._closing.is_set():
                raise
            raise LinkLost('she ends at this moment') from None

    def _wait_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() >= end or self._closing.wait(LOOK_TICK):
                return False
        return True

    def is_said(self, topic: str, by: str) -> bool:
        """Tell whether somebody publishes a topic, or a node named `by` runs.

        A node that has just come does not know the whole graph yet; then it may be so.
        """
        if not self._guest:
            return True
        space = self.namespace
        return bool(self.node.count_publishers(f'{space}/{topic}')) or any(
            (name, where) == (by, space)
            for name, where in self.node.get_node_names_and_namespaces()
        )

    def topics(self, everything: bool) -> list[tuple[str, str, str]]:
        """Return the topics that somebody publishes; raises as :class:`Link`."""
        with self._ends_with_the_context():
            found = self._topics.all(everything, 0.0 if self._guest else self.look_seconds)
            return [(name, self._topics.manner(name), kind) for name, kind in found.items()]

    def echo(self, topic: str, field: str, seconds: float) -> Iterator[Any]:
        """Hear the messages of any topic; raises as :class:`Link`; ends with the link."""
        with self._ends_with_the_context():
            look = 0.0 if self._guest else self.look_seconds
            yield from self._topics.listen(topic, field, seconds, look)

    def close(self) -> None:
        """Leave the graph and end the thread."""
        self._closing.set()
        for done in list(self._waiting):
            done.set()
        self._topics.close()
        if self._thread.is_alive():
            # One that is shut down in mid-spin may fail (rclpy#944), and it does not return from a
            # wait before there is something to do.
            self._executor.create_task(lambda: None)
            self._thread.join(2.0)
        self._executor.shutdown(timeout_sec=2.0)
        self.node.destroy_node()
        if not self._guest:
            rclpy.shutdown(context=self._context)
