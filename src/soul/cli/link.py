"""A person's link to her: listens to her topics and knocks at her door."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, TypeVar

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from soul.core.refusal import answer_type
from soul.ros import convert, dds, given, qos
from soul.signals import Message, PostAnswer, PostRequest
from soul.store import Home
from soul.store.door_key import DoorKey, KeyUnusable

S = TypeVar('S')

_LEVELS = {DiagnosticStatus.OK: 'ok', DiagnosticStatus.WARN: 'warn'}
#: How long to look for her, s. Discovery on one host takes well under a second.
LOOK_SECONDS = 5.0


class NobodyThere(Exception):
    """She does not run here, or not under this namespace."""


class Link:
    """One node of a terminal; spins on a thread of its own.

    Parameters
    ----------
    namespace
        Where she lives, for example /soul.
    log_level
        What of ROS's own log is shown.

    Raises
    ------
    StartRefused
        If there can be no such namespace.
    """

    def __init__(self, namespace: str, log_level: str = 'warn') -> None:
        self.namespace = '/' + namespace.strip('/')
        given.check_namespace(self.namespace)
        dds.prepare()
        self._context = Context()
        # Also here: the newest context decides about the log of the whole process.
        given.initialise(['--ros-args', '--log-level', log_level], self._context)
        self.node = rclpy.create_node(
            f'terminal_{uuid.uuid4().hex[:8]}',
            namespace=self.namespace,
            context=self._context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
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
        """Hear how her organs are: `hear(organ, level, message)`, level is ok, warn or error."""
        space = self.namespace.lstrip('/') + '/'

        def take(message: DiagnosticArray) -> None:
            for status in message.status:
                if status.name.startswith(space):
                    level = _LEVELS.get(status.level, 'error')
                    hear(status.name.removeprefix(space), level, status.message)

        self.node.create_subscription(DiagnosticArray, '/diagnostics', take, qos.event())

    def start(self) -> Link:
        """Begin to listen."""
        self._thread.start()
        return self

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):
            self._executor.spin()

    def post(
        self, message: Message, seconds: float = LOOK_SECONDS, home: Home | None = None
    ) -> PostAnswer:
        """Put a message at her door.

        Parameters
        ----------
        home
            Her home; who can read the key there is one of her people. None: nothing is proven.

        Raises
        ------
        NobodyThere
            If nobody takes it in time.
        """
        text = convert.clean_text(message.text)  # as it travels
        message = dataclasses.replace(message, id=message.id or uuid.uuid4().hex, text=text)
        proof = ''
        if home is not None:
            with contextlib.suppress(KeyUnusable):
                proof = DoorKey.read(home).proof(message)
        return self.call('door/post', PostRequest(message, proof), seconds)  # type: ignore[no-any-return]

    def call(self, name: str, request: Any, seconds: float = LOOK_SECONDS) -> Any:
        """Call a service of hers and return its answer.

        Raises
        ------
        NobodyThere
            If nobody answers in time.
        """
        if name not in self._clients:
            self._clients[name] = self.node.create_client(
                convert.service_class(type(request)), name, qos_profile=qos.service()
            )
        client = self._clients[name]
        done = threading.Event()
        if client.wait_for_service(timeout_sec=seconds):
            future = client.call_async(convert.to_ros(request))
            future.add_done_callback(lambda _: done.set())
            if done.wait(seconds):
                return convert.from_ros(future.result(), answer_type(type(request)))
        raise NobodyThere(
            f'nobody lives at {self.namespace}: start her with `soul up` (or `make up`), or '
            'say where she is with --namespace'
        )

    def wait_until(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Look at the graph again and again until a condition holds; False: it never did."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() >= end:
                return False
            time.sleep(0.02)
        return True

    def close(self) -> None:
        """Leave."""
        self._executor.shutdown()
        if self._thread.is_alive():
            self._thread.join(2.0)
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)
