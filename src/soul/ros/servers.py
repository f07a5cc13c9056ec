"""Serves what an organ serves at once and what it performs over time.

No coroutine waits anywhere: rclpy's executor keeps resuming a waiting coroutine and would burn
a whole core while she speaks. What takes time is kept by its handle and ended later.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from soul.organ import Finish, Organ, Progress, server_name
from soul.ros import convert


class Servers:
    """The services and action servers of one organ.

    Parameters
    ----------
    carry_out
        Carries out the organ's outputs; may raise OSError if something cannot be written.
    now
        Seconds of the node's clock.
    ready
        Whether the organ lives already.
    """

    def __init__(
        self,
        node: Node,
        organ: Organ,
        carry_out: Callable[[Iterable[Any]], None],
        now: Callable[[], float],
        ready: Callable[[], bool],
    ) -> None:
        self._organ = organ
        self._carry_out = carry_out
        self._now = now
        self._ready = ready
        self._logger = node.get_logger()
        self._numbers = itertools.count(1)
        self._goals: dict[str, ServerGoalHandle] = {}
        self._calls: dict[str, Callable[[Any], None]] = {}
        self._actions: list[ActionServer] = []
        for name, request_type in organ.serves.items():
            node.create_service(
                convert.service_class(request_type), name, self._at_once(name, request_type)
            )
        for name, request_type in organ.performs.items():
            if convert.is_action(request_type):
                self._actions.append(self._action(node, name, request_type))
            else:
                self._over_time(node, name, request_type)

    def _at_once(self, name: str, request_type: type) -> Callable[[Any, Any], Any]:
        method = getattr(self._organ, server_name(name))
        answer_type = convert.answer_type(request_type)

        def callback(request: Any, response: Any) -> Any:
            if not self._ready():
                convert.fill(_refused(answer_type, 'not awake yet: no clock'), response)
                return response
            answer, outputs = method(convert.from_ros(request, request_type), self._now())
            try:
                self._carry_out(outputs)
            except OSError as error:
                self._logger.error(f'{name}: {error}')
                answer = _refused(answer_type, f'it could not be written: {error}')
            convert.fill(answer, response)
            return response

        return callback

    def _over_time(self, node: Node, name: str, request_type: type) -> None:
        method = getattr(self._organ, server_name(name, 'perform'))
        answer_type = convert.answer_type(request_type)
        begun: list[tuple[str, Any]] = []

        def callback(request: Any, response: Any) -> Any:
            begun.append((self._handle(name), convert.from_ros(request, request_type)))
            return response

        service = node.create_service(convert.service_class(request_type), name, callback)
        send = service.send_response

        def send_later(response: Any, header: Any) -> None:
            # rclpy answers a service as soon as its callback returns; the answer is kept back
            # here until the organ has finished.
            handle, signal = begun.pop()

            def answer(result: Any) -> None:
                convert.fill(result, response)
                send(response, header)

            reason = self._refusal(name, signal)
            if reason:
                answer(_refused(answer_type, reason))
                return
            self._calls[handle] = answer
            self._carry_out(method(signal, handle, self._now()))

        service.send_response = send_later

    def _action(self, node: Node, name: str, goal_type: type) -> ActionServer:
        method = getattr(self._organ, server_name(name, 'perform'))

        def on_goal(goal: Any) -> GoalResponse:
            reason = self._refusal(name, convert.from_ros(goal, goal_type))
            if reason:
                self._logger.warning(f'{name} refused: {reason}')
            return GoalResponse.REJECT if reason else GoalResponse.ACCEPT

        def on_accepted(goal: ServerGoalHandle) -> None:
            handle = self._handle(name)
            self._goals[handle] = goal
            signal = convert.from_ros(goal.request, goal_type)
            self._carry_out(method(signal, handle, self._now()))

        def on_cancel(goal: ServerGoalHandle) -> CancelResponse:
            for handle, running in list(self._goals.items()):
                if running is goal:
                    self._carry_out(self._organ.cancel(handle, self._now()))
            return CancelResponse.ACCEPT

        return ActionServer(
            node,
            convert.action_class(goal_type),
            name,
            execute_callback=_never,
            goal_callback=on_goal,
            handle_accepted_callback=on_accepted,
            cancel_callback=on_cancel,
        )

    def _refusal(self, name: str, request: Any) -> str:
        if not self._ready():
            return 'not awake yet: no clock'
        return self._organ.refuse(name, request, self._now())

    def _handle(self, name: str) -> str:
        return f'{name}#{next(self._numbers)}'

    def progress(self, progress: Progress) -> None:
        """Publish an action's feedback."""
        goal = self._goals.get(progress.handle)
        if goal is not None:
            goal.publish_feedback(convert.to_ros(progress.feedback))

    def finish(self, finish: Finish) -> None:
        """End what was performed; a handle that is unknown or ended already is ignored."""
        answer = self._calls.pop(finish.handle, None)
        if answer is not None:
            answer(finish.result)
        goal = self._goals.pop(finish.handle, None)
        if goal is not None:
            goal.execute(lambda running: _conclude(running, finish))


def _conclude(goal: ServerGoalHandle, finish: Finish) -> Any:
    if finish.state == 'succeeded':
        goal.succeed()
    elif finish.state == 'canceled' and goal.is_cancel_requested:
        goal.canceled()
    else:
        goal.abort()
    return convert.to_ros(finish.result)


def _never(goal: ServerGoalHandle) -> Any:
    raise AssertionError('goals are executed by their own conclusion')


def _refused(answer_type: type, reason: str) -> Any:
    """Answer no, in an answer's own words: all have a reason or a message."""
    names = {field.name for field in dataclasses.fields(answer_type)}
    return answer_type(**{('reason' if 'reason' in names else 'message'): reason})
