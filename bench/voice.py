"""Voice and ears with their real engines and a device over its real protocol, on the real clock.

The mind is one that answers at once. Speech ends with its last loud sample at the microphone.
Recordings are of another voice than hers. Languages that are not installed are left out.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil

from bench.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'test'))
from support.speech import TEXTS, samples, wrong
from support.voices import missing
from support.worlds.voiced import VoicedWorld

#: Turns of a conversation for each language.
TURNS = 6
IDLE_SECONDS = 15.0
#: Most it may take, s: from the end of speech to the first frame (median, p95), from `say` to it.
GOALS = {'en': (1.3, 2.0, 0.25), 'ja': (2.0, 3.5, 0.35), 'zh': (3.5, 5.0, 2.5)}
ANSWERS = {
    'en': 'Good morning. There is nothing but fog outside, and I like it very much.',
    'ja': 'おはようございます。外は霧ばかりですが、とても静かな朝です。',
    'zh': '早上好，我在看外面。今天有雾，什么也看不见。',
}
FRAME, LEAD = 0.06, 2


def percentile(values: list[float], share: float) -> float:
    """Return the value below which that share lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def figures() -> Iterator[Figure]:
    """Measure."""
    yield Figure('load of the machine before, 1 min', os.getloadavg()[0], '')
    for language in GOALS:
        if why := missing(language):
            print(f'{language} is left out: {why}')
            continue
        with tempfile.TemporaryDirectory() as home:
            life = VoicedWorld(Path(home), voice_language=language)
            try:
                life.until(lambda life=life: life.client.engines.mouth and life.client.engines.ear)
                yield from _idle(life, language)
                yield from _conversation(life, language)
                if language == 'en':
                    yield from _abort(life)
                    yield from _pace(life)
            finally:
                life.close()
    yield Figure('load of the machine after, 1 min', os.getloadavg()[0], '')


def _conversation(life: VoicedWorld, language: str) -> Iterator[Figure]:
    device = life.device
    names = [name for name in TEXTS if name.startswith(language) and len(TEXTS[name]) > 5]
    shown, first, spoken, errors = [], [], [], []
    for turn in range(TURNS):
        name = names[turn % len(names)]
        life.until(lambda: device.listening)
        life.live(0.4)  # nobody speaks while the room still sounds of her
        messages, texts = len(life.messages), len(device.texts('stt'))
        device.say(samples(name))
        life.until(lambda texts=texts: len(device.texts('stt')) > texts)
        shown.append(life.now - device.person_at)
        life.until(lambda messages=messages: len(life.messages) > messages)
        errors.append(wrong(life.messages[-1].text, TEXTS[name]))
        asked, packets = life.now, len(device.times)
        handle = life.say(ANSWERS[language])
        life.until(lambda packets=packets: len(device.times) > packets)
        first.append(device.times[packets] - device.person_at)
        spoken.append(device.times[packets] - asked)
        life.said_out(handle)
    middle, worst, say = GOALS[language]
    yield Figure(f'{language}: end of speech to its text, median', statistics.median(shown), 's')
    yield Figure(
        f'{language}: end of speech to the first frame, median', statistics.median(first), 's',
        middle, 'goal',
    )  # fmt: skip
    yield Figure(
        f'{language}: end of speech to the first frame, p95', percentile(first, 0.95), 's',
        worst, 'goal',
    )  # fmt: skip
    yield Figure(
        f'{language}: say to the first frame, median', statistics.median(spoken), 's', say, 'goal'
    )
    goal = 0.05 if language == 'en' else 0.1
    yield Figure(
        f'{language}: wrong words of another voice', statistics.mean(errors), '', goal, 'goal'
    )


def _idle(life: VoicedWorld, language: str) -> Iterator[Figure]:
    """Listen to silence."""
    process = psutil.Process(life.client.pid)
    life.live(2.0)
    before = process.cpu_times()
    life.live(IDLE_SECONDS)
    after = process.cpu_times()
    used = (after.user + after.system - before.user - before.system) / IDLE_SECONDS
    yield Figure(f'{language}: CPU of a core while listening', 100.0 * used, '%', 3.0, 'goal')
    resident = process.memory_info().rss / 2**20
    yield Figure(f'{language}: resident memory of voice and ears', resident, 'MB', 600.0, 'goal')


def _abort(life: VoicedWorld) -> Iterator[Figure]:
    late = []
    for _ in range(5):
        before = len(life.device.times)
        handle = life.say(ANSWERS['en'])
        life.until(lambda before=before: len(life.device.times) > before + 15)
        asked = life.now
        life.device.send('abort', reason='wake_word_detected')
        life.said_out(handle)
        life.live(0.5)
        late.append(max(0.0, life.device.times[-1] - asked))
    yield Figure('abort to the last frame, the slowest', 1000.0 * max(late), 'ms', 120.0, 'goal')


def _pace(life: VoicedWorld) -> Iterator[Figure]:
    """Speak for a while beside a process that keeps a core busy."""
    busy = subprocess.Popen([sys.executable, '-c', 'while True: pass'])
    try:
        device, before = life.device, len(life.device.times)
        starved = device.starved
        life.said_out(life.say(' '.join([ANSWERS['en']] * 4)))
        times = device.times[before:]
        lead = LEAD
        late = [at - max(times[0], times[0] + (n - lead) * FRAME) for n, at in enumerate(times)]
        ahead = [n + 1 - (at - times[0]) / FRAME for n, at in enumerate(times)]
        within = sum(abs(one) <= 0.02 for one in late) / len(late)
    finally:
        busy.kill()
        busy.wait()
    yield Figure(
        'frames within 20 ms of their time, a core busy', 100.0 * within, '%', 95.0, 'goal'
    )
    yield Figure('most frames ahead of what is played', max(ahead), '', lead + 1.0, 'goal')
    yield Figure(
        'frames for which a body waited', float(device.starved - starved), '', 0.0, 'goal'
    )
    yield Figure('frames that a body dropped', float(device.dropped), '', 0.0, 'goal')
