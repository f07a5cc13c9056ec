"""Write the meaning and unit of each field into soul/signals, as soul_msgs has it.

Run it after a change of a message (`python tools/write_units.py`); a test holds the two equal.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MESSAGES = ROOT / 'src' / 'soul_msgs'
SIGNALS = ROOT / 'src' / 'soul' / 'signals'
WIDTH = 99
#: What a signal has for these types of ROS.
_TIMES = {
    'builtin_interfaces/Duration': 's',
    'builtin_interfaces/Time': 's since 1970',
    'std_msgs/Header': 's since 1970',
}
_PARTS = {'.msg': ('',), '.srv': ('Request', 'Answer'), '.action': ('Goal', 'Result', 'Feedback')}
_FIELD = re.compile(r'^([\w/]+(?:<=\d+)?(?:\[[^\]]*\])?)\s+(\w+)\s*(?:#\s*(.*))?$')
_MORE = re.compile(r'^\s+#\s*(.*)$')


def meanings(text: str) -> dict[str, str]:
    """Return what the comments of one part of an interface say, by field of the signal."""
    found: dict[str, str] = {}
    name = ''
    for line in text.splitlines():
        more, field = _MORE.match(line), _FIELD.match(line)
        if more and name:
            found[name] = f'{found[name]} {more[1]}'.strip()
        elif field and '=' not in line.split('#')[0]:
            kind, name, comment = field[1], field[2], (field[3] or '').strip()
            if kind == 'std_msgs/Header':
                name, comment = 'stamp', comment.removeprefix('stamp: ')
            unit = _TIMES.get(kind, '')
            found[name] = '; '.join(part for part in (unit, comment) if part)
        else:
            name = ''
    return {name: meaning for name, meaning in found.items() if meaning}


def interfaces() -> dict[str, dict[str, str]]:
    """Return the meanings of all fields, by the name of the signal."""
    found = {}
    for path in sorted(MESSAGES.glob('*/*.*')):
        parts = _PARTS.get(path.suffix, ())
        sections = re.split(r'^---$', path.read_text(encoding='utf-8'), flags=re.M)
        for suffix, text in zip(parts, sections, strict=False):
            found[path.stem + suffix] = meanings(text)
    return found


def written(source: str, known: dict[str, dict[str, str]]) -> str:
    """Return a module of signals with the meanings of its fields."""
    lines: list[str] = []
    fields: dict[str, str] = {}
    for line in source.splitlines():
        if line.startswith('class ') or (line and not line.startswith(' ')):
            named = re.match(r'class (\w+)', line)
            fields = known.get(named[1], {}) if named else {}
        if fields and line.startswith('    # '):
            continue  # written before
        field = re.match(r'^    (\w+): [^#]*?(?=  # |$)', line)
        if not field or field[1] not in fields:
            lines.append(line)
            continue
        code, meaning = field[0].rstrip(), fields[field[1]]
        if len(code) + len(meaning) + 4 <= WIDTH:
            lines.append(f'{code}  # {meaning}')
        else:
            lines += [f'    # {part}' for part in textwrap.wrap(meaning, WIDTH - 6)]
            lines.append(code)
    return '\n'.join(lines) + '\n'


def main() -> None:
    """Write all modules."""
    known = interfaces()
    for path in sorted(SIGNALS.glob('*.py')):
        path.write_text(written(path.read_text(encoding='utf-8'), known), encoding='utf-8')
        print(f'written: {path}')


if __name__ == '__main__':
    main()
