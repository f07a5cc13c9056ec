"""Her graph for a test: in this process, or as processes that can be killed."""

import os
import signal
import subprocess
import sys

import rclpy
from rclpy.context import Context

from soul import graph as table
from soul.ros.runner import Runner
from soul.ros.terminals import serve


class Inside:
    """The composition in this process, in a ROS context of its own."""

    def __init__(
        self, domain, home, namespace='/soul', use_mock=True, driver='stackchan', **given
    ):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain, args=[])
        entries = table.entries(use_mock, driver)
        values = {
            entry.name: {
                'soul_home': str(home),
                **table.parameters(entry, use_mock),
                **given.get(entry.name, {}),
            }
            for entry in entries
        }
        self.runner = Runner(
            table.specs(entries), self.context, namespace, values, arguments=[]
        ).start()
        self.listener = serve(self.runner.organs)

    def close(self):
        if self.listener is not None:
            self.listener.close()
        try:
            self.runner.stop()
        finally:
            rclpy.try_shutdown(context=self.context)


class Process:
    """One process of hers: the composition or a single organ.

    Parameters
    ----------
    command
        For example ['-m', 'soul.bringup'] or ['-m', 'soul.heart.node'].
    """

    def __init__(self, command, domain, home, namespace='/soul', log=None, **parameters):
        arguments = ['--ros-args', '-r', f'__ns:={namespace}']
        for name, value in {'soul_home': str(home), **parameters}.items():
            arguments += ['-p', f'{name}:={value}']
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain), 'PYTHONUNBUFFERED': '1'}
        self._command = [sys.executable, *command, *arguments]
        self._environment = environment
        self._log = log
        self.start()

    def start(self):
        with open(self._log or os.devnull, 'ab') as output:
            self.process = subprocess.Popen(
                self._command, env=self._environment, stdout=output, stderr=subprocess.STDOUT
            )

    def kill(self):
        """Kill -9."""
        self.process.kill()
        self.process.wait(10)

    def end(self, number=signal.SIGTERM, seconds=20):
        """End it as a person or a supervisor would; return the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def close(self):
        if self.process.poll() is None:
            self.end()


def organ_command(entry):
    """Command that runs one organ of the node table."""
    return ['-c', f'import sys; from {entry.module} import main; sys.exit(main())']
