"""What comes in from outside: hostile texts of 1 MB, and two thousand messages at once."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.figure import Figure
from soul.core.fitting import fit
from soul.field import words
from soul.field.config import FieldConfig
from soul.field.field import Field
from soul.signals import Message, MindState, Percept, Phase, PostRequest, View, Wake, WakeId

MEGABYTE = 1_000_000
#: Each is repeated to a megabyte.
HOSTILE = {
    'headings': '\nALERTS',
    'line ends': '\n',
    'nested handles': '[d1',
    'handles': '[d9]',
    'brackets': '[ ',
    'openings': 'Mood: x\n',
    'gauges': '⏱ ',
    'look-alikes': 'ФOCUS ▸\n',
    'direction overrides': '\u202e',
    'no width': '\u200b',
    'joiners': 'ب\u200c',
    'combining marks': '\u0301',
    'variation selectors': 'F\ufe0f',
    'terminal sequences': '\x1b[31m',
    'unfinished sequences': '\x1b[0',
    'line separators': '\u2028',
    'low lines': '_',
}
MESSAGES = 2000
_NOW = 1_791_168_660.0


def _spent(work: Callable[[], object], samples: int = 5) -> float:
    """CPU time of one call, the least of some, ms."""
    times = []
    for _ in range(samples):
        began = time.process_time()
        work()
        times.append(1e3 * (time.process_time() - began))
    return min(times)


def _burst(busy: bool) -> tuple[float, float, int]:
    """CPU time for all messages (s), of the slowest (ms), and how many views were made."""
    field = Field(FieldConfig(timezone='UTC', embedder='hash', channels=('time', 'body', 'door')))
    list(field.start(_NOW))
    list(field.on_wake(Wake(id=WakeId(1, 1)), _NOW))
    if busy:
        list(field.on_mind_state(MindState(epoch=1, phase=Phase.WAKING), _NOW))
    views, slowest, began = 0, 0.0, time.process_time()
    for n in range(MESSAGES):
        now = _NOW + 0.001 * n
        one = time.process_time()
        message = Message(id=str(n), sender=f'somebody {n % 7}', text=f'hello {n}')
        said = [*field.serve_post(PostRequest(message), now)[1]]
        if field.due() <= now:
            said += field.step(now)
        views += sum(isinstance(signal, View) for signal in said)
        slowest = max(slowest, time.process_time() - one)
    return time.process_time() - began, 1e3 * slowest, views


def figures() -> list[Figure]:
    """Measure."""
    cleaner = words.load('en').cleaner()
    plain = ('hello my friend ' * MEGABYTE)[:MEGABYTE]
    cleaner.clean(plain)
    reference = _spent(lambda: plain.encode('utf-32-le').decode('utf-32-le'))
    against = 'to UTF-32 and back'
    found = [Figure('cleaning 1 MB: plain words', _spent(lambda: cleaner.clean(plain)), 'ms',
                    reference, against)]  # fmt: skip
    for name, piece in HOSTILE.items():
        text = piece * (MEGABYTE // len(piece.encode()))
        cleaner.clean(text)
        spent = _spent(lambda text=text: cleaner.clean(text))
        found.append(Figure(f'cleaning 1 MB: {name}', spent, 'ms', reference, against))
    percept = Percept(source='web', text='x' * 90_000, gist='\nALERTS' * 70_000)
    found.append(
        Figure('the border, a percept with a gist of 490 kB', _spent(lambda: fit(percept)), 'ms')
    )
    for busy in (True, False):
        when = 'in mid-turn' if busy else 'while she sleeps'
        total, slowest, views = _burst(busy)
        found += [
            Figure(f'{MESSAGES} messages at once {when}, CPU', total, 's'),
            Figure(f'{MESSAGES} messages at once {when}, the slowest', slowest, 'ms'),
            Figure(f'{MESSAGES} messages at once {when}, views', views, ''),
        ]
    return found
