"""The services and actions of one organ on ROS; what they are asked goes to its runtime.

No coroutine waits anywhere: rclpy's executor keeps resuming a waiting coroutine and would burn
a whole core while she speaks. What takes time is kept and ended later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from soul.core.organ import Finish, Progress
from soul.core.refusal import is_goal
from soul.core.runtime import Runtime
from soul.ros import convert, qos
from soul.ros.delivery import Delivery

#: Why something is turned away that cannot even be converted.
GARBLED = 'it could not be understood; the log says why'


class LateAnswer:
    """A call of a service that is answered when the organ has finished."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        self.send = send


class NodeServers:
    """What others can ask of one organ."""

    def __init__(self, node: Node, runtime: Runtime, delivery: Delivery) -> None:
        self._runtime = runtime
        self._delivery = delivery
        self._concluding = 0
        self._actions: list[ActionServer] = []
        organ = runtime.organ
        for name, request_type in organ.serves.items():
            service = node.create_service(
                convert.service_class(request_type),
                name,
                self._at_once(name, request_type),
                qos_profile=qos.service(),
            )
            delivery.watch(service)
        for name, request_type in organ.performs.items():
            if is_goal(request_type):
                action = self._action(node, name, request_type)
                delivery.watch_action(action)
                self._actions.append(action)
            else:
                self._over_time(node, name, request_type)

    @property
    def concluding(self) -> bool:
        """Whether goals have ended and their clients are not told yet."""
        return self._concluding > 0

    @property
    def has_actions(self) -> bool:
        """Whether anything is performed as an action."""
        return bool(self._actions)

    def close(self) -> None:
        """Perform nothing any more: what stays of an action would be found, and never answer."""
        for action in self._actions:
            self._delivery.forget(action)
            action.destroy()
        self._actions.clear()

    # --- in -------------------------------------------------------------------------------

    def _at_once(self, name: str, request_type: type) -> Callable[[Any, Any], Any]:
        def callback(request: Any, response: Any) -> Any:
            answer = self._runtime.requests.serve(name, convert.from_ros(request, request_type))
            convert.fill(answer, response)
            return response

        return callback

    def _over_time(self, node: Node, name: str, request_type: type) -> None:
        begun: list[Any] = []

        def callback(request: Any, response: Any) -> Any:
            begun.append(convert.from_ros(request, request_type))
            return response

        service = node.create_service(
            convert.service_class(request_type), name, callback, qos_profile=qos.service()
        )
        self._delivery.watch(service)
        send = service.send_response

        def send_later(response: Any, header: Any) -> None:
            # rclpy answers a service as soon as its callback returns; the answer is kept back
            # here until the organ has finished.
            if not begun:  # it was not understood, and the response says so
                send(response, header)
                return

            def answer(result: Any) -> None:
                convert.fill(result, response)
                send(response, header)

            self._runtime.requests.perform(name, begun.pop(), LateAnswer(answer))

        service.send_response = send_later

    def _action(self, node: Node, name: str, goal_type: type) -> ActionServer:
        runtime = self._runtime
        requests = runtime.requests

        def on_goal(goal: Any) -> GoalResponse:
            return GoalResponse.ACCEPT if requests.takes_goals() else GoalResponse.REJECT

        def on_accepted(goal: ServerGoalHandle) -> None:
            # A rejected goal carries no reason, and whoever asked is to learn it: a goal that is
            # refused is accepted and ends at once.
            signal = runtime.supervisor.shield(lambda: convert.from_ros(goal.request, goal_type))
            if signal is None:
                requests.turn_away(name, goal, GARBLED)
            else:
                requests.perform(name, signal, goal)

        def on_cancel(goal: ServerGoalHandle) -> CancelResponse:
            requests.cancel(goal)
            return CancelResponse.ACCEPT

        return ActionServer(
            node,
            convert.action_class(goal_type),
            name,
            execute_callback=_never,
            goal_callback=on_goal,
            handle_accepted_callback=on_accepted,
            cancel_callback=on_cancel,
            goal_service_qos_profile=qos.service(),
            result_service_qos_profile=qos.service(),
            cancel_service_qos_profile=qos.service(),
        )

    # --- out ------------------------------------------------------------------------------

    @staticmethod
    def progress(goal: LateAnswer | ServerGoalHandle, progress: Progress) -> None:
        """Publish an action's feedback; a service has none."""
        if not isinstance(goal, LateAnswer):
            goal.publish_feedback(convert.to_ros(progress.feedback))

    def finish(self, goal: LateAnswer | ServerGoalHandle, finish: Finish) -> None:
        """Answer a call, or end a goal."""
        if isinstance(goal, LateAnswer):
            goal.send(finish.result)
            return
        self._concluding += 1
        goal.execute(lambda running: self._conclude(running, finish))

    def _conclude(self, goal: ServerGoalHandle, finish: Finish) -> Any:
        self._concluding -= 1
        if finish.state == 'succeeded':
            goal.succeed()
        elif finish.state == 'canceled' and goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return convert.to_ros(finish.result)


def _never(goal: ServerGoalHandle) -> Any:
    raise AssertionError('goals are executed by their own conclusion')
