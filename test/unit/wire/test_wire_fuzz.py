"""Whatever the other side says in sound frames: neither side fails, nothing unsafe is written."""

from __future__ import annotations

import json
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from soul.signals import CaptureRequest, ExpressRequest, LookAtGoal, SayGoal
from soul.wire import FrameError, encode
from support.worlds.wire import World

NUMBERS = st.one_of(
    st.integers(-3000, 3000), st.floats(-3000, 3000), st.sampled_from([0, 1e9, -1e9, None])
)
WORDS = st.sampled_from(['', 'a', 'stop', 'screen_off', 'swipe', 'shaken', 'limit', 'busy', '\0'])
IDS = st.sampled_from(['x', 'y', 'current'])
FLAGS = st.booleans()
PAIR = st.lists(st.floats(-2000, 2000), min_size=2, max_size=2)
LIMITS = st.fixed_dictionaries(
    {}, optional={'yaw': PAIR, 'pitch': PAIR, 'dps': st.floats(1e-6, 1000),
                  'head_hz': st.floats(1e-3, 100)},
)  # fmt: skip
TRIPLE = st.lists(st.floats(-50, 50), min_size=3, max_size=3)
IDENTITY = {
    'proto': st.sampled_from([[1, 0], [1, 7], [2, 0], [0, 9]]), 'boot': st.sampled_from('abc'),
    'caps': st.lists(st.sampled_from(['head', 'tts', 'cam', 'face', 'spk', 'torque', 'warp'])),
    'lim': LIMITS, 'rst': WORDS,
}  # fmt: skip
DEVICE = {
    'hello': IDENTITY,
    'welcome': IDENTITY,
    'joint': {'yaw': NUMBERS, 'pitch': NUMBERS, 'moving': FLAGS, 'torque': FLAGS, 'ok': FLAGS},
    'touch': {'z': st.lists(st.integers(0, 3), min_size=3, max_size=3)},
    'evt': {'name': WORDS},
    'imu': {'a': TRIPLE, 'g': TRIPLE},
    'power': {'mv': NUMBERS, 'ma': NUMBERS, 'pct': NUMBERS, 'vbus_mv': NUMBERS,
              'chg': st.sampled_from([True, False, None])},
    'env': {'lux': NUMBERS, 'prox': NUMBERS},
    'temp': {'c': NUMBERS},
    'jpg': {'f': st.integers(0, 2), 'k': st.integers(0, 4), 'n': st.integers(1, 3),
            'b64': st.sampled_from(['', '/9j/2Q==', '/9g=', '/9k='])},
    'ack': {'id': IDS, 'st': st.sampled_from(['ok', 'clamped', 'dup', 'nack']),
            'why': st.sampled_from(['', 'busy', 'stale_session', 'limit', 'fault'])},
    'done': {'id': IDS, 'ok': FLAGS, 'why': WORDS},
    'hb': {},
    'log': {'text': WORDS},
    'pcm': {'st': st.just(1), 'n': st.just(1), 'b64': st.just('')},
    'credit': {'n': st.just(3)},
}  # fmt: skip
HOST = {
    'hello': {'proto': st.sampled_from([[1, 0], [2, 0]]), 'sid': st.sampled_from(['s1', 's2'])},
    'hb': {},
    'head': {'yaw': NUMBERS, 'pitch': NUMBERS, 'ms': st.sampled_from([None, 0, 10, 5000]),
             'dps': st.sampled_from([None, 1e-6, 50, 1000])},
    'torque': {'on': FLAGS},
    'face': {'name': WORDS, 'k': st.floats(0, 1)},
    'led': {'rgb': st.just([1, 2, 3]), 'all': FLAGS},
    'say': {'text': st.sampled_from(['a', 'hello', '\U0001f600']), 'act': WORDS},
    'spk': {'op': st.sampled_from(['start', 'end', 'abort'])},
    'cam': {'quality': st.integers(1, 100)},
    'vol': {'v': st.floats(0, 1)},
    'bright': {'v': st.floats(0, 1)},
    'stop': {},
    'mic': {'on': FLAGS},
}  # fmt: skip


def frames(table):
    return st.sampled_from(sorted(table)).flatmap(
        lambda t: st.fixed_dictionaries(table[t]).map(lambda fields: {'t': t} | fields)
    )


STEPS = st.lists(
    st.tuples(frames(DEVICE), st.sampled_from([0.0, 0.05, 0.3, 1.7])), min_size=1, max_size=30
)
RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@RELAXED
@given(STEPS, st.floats(-3, 3), st.floats(-3, 3))
def test_no_device_upsets_the_driver(tmp_path_factory, steps, yaw, pitch):
    world = World(tmp_path_factory.mktemp('fuzz'), driver={'first_move': 0.0}).up()
    session = world.driver.port
    handles = []
    for n, (frame, seconds) in enumerate(steps):
        for kind, request in (
            ('body/say', SayGoal(f'act{n}', 'hello')), ('body/look_at', LookAtGoal('a', yaw=yaw,
             pitch=pitch)), ('body/capture', CaptureRequest()), ('body/express',
             ExpressRequest('happy')),
        ):  # fmt: skip
            if world.ask(kind, request, f'{kind}{n}') == '':
                handles.append(f'{kind}{n}')
        current = world.driver.components.voice.speech.current
        if frame.get('id') == 'current':
            frame = frame | {'id': current.id if current else 'none'}
        envelope = {'t': frame['t'], 'q': n, 'up': 1000 + n, 'sid': session.sid or 'none'}
        data = encode(envelope | {k: v for k, v in frame.items() if k != 't'})
        world.arrive(data)
        world.run(seconds)
        world.driver.health(world.now)
    for text in re.findall(rb'(\{"t":"head".*?\})\*', world.cable.sent):
        head = json.loads(text)
        assert -1280.0 <= head['yaw'] <= 1280.0
        assert 50.0 <= head['pitch'] <= 850.0
    # Whatever was accepted ends, once; `finished` fails if one ended twice.
    world.take(world.driver.stop(world.now))
    assert all(world.finished(handle) is not None for handle in handles)
    played = [entry['act'] for entry in world.log('say')]
    assert len(played) == len(set(played))


@RELAXED
@given(st.lists(st.tuples(frames(HOST), st.sampled_from([0.0, 0.1, 2.0])), max_size=30),
       st.sampled_from(['s1', 's2', '']))  # fmt: skip
def test_no_host_upsets_the_device(tmp_path_factory, steps, sid):
    world = World(tmp_path_factory.mktemp('fuzz'))
    for n, (frame, seconds) in enumerate(steps):
        envelope = {'t': frame['t'], 'q': n, 'sid': frame.get('sid', sid)}
        fields = {k: v for k, v in frame.items() if v is not None and k not in ('t', 'sid')}
        command = frame['t'] not in ('hello', 'hb')
        try:
            data = encode(envelope | ({'id': f'i{n % 7}'} if command else {}) | fields)
        except FrameError:
            continue
        world.take(world.mock.on_bytes(data, world.now))
        world.run(seconds)
        device = world.mock.device
        assert -1280.0 <= device.yaw.angle <= 1280.0
        assert 50.0 <= device.pitch.angle <= 850.0
    acts = [entry['act'] for entry in world.log('say') if entry['act']]
    assert len(acts) == len(set(acts))
