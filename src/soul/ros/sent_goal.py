"""One goal that was sent to an action server, until its end is known."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

#: How often a goal's server is asked whether it still knows the goal, s. One that was killed and
#: started anew does not, and would never say so by itself.
ASK_AGAIN = 1.0
#: A server that says neither yes nor no for this long is asked whether it has begun, s: the
#: middleware may have dropped its answer.
INQUIRE = 0.5
#: A server that answers nothing at all for this long is gone, s.
ACCEPT_SECONDS = 3.0

#: By a goal's last status; any other one is no end, so nobody knows what has happened.
_FAILURES = {
    GoalStatus.STATUS_SUCCEEDED: '',
    GoalStatus.STATUS_ABORTED: 'aborted',
    GoalStatus.STATUS_CANCELED: 'canceled',
}


class SentGoal:
    """Sends a goal, and finds out what has become of it. Everything on the executor's thread.

    A server whose yes or no does not arrive is asked for the goal's result. If it does not know
    the goal, and is still the one that the goal was sent to, nothing has been begun: the goal is
    sent again, under the same id, so that it is never carried out twice.

    Parameters
    ----------
    node
        Whose client it is.
    client
        Of the action; its server is there.
    name
        The action's, relative to the node's namespace.
    goal
        What is asked, as a message.
    end
        Is told the end, once: the result, if there is one, and what failed (empty: nothing;
        ``refused``, ``aborted``, ``canceled``, or ``lost``: nobody knows).
    """

    def __init__(
        self,
        node: Node,
        client: ActionClient[Any, Any, Any],
        name: str,
        goal: Any,
        end: Callable[[Any, str], None],
    ) -> None:
        self._node = node
        self._client = client
        self._name = name
        self._goal = goal
        self._end = end
        self._id = UUID(uuid=list(uuid.uuid4().bytes))
        self._server = self._servers()
        self._handle: ClientGoalHandle[Any, Any, Any] | None = None  # once it is accepted
        self._canceled = False
        self._refused = False  # it was sent more than once, and the answer was no
        self._times = 0  # how often it was sent
        self._questions = 0  # how often its result was asked for
        self._unknown = False  # the server does not know it
        self._heard = self._asked = time.monotonic()  # the server; when the result was asked for
        self._send()

    def cancel(self) -> None:
        """Ask the server to end it."""
        self._canceled = True
        if self._handle is not None:
            self._handle.cancel_goal_async()

    def look_after(self, now: float) -> None:
        """See whether anything is missing; `now` is monotonic, s."""
        if self._unknown:
            self._unknown = False
            self._send_again()
        elif self._handle is None and now >= self._heard + ACCEPT_SECONDS:
            self._end(None, 'lost')
        elif now - self._asked >= (INQUIRE if self._handle is None else ASK_AGAIN):
            self._ask_result()

    def _send(self) -> None:
        self._times += 1
        future = self._client.send_goal_async(self._goal, goal_uuid=self._id)
        future.add_done_callback(self._on_goal)

    def _send_again(self) -> None:
        """Send it to a server that does not know it, if nothing can have happened."""
        if self._servers() != self._server:
            self._end(None, 'lost')  # another one has taken the place of that which heard it
        elif self._canceled:
            self._end(None, 'canceled')
        elif self._refused:
            self._end(None, 'refused')
        else:
            self._send()

    def _servers(self) -> frozenset[bytes]:
        """Return which servers there are; one that was started anew is another one."""
        topic = f'{self._name}/_action/status'
        return frozenset(
            bytes(info.endpoint_gid) for info in self._node.get_publishers_info_by_topic(topic)
        )

    def _on_goal(self, future: Future[Any]) -> None:
        if self._broken(future):
            return
        goal = future.result()
        self._heard = time.monotonic()
        if goal is None or not goal.accepted:
            if self._times == 1:
                self._end(None, 'refused')
            else:  # a server also says no to a goal that it has begun already
                self._refused = True
                self._ask_result()
            return
        self._handle = goal
        if self._canceled:
            goal.cancel_goal_async()
        self._ask_result()

    def _ask_result(self) -> None:
        self._asked = time.monotonic()
        self._questions += 1
        accepted, question = self._handle is not None, self._questions
        handle = self._handle or ClientGoalHandle(self._client, self._id, None)
        handle.get_result_async().add_done_callback(
            lambda done: self._on_result(done, accepted, question)
        )

    def _on_result(self, future: Future[Any], accepted: bool, question: int) -> None:
        if self._broken(future):
            return
        response = future.result()
        self._heard = time.monotonic()
        if response.status != GoalStatus.STATUS_UNKNOWN:
            self._end(response.result, _FAILURES.get(response.status, 'lost'))
        elif accepted:
            self._end(None, 'lost')  # it was known, and is not any more
        elif self._handle is None and question == self._questions:
            self._unknown = True

    def _broken(self, future: Future[Any]) -> bool:
        """Whether a future brought an error instead of an answer: it may have happened."""
        error = future.exception()
        if error is not None:
            self._node.get_logger().warning(f'{self._name} gave no answer: {error!r}')
            self._end(None, 'lost')
        return error is not None
