"""Run long commands: output to a log and in brief to the terminal."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from soulenv.report import Ticker


@dataclass(frozen=True)
class Outcome:
    """How a command ended and all that it printed."""

    code: int
    output: str

    def tail(self, lines: int = 25) -> str:
        """Return the last lines, indented for an error message."""
        return '\n'.join('    ' + line for line in self.output.splitlines()[-lines:])


def run(
    command: Sequence[str | Path], environment: Mapping[str, str], cwd: Path, log: Path
) -> Outcome:
    """Run a command to its end; its output goes to ``log`` line by line."""
    log.parent.mkdir(parents=True, exist_ok=True)
    ticker = Ticker()
    lines = []
    with (
        log.open('w') as file,
        subprocess.Popen(
            [str(word) for word in command],
            env=dict(environment),
            cwd=cwd,
            text=True,
            errors='replace',
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            file.write(line)
            file.flush()
            lines.append(line)
            ticker.show(line)
    ticker.clear()
    return Outcome(process.returncode, ''.join(lines))
