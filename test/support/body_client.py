"""The driver as a node, and a client of what it serves."""

import json
import threading
import urllib.error
import urllib.request

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from soul_msgs.action import LookAt, Say
from soul_msgs.msg import Connection, Extras, Touch
from soul_msgs.srv import Nudge, Post

from soul.ros import qos
from soul.ros.runner import Runner
from soul.stackchan.node import SPEC
from support.actions import ActionClient
from support.waiting import wait_until


class BodyClient:
    """The driver in this process, and somebody who uses it."""

    def __init__(self, domain, home, **given):
        self.home = home
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, args=[])
        values = {'soul_home': str(home), 'backoff_max': 0.3, **given}
        self.runner = Runner([SPEC], self.context, '/soul', {'stackchan': values}, []).start()
        self.node = rclpy.create_node('client', context=self.context, namespace='/soul')
        self.connections, self.extras, self.touches = [], [], []
        self.nudges, self.posts = [], []
        self.node.create_subscription(
            Connection, 'connection', self.connections.append, qos.for_reader('connection')
        )
        self.node.create_subscription(
            Extras, 'body/extra', self.extras.append, qos.for_reader('body/extra')
        )
        self.node.create_subscription(Touch, 'touch', self.touches.append, qos.for_reader('touch'))
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.actions = {
            'body/say': ActionClient(self.node, Say, 'body/say'),
            'body/look_at': ActionClient(self.node, LookAt, 'body/look_at'),
        }
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def connected(self, so=True):
        wait_until(lambda: self.connections and self.connections[-1].connected == so)
        return self.connections[-1]

    def call(self, kind, service, **fields):
        client = self.node.create_client(kind, service)
        assert client.wait_for_service(20.0), service
        future = client.call_async(kind.Request(**fields))
        return wait_until(lambda: future.done() and future.result())

    def begin(self, name, goal):
        assert self.actions[name].wait_for_server(20.0)
        future = self.actions[name].send_goal_async(goal)
        wait_until(future.done)
        return future.result() if future.result().accepted else None

    def say(self, act, text='hello'):
        return self.end(self.begin('body/say', Say.Goal(act_id=act, text=text)))

    def end(self, handle):
        future = handle.get_result_async()
        wait_until(future.done)
        return future.result().result

    def serve_nudges(self, accept=True):
        def nudge(request, response):
            self.nudges.append(request)
            response.accepted = accept
            response.reason = '' if accept else 'asleep'
            return response

        self.node.create_service(Nudge, 'heart/nudge', nudge)

    def serve_posts(self):
        def post(request, response):
            self.posts.append(request.message)
            response.accepted = True
            return response

        self.node.create_service(Post, 'door/post', post)

    def nudge(self, body, **headers):
        port = int((self.home / 'run' / 'nudge_port').read_text())
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            f'http://127.0.0.1:{port}/nudge',
            data,
            {'Content-Type': 'application/json', **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def close(self):
        try:
            self.runner.stop()
        finally:
            self.executor.shutdown()
            self.thread.join()
            self.node.destroy_node()
            rclpy.try_shutdown(context=self.context)
