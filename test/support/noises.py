"""What a microphone hears when nobody speaks: 16 bit, 16 kHz."""

import numpy as np

from soul.voice.sound import EAR_RATE, as_samples


def _times(seconds):
    return np.arange(round(seconds * EAR_RATE)) / EAR_RATE


def silence(seconds):
    return np.zeros(round(seconds * EAR_RATE))


def hum(seconds):
    """A transformer: 120 Hz and what goes with it."""
    t = _times(seconds)
    return sum(0.1 / n * np.sin(2 * np.pi * 120 * n * t) for n in (1, 2, 3))


def white(seconds, loud=0.05):
    return loud * np.random.default_rng(1).standard_normal(round(seconds * EAR_RATE))


def clicks(seconds):
    sound = np.zeros(round(seconds * EAR_RATE))
    sound[:: EAR_RATE // 3] = 0.8
    return np.convolve(sound, np.exp(-np.arange(80) / 10.0), 'same')


def servo(seconds):
    """The whine of a servo that turns now and then, with its gears."""
    t = _times(seconds)
    turning = (t % 1.3) < 0.5
    pitch = 900 + 500 * np.sin(2 * np.pi * t / 0.5)
    whine = np.sin(2 * np.pi * np.cumsum(pitch) / EAR_RATE)
    return turning * (0.15 * whine + 0.05 * white(seconds, 1.0))


def music(seconds):
    """Chords of a plucked instrument, one after the other."""
    t = _times(seconds)
    within = t % 0.5
    chord = (t // 0.5).astype(int) % 4
    roots = np.array([220.0, 174.6, 261.6, 196.0])[chord]
    tones = sum(np.sin(2 * np.pi * roots * ratio * within) for ratio in (1.0, 1.26, 1.5, 2.0))
    return 0.12 * tones * np.exp(-4.0 * within)


def everything(seconds):
    """All of it, one after the other, each for so long."""
    kinds = (silence, hum, white, clicks, servo, music)
    return {kind.__name__: as_samples(kind(seconds).astype(np.float32)) for kind in kinds}
