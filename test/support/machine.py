"""The project's reference server of the exec contract, in a process of its own."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

SERVER = Path(__file__).resolve().parents[2] / 'tools' / 'machine_server.py'


class MachineServer:
    """Runs the server on a free port of the loopback."""

    def __init__(self, home, token='sesame', *more):
        self.log = home / 'commands.log'
        self.process = subprocess.Popen(
            [sys.executable, str(SERVER), '--port', '0', '--cwd', str(home), '--log',
             str(self.log), '--allow-root', *more],
            env={**os.environ, 'SOUL_MACHINE_TOKEN': token},
            stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        line = self.process.stdout.readline()
        self.url = re.search(r'http://\S+', line)[0]

    def close(self):
        self.process.terminate()
        self.process.wait(5)
        self.process.stdout.close()


def handles_signals(pid):
    """Tell whether a process of hers has come as far as its first line."""
    try:
        lines = Path(f'/proc/{pid}/status').read_text().splitlines()
    except OSError:
        return False
    mask = next((line.split()[1] for line in lines if line.startswith('SigCgt')), '0')
    return bool(int(mask, 16) >> (signal.SIGTERM - 1) & 1)
