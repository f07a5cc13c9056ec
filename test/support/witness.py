"""An outside node that hears every topic of hers and keeps what it heard."""

import contextlib
import dataclasses
import threading
import time
import uuid

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

from soul.core.refusal import answer_type
from soul.ros import convert, dds, qos
from soul.signals import (
    Act,
    BodyState,
    Connection,
    Energy,
    FieldEvent,
    GuardState,
    HeartState,
    Knock,
    Message,
    MindState,
    ModelCall,
    PostRequest,
    Reply,
    SenseEvent,
    Turn,
    View,
    Wake,
)

TOPICS = {
    'body/event': SenseEvent,
    'body/state': BodyState,
    'connection': Connection,
    'door/knock': Knock,
    'door/message': Message,
    'door/reply': Reply,
    'field/event': FieldEvent,
    'field/view': View,
    'guard/act': Act,
    'guard/energy': Energy,
    'guard/state': GuardState,
    'heart/state': HeartState,
    'heart/wake': Wake,
    'mind/state': MindState,
    'mind/call': ModelCall,
    'mind/turn': Turn,
}


#: A request with an id is asked again after this without an answer, s.
ASK_AGAIN = 2.0


class Witness:
    """Hears everything under one namespace."""

    def __init__(self, domain, namespace='/soul'):
        self.heard = {topic: [] for topic in TOPICS}
        self.changed = threading.Condition()
        dds.prefer_quick_discovery()
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, args=[])
        self.node = rclpy.create_node('witness', namespace=namespace, context=self.context)
        for topic, kind in TOPICS.items():
            self.node.create_subscription(
                convert.ros_class(kind),
                topic,
                lambda m, t=topic, k=kind: self._hear(t, convert.from_ros(m, k)),
                qos.for_reader(topic),
            )
        self.publisher = self.node.create_publisher(
            convert.ros_class(Message), 'door/message', qos.event()
        )
        self.clients = {}
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self._spin, name='witness', daemon=True)
        self.thread.start()

    def _spin(self):
        with contextlib.suppress(ExternalShutdownException):
            self.executor.spin()

    def do(self, work, seconds=10.0):
        """Do something on the thread that listens.

        What it destroys must not be what it is about to wait for (rclpy#1355): done from another
        thread that ends the listening, and everything seems silent from then on.
        """
        done = threading.Event()

        def doing():
            try:
                work()
            finally:
                done.set()

        self.executor.create_task(doing)
        assert done.wait(seconds)

    def _hear(self, topic, signal):
        with self.changed:
            self.heard[topic].append(signal)
            self.changed.notify_all()

    def wait(self, topic, fits=lambda signal: True, seconds=20.0):
        """Wait for a signal that fits and return it."""

        def found():
            return next((s for s in list(self.heard[topic]) if fits(s)), None)

        with self.changed:
            assert self.thread.is_alive(), 'the witness itself has ended: see its traceback'
            assert self.changed.wait_for(lambda: found() is not None, seconds), (
                f'nothing on {topic} within {seconds} s; newest: {self.heard[topic][-3:]}'
            )
            return found()

    def of(self, topic, fits=lambda signal: True):
        """Return what was heard on a topic and fits."""
        with self.changed:
            return [signal for signal in self.heard[topic] if fits(signal)]

    def wait_awake(self, seconds=30.0, body=True):
        """Wait until she can be talked to."""
        self.wait('mind/state', lambda s: s.model_available, seconds)
        self.wait('guard/state', seconds=seconds)
        if body:
            self.wait('connection', lambda c: c.connected, seconds)
        deadline = time.monotonic() + seconds
        while self.publisher.get_subscription_count() < 1 and time.monotonic() < deadline:
            time.sleep(0.01)

    def say(self, message):
        """Publish a message."""
        self.publisher.publish(convert.to_ros(message))

    def call(self, name, request, seconds=10.0):
        """Call a service and return its answer, or None.

        The middleware may drop a request or its answer, most of all when a server has just come:
        what has an id is asked again, as the product's own clients do.
        """
        kind = type(request)
        repeats = isinstance(request, PostRequest)
        if getattr(request, 'request_id', None) == '':
            request, repeats = dataclasses.replace(request, request_id=uuid.uuid4().hex), True
        if name not in self.clients:
            self.clients[name] = self.node.create_client(convert.service_class(kind), name)
        client = self.clients[name]
        if not client.wait_for_service(timeout_sec=seconds):
            return None
        done, answers = threading.Event(), []

        def answered(future):
            answers.append(future.result())
            done.set()

        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0 and not done.is_set():
            client.call_async(convert.to_ros(request)).add_done_callback(answered)
            done.wait(min(left, ASK_AGAIN) if repeats else left)
        return convert.from_ros(answers[0], answer_type(kind)) if answers else None

    def post(self, message, seconds=10.0):
        """Post a message and return the answer, or None."""
        return self.call('door/post', PostRequest(message), seconds)

    def close(self):
        self.executor.shutdown()
        self.thread.join(5)
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
