"""Write config/soul.yaml: every parameter of every node, with its default, meaning and range.

Run it in the environment (`. tools/env.sh`) after a change of a parameter; a test holds the file
equal to the code.
"""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / 'config' / 'soul.yaml'

HEAD = """\
# Every parameter of every node, at its default. Copy this file, change what you want, and start
# with `soul up --params-file FILE` or `ros2 launch soul bringup.launch.py params_file:=FILE`.
# A wrong value stops the node and says what is allowed. No secrets belong here: parameters can be
# read by everybody on the graph.
#
# Written by tools/write_params.py from the code.

/**:
  ros__parameters:
    # Her home directory; empty: SOUL_HOME or ~/.soul.
    soul_home: ""
    # Managed nodes configure and activate themselves.
    autostart: true
    # Organs of one process hear and ask each other directly; on DDS what they say is for everybody
    # else.
    use_intra_process_comms: true
    # What runs the node's callbacks: an executor that keeps its wait set (wait_set), or rclpy's
    # own (rclpy), which takes more of the processor.
    executor: "wait_set"
"""


def text() -> str:
    """Return the whole file."""
    from soul import graph
    from soul.core.config_text import allowed, field_default

    parts = [HEAD]
    for node in graph.NODES:
        parts.append(f'\n/**/{node.name}:\n  ros__parameters:\n')
        for field_name, field in node.load_config().model_fields.items():
            described = f'{field.description.rstrip(".")}. Allowed: {allowed(field)}.'
            for line in textwrap.wrap(described, 92):
                parts.append(f'    # {line}\n')
            value = json.dumps(field_default(field), ensure_ascii=False)
            parts.append(f'    {field_name}: {value}\n')
    return ''.join(parts)


if __name__ == '__main__':
    FILE.write_text(text(), encoding='utf-8')
    print(f'written: {FILE}')
