"""Lends soul a TurtleBot-like robot: a voice (a TTS topic) and a neck (one pan joint)."""

import contextlib
import threading
import time

import rclpy
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from soul_msgs.action import LookAt, Say
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import Trigger


class Adapter(Node):
    def __init__(self):
        super().__init__('turtlebot_adapter')
        self.limit = self.declare_parameter('pan_limit', 1.5).value  # rad to either side
        self.patience = self.declare_parameter('patience', 20.0).value  # s for an act
        self.pan, self.outcomes = float('nan'), {}  # rad; act id -> how its speech ended
        self.mouth, self.silent, self.arrived = threading.Lock(), threading.Event(), None
        self.halts = 0  # how often it was stopped
        group = {'callback_group': ReentrantCallbackGroup()}
        self.voice = self.create_publisher(String, '/tts', 10)
        self.neck = self.create_publisher(Float64, '/head_pan/command', 10)
        self.create_subscription(Bool, '/tts/speaking', self.on_speaking, 10, **group)
        self.create_subscription(JointState, '/joint_states', self.on_joints, 10, **group)
        self.create_service(Trigger, 'body/halt', self.halt, **group)
        group['cancel_callback'] = lambda handle: CancelResponse.ACCEPT
        ActionServer(self, Say, 'body/say', self.say, goal_callback=self.may_say, **group)
        ActionServer(self, LookAt, 'body/look_at', self.look, goal_callback=self.may_look, **group)

    def halt(self, request, response):  # never refused; nothing begins or goes on afterwards
        self.halts += 1
        self.be_still()
        response.success, response.message = True, 'silent, and the head stands'
        return response

    def be_still(self):  # this robot falls silent with an empty text
        self.voice.publish(String())
        if self.pan == self.pan:
            self.neck.publish(Float64(data=self.pan))

    def wait(self, handle, event, halts):  # True: it happened; None: stopped; False: unknown
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            if handle.is_cancel_requested or self.halts != halts:
                self.be_still()
                return None
            if event.wait(0.02):
                return True
        return False

    def on_speaking(self, message):
        self.silent.clear() if message.data else self.silent.set()

    def on_joints(self, message):
        if 'head_pan_joint' in message.name:
            self.pan = message.position[message.name.index('head_pan_joint')]
        if self.arrived and abs(self.pan - self.arrived[0]) < 0.05:
            self.arrived[1].set()

    def may_say(self, goal):  # refused, she knows that it was not said
        heard = self.voice.get_subscription_count() > 0
        return GoalResponse.ACCEPT if heard else GoalResponse.REJECT

    def may_look(self, goal):  # neither points nor a direction that is no number
        sound = not goal.has_point and goal.yaw == goal.yaw
        return GoalResponse.ACCEPT if sound else GoalResponse.REJECT

    def say(self, handle):
        act, halts = handle.request.act_id, self.halts
        with self.mouth:  # one sentence at a time, and no act twice
            if self.halts != halts or handle.is_cancel_requested:
                self.outcomes.setdefault(act, Say.Goal.ABORTED)  # not a word was said
            if act not in self.outcomes:
                self.silent.clear()
                self.voice.publish(String(data=handle.request.text))
                # Without word from the robot it may have been heard: never claim what is unknown.
                ended = self.wait(handle, self.silent, halts)
                self.outcomes[act] = Say.Goal.DONE if ended else Say.Goal.UNCERTAIN
        outcome = self.outcomes[act]
        self.end(handle, outcome == Say.Goal.DONE)
        return Say.Result(outcome=outcome, reason='' if outcome == Say.Goal.DONE else 'cut off')

    def look(self, handle):
        yaw = max(-self.limit, min(self.limit, handle.request.yaw))
        self.arrived = here = (yaw, threading.Event())
        self.neck.publish(Float64(data=yaw))
        ok = bool(self.wait(handle, here[1], self.halts))
        self.end(handle, ok)
        return LookAt.Result(ok=ok, clamped=yaw != handle.request.yaw, yaw=self.pan)

    def end(self, handle, done):
        if done:
            handle.succeed()
        else:
            handle.canceled() if handle.is_cancel_requested else handle.abort()


if __name__ == '__main__':
    rclpy.init()
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        executor = MultiThreadedExecutor()
        executor.add_node(Adapter())
        while rclpy.ok():  # looks up now and then: a signal may come between two waits
            executor.spin_once(timeout_sec=0.5)
