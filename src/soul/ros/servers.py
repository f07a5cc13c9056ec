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
from soul.ros import convert, qos
from soul.signals import SayState
from soul.supervision import Supervisor


class Servers:
    """The services and action servers of one organ.

    Parameters
    ----------
    carry_out
        Carries out the organ's outputs; may raise OSError if something cannot be written.
    unwritten
        Is told of such an error.
    now
        Seconds of the node's clock.
    hindrance
        Why the organ cannot be asked at all: it does not live yet, or no more. Empty: it can.
    supervisor
        Looks after the organ.
    admit
        Brings a request within its limits; None, and why, if it is refused.
    """

    def __init__(
        self,
        node: Node,
        organ: Organ,
        carry_out: Callable[[Iterable[Any]], None],
        unwritten: Callable[[OSError], None],
        now: Callable[[], float],
        hindrance: Callable[[], str],
        supervisor: Supervisor,
        admit: Callable[[str, Any], tuple[Any, str]],
    ) -> None:
        self._organ = organ
        self._carry_out = carry_out
        self._unwritten = unwritten
        self._now = now
        self._hindrance = hindrance
        self._supervisor = supervisor
        self._admit = admit
        self._logger = node.get_logger()
        self._numbers = itertools.count(1)
        self._goals: dict[str, ServerGoalHandle] = {}
        self._calls: dict[str, Callable[[Any], None]] = {}
        self._answer_types: dict[str, type] = {}
        self._concluding: set[str] = set()
        self._actions: list[ActionServer] = []
        for name, request_type in organ.serves.items():
            node.create_service(
                convert.service_class(request_type),
                name,
                self._at_once(name, request_type),
                qos_profile=qos.service(),
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
            if hindrance := self._hindrance():
                convert.fill(_refused(answer_type, hindrance), response)
                return response
            signal, reason = self._admit(name, convert.from_ros(request, request_type))
            if signal is None:
                convert.fill(_refused(answer_type, reason), response)
                return response

            def serve() -> Any:
                answer, outputs = method(signal, self._now())
                self._carry_out(outputs)
                return answer

            try:
                answer = self._supervisor.attempt(serve)
            except OSError as error:
                self._unwritten(error)
                answer = _refused(answer_type, f'it could not be written: {error}')
            if answer is None:
                answer = _refused(answer_type, self._hindrance())
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

        service = node.create_service(
            convert.service_class(request_type), name, callback, qos_profile=qos.service()
        )
        send = service.send_response

        def send_later(response: Any, header: Any) -> None:
            # rclpy answers a service as soon as its callback returns; the answer is kept back
            # here until the organ has finished.
            if not begun:  # it was not understood, and the response says so
                send(response, header)
                return
            handle, signal = begun.pop()

            def answer(result: Any) -> None:
                convert.fill(result, response)
                send(response, header)

            signal, reason = self._admit(name, signal)
            reason = reason or self._refusal(name, signal)
            if reason:
                answer(_refused(answer_type, reason))
                return
            self._calls[handle] = answer
            self._answer_types[handle] = answer_type
            self._perform(method, signal, handle, answer_type)

        service.send_response = send_later

    def _action(self, node: Node, name: str, goal_type: type) -> ActionServer:
        method = getattr(self._organ, server_name(name, 'perform'))

        result_type = convert.answer_type(goal_type)

        def on_goal(goal: Any) -> GoalResponse:
            takes = not self._hindrance() and self._supervisor.attempt(
                lambda: self._organ.takes_goals
            )
            return GoalResponse.ACCEPT if takes else GoalResponse.REJECT

        def on_accepted(goal: ServerGoalHandle) -> None:
            handle = self._handle(name)
            self._goals[handle] = goal
            self._answer_types[handle] = result_type

            def admitted() -> tuple[Any, str]:
                return self._admit(name, convert.from_ros(goal.request, goal_type))

            signal, reason = self._supervisor.shield(admitted) or (
                None,
                'it could not be understood; the log says why',
            )
            if signal is not None:
                reason = self._refusal(name, signal)
            if reason:
                # A rejected goal carries no reason; whoever asked is to learn it.
                self._logger.warning(f'{name} refused: {reason}')
                self.finish(Finish(handle, _refused(result_type, reason), 'aborted'))
                return
            self._perform(method, signal, handle, result_type)

        def on_cancel(goal: ServerGoalHandle) -> CancelResponse:
            for handle, running in list(self._goals.items()):
                if running is goal and not self._hindrance():
                    self._do(lambda h=handle: self._organ.cancel(h, self._now()))  # type: ignore[misc]
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

    def _perform(self, method: Any, signal: Any, handle: str, result_type: type) -> None:
        try:
            self._supervisor.attempt(lambda: self._carry_out(method(signal, handle, self._now())))
        except OSError as error:
            self._unwritten(error)
            reason = f'it could not be written: {error}'
            self.finish(Finish(handle, _refused(result_type, reason), 'aborted'))

    def _do(self, work: Callable[[], Iterable[Any]]) -> None:
        try:
            self._supervisor.attempt(lambda: self._carry_out(work()))
        except OSError as error:
            self._unwritten(error)

    def give_up(self, reason: str) -> None:
        """Answer all that is still being performed: it will not be finished.

        What was under way may have happened in part; that is what its result says.
        """
        for handle in [*self._calls, *self._goals]:
            result = _refused(self._answer_types[handle], reason, SayState.UNCERTAIN)
            self.finish(Finish(handle, result, 'aborted'))

    @property
    def concluding(self) -> bool:
        """Whether goals have ended and their clients are not told yet."""
        return bool(self._concluding)

    @property
    def has_goals(self) -> bool:
        """Whether anything is performed as an action."""
        return bool(self._actions)

    def _refusal(self, name: str, request: Any) -> str:
        if hindrance := self._hindrance():
            return hindrance
        reason = self._supervisor.attempt(lambda: self._organ.refuse(name, request, self._now()))
        return self._hindrance() if reason is None else reason

    def _handle(self, name: str) -> str:
        return f'{name}#{next(self._numbers)}'

    def progress(self, progress: Progress) -> None:
        """Publish an action's feedback."""
        goal = self._goals.get(progress.handle)
        if goal is not None:
            goal.publish_feedback(convert.to_ros(progress.feedback))

    def finish(self, finish: Finish) -> None:
        """End what was performed; a handle that is unknown or ended already is ignored."""
        self._answer_types.pop(finish.handle, None)
        answer = self._calls.pop(finish.handle, None)
        if answer is not None:
            answer(finish.result)
        goal = self._goals.pop(finish.handle, None)
        if goal is not None:
            self._concluding.add(finish.handle)
            goal.execute(lambda running: self._conclude(running, finish))

    def _conclude(self, goal: ServerGoalHandle, finish: Finish) -> Any:
        self._concluding.discard(finish.handle)
        if finish.state == 'succeeded':
            goal.succeed()
        elif finish.state == 'canceled' and goal.is_cancel_requested:
            goal.canceled()
        else:
            goal.abort()
        return convert.to_ros(finish.result)


def _never(goal: ServerGoalHandle) -> Any:
    raise AssertionError('goals are executed by their own conclusion')


def _refused(answer_type: type, reason: str, outcome: str = SayState.ABORTED) -> Any:
    """Answer no, in an answer's own words: all have a reason or a message."""
    names = {field.name for field in dataclasses.fields(answer_type)}
    values = {'reason' if 'reason' in names else 'message': reason}
    if 'outcome' in names:
        values['outcome'] = outcome
    return answer_type(**values)
