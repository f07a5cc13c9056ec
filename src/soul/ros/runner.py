"""Lets organs live in one process: one executor thread each, a clean stop, hardware first.

An organ that fails is begun anew with its memory, and the others go on: a restart is a nap. If it
fails too often it stays down, which /diagnostics and `soul status` say; see
:mod:`soul.core.supervision`.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.parameter import Parameter

from soul.core.supervision import Supervisor
from soul.graph import OrganSpec
from soul.ros.ending import Ending
from soul.ros.executor import WaitSetExecutor
from soul.ros.local import Neighbours
from soul.ros.organ import OrganNode
from soul.ros.standin import StandIn

#: Longest time an organ may take to stop, s.
LAST_SECONDS = 3.0
#: How long the clients of a failed organ's actions may ask how theirs has ended, s.
BURY_SECONDS = 0.5
#: What an executor raises when there is nothing more to do.
PASSING = (ExternalShutdownException,)
#: How soon a computing thread lets another one run, s.
SWITCH_SECONDS = 0.0005


class Runner:
    """Several organs in one process; nothing is shared between them but topics.

    Parameters
    ----------
    specs
        The organs, hardware last; they stop in reverse order.
    given
        Parameter values by node name; they count more than the command line's.
    """

    def __init__(
        self,
        specs: Sequence[OrganSpec],
        context: Context | None = None,
        namespace: str | None = None,
        given: Mapping[str, Mapping[str, Any]] | None = None,
        arguments: Sequence[str] | None = None,
        ending: Ending | None = None,
    ) -> None:
        self._context = context or rclpy.get_default_context()
        self._specs = list(specs)
        self._namespace = namespace
        self._arguments = list(arguments) if arguments is not None else None
        self._given = given or {}
        self._failed: BaseException | None = None
        self._stopping = threading.Event()
        # A message passes from thread to thread: at Python's default of 5 ms each hop could wait
        # that long for a thread that computes.
        sys.setswitchinterval(SWITCH_SECONDS)
        self._ending = ending or Ending()
        self._neighbours = Neighbours()
        self.organs: list[OrganNode] = []
        self._executors: list[SingleThreadedExecutor] = []
        self._threads: list[threading.Thread] = []
        try:
            for spec in self._specs:
                self.organs.append(self._node(spec, None))
        except BaseException:
            for organ in self.organs:
                organ.destroy()
            raise

    def _node(self, spec: OrganSpec[Any], supervisor: Supervisor | None) -> OrganNode:
        values = self._given.get(spec.name, {})
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        return OrganNode(
            spec,
            self._context,
            self._namespace,
            overrides,
            self._arguments,
            self._specs,
            supervisor,
            self._neighbours,
        )

    def _again(self, spec: OrganSpec[Any], supervisor: Supervisor) -> OrganNode:
        node = self._node(spec, supervisor)
        try:
            node.listen()
        except BaseException:
            node.destroy()
            raise
        return node

    def start(self) -> Runner:
        """Let the organs live, each on its own thread."""
        for number, organ in enumerate(self.organs):
            organ.listen()
            self._executors.append(organ.new_executor())
            thread = threading.Thread(
                # A daemon, though it is always joined: a main thread that fails hangs on nobody.
                target=self._live,
                args=(number,),
                name=organ.spec.name,
                daemon=True,
            )
            self._threads.append(thread)
        for thread in self._threads:
            thread.start()
        return self

    def _live(self, number: int) -> None:
        """Let one organ live, as often as it is begun anew."""
        try:
            while self._spin(number):
                if not self._renew(number):
                    break
        except ExternalShutdownException:
            pass
        except BaseException as error:  # noqa: BLE001 - handed on; the process ends with it
            self._failed = self._failed or error
            spec = self._specs[number]
            print(  # noqa: T201
                f'{spec.name} failed: {error!r}\n{traceback.format_exc()}', file=sys.stderr
            )
        finally:
            self._ending.end()

    def _spin(self, number: int) -> bool:
        """Let an organ live until it has ended (False) or failed (True)."""
        organ, executor = self.organs[number], self._executors[number]
        # An executor that another thread shuts down in mid-spin may fail (rclpy#944): it ends
        # by itself once its organ has.
        while not organ.ended:
            organ.supervisor.shield(executor.spin_once, PASSING)
            if organ.supervisor.broken:
                return True
        return False

    def _renew(self, number: int) -> bool:
        """Begin a broken organ anew; False if the end has come meanwhile."""
        spec, old = self._specs[number], self.organs[number]
        supervisor = old.supervisor
        self._bury(number)
        while not self._stopping.is_set():
            pause = supervisor.again()
            if pause is None:
                self._stand_in(number, supervisor)
                return False
            if self._stopping.wait(pause):
                return False
            new = supervisor.shield(partial(self._again, spec, supervisor))
            if new is not None:
                self.organs[number], self._executors[number] = new, new.new_executor()
                if self._stopping.is_set():
                    new.request_stop()
                return True
            supervisor.broken = supervisor.broken or 'it could not be begun anew'
        return False

    def _bury(self, number: int) -> None:
        """End what is left of a broken organ, and answer whoever waits for it."""
        organ, executor = self.organs[number], self._executors[number]
        organ.supervisor.shield(organ.abandon)
        until = time.monotonic() + (BURY_SECONDS if organ.has_goals else 0.0)
        while time.monotonic() < until and not self._stopping.is_set():
            organ.supervisor.shield(
                partial(executor.spin_once, 0.05), (ExternalShutdownException,)
            )
        executor.shutdown(timeout_sec=LAST_SECONDS)
        organ.destroy()
        for other in self.organs:
            if other is not organ and not other.ended:
                other.miss(organ.spec.organ.says)

    def _stand_in(self, number: int, supervisor: Supervisor) -> None:
        """Say that an organ stays down until the end comes."""
        spec = self._specs[number]
        stand_in = StandIn(
            spec.name,
            spec.hardware_id,
            supervisor,
            self._context,
            self._namespace,
            self._arguments,
        )
        executor = WaitSetExecutor(context=self._context)
        executor.add_node(stand_in.node)
        try:
            while not self._stopping.is_set():
                supervisor.shield(partial(executor.spin_once, 0.2), PASSING)
        finally:
            executor.shutdown(timeout_sec=LAST_SECONDS)
            stand_in.destroy()

    def living(self) -> list[Executor]:
        """Return the executors of the organs that live: not of one that is being begun anew."""
        pairs = zip(self.organs, self._executors, strict=False)
        return [
            executor
            for organ, executor in pairs
            if not (organ.ended or organ.supervisor.broken or organ.supervisor.down)
        ]

    def end(self) -> None:
        """Let whoever waits for the end go on, to stop the organs; from any thread."""
        self._ending.end()

    def stop(self) -> None:
        """Stop the organs, hardware first, and let go of everything.

        Raises
        ------
        BaseException
            What ended the thread of an organ, other than the organ's own failures.
        """
        self._stopping.set()
        for number, thread in reversed(list(enumerate(self._threads))):
            if thread.is_alive():
                self.organs[number].request_stop()
                thread.join(LAST_SECONDS)
            self._executors[number].shutdown(timeout_sec=LAST_SECONDS)
            thread.join(LAST_SECONDS)
        for organ in reversed(self.organs):
            organ.destroy()
        if self._failed is not None:
            raise self._failed
