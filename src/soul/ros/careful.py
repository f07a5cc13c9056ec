"""Services that survive what they are asked: whoever asks gets an answer, and nobody ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node

from soul.core.supervision import Supervisor


def shield_services(node: Node, supervisor: Supervisor) -> None:
    """Shield all services of a node, also those of rclpy itself (parameters, transitions)."""
    for service in node.services:
        service.callback = _shielded(service.callback, supervisor)


def _shielded(
    callback: Callable[[Any, Any], Any], supervisor: Supervisor
) -> Callable[[Any, Any], Any]:
    def careful(request: Any, response: Any) -> Any:
        strays = supervisor.strays
        answer = supervisor.shield(lambda: callback(request, response))
        if answer is None:
            told = 'it could not be understood; the log says why'
            return refusal(request, response, told if supervisor.strays > strays else '')
        return answer

    return careful


def refusal(request: Any, response: Any, reason: str) -> Any:
    """Make a new response of the same type that says no, in whatever words its type has."""
    answer = type(response)()
    if hasattr(answer, 'results'):
        no = SetParametersResult(successful=False, reason=reason)
        answer.results = [no for _ in getattr(request, 'parameters', ())]
    elif hasattr(answer, 'result') and hasattr(answer.result, 'reason'):
        answer.result.reason = reason
    for name in ('reason', 'message'):
        if isinstance(getattr(answer, name, None), str):
            setattr(answer, name, reason)
    return answer
