"""The examples of docs/library.md run as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

DOC = Path(__file__).parents[3] / 'docs' / 'library.md'


def examples():
    return re.findall(r'```python\n(.*?)```', DOC.read_text(), re.DOTALL)


def test_the_examples_run_one_after_the_other(capsys):
    assert len(examples()) == 3
    names = {'__name__': 'library'}
    for example in examples():
        exec(compile(example, str(DOC), 'exec'), names)
    out = capsys.readouterr().out
    assert 'FIELD · Mon 05 Oct' in out
    assert "'Trent: did you see the launch tonight?'" in out


def test_it_needs_no_ros():
    code = (
        'import sys\n'
        'from soul.field.perception import Perception\n'
        'from soul.field.field import Field\n'
        "assert not [m for m in sys.modules if m.split('.')[0] in ('rclpy', 'soul_msgs')]\n"
        "assert not [m for m in sys.modules if m.split('.')[0] in ('torch', 'onnxruntime')]\n"
    )
    subprocess.run([sys.executable, '-c', code], check=True, timeout=60)
