"""Mono sound of 16 bit: pieces of it, its rate changed, cut into frames."""

from __future__ import annotations

import io
import math
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

#: What ears work with, Hz.
EAR_RATE = 16_000
#: What a body of the xiaozhi protocol decodes to, Hz.
MOUTH_RATE = 24_000

#: What is read of WAV files: rates, Hz, channels, and bytes at most.
_RATES, _CHANNELS, _MOST_BYTES = (4000, 192_000), 16, 1 << 28
_TAPS = 16  # on each side of the filter that changes the rate


@dataclass(frozen=True)
class Clip:
    """A piece of sound: `samples` are 16 bit, little-endian, mono; `rate` in Hz."""

    samples: bytes
    rate: int

    @property
    def seconds(self) -> float:
        """How long it is, s."""
        return len(self.samples) / 2 / self.rate


def as_floats(samples: bytes) -> NDArray[np.float32]:
    """Return samples as numbers from -1 to 1; half a sample at the end is none."""
    whole = np.frombuffer(samples[: len(samples) // 2 * 2], '<i2')
    return whole.astype(np.float32) / np.float32(32768.0)


def as_samples(numbers: NDArray[np.float32]) -> bytes:
    """Return numbers from -1 to 1 as samples; what is louder is cut."""
    return (np.clip(numbers, -1.0, 1.0) * 32767.0).astype('<i2').tobytes()


def silence(seconds: float, rate: int) -> bytes:
    """Return samples of silence."""
    return bytes(2 * round(seconds * rate))


def at_rate(sound: Clip, rate: int) -> Clip:
    """Return the same sound at another rate, without what would fold back into it."""
    if sound.rate == rate or not sound.samples:
        return Clip(sound.samples, rate)
    before = as_floats(sound.samples).astype(np.float64)
    if rate < sound.rate:
        before = _smooth(before, rate / sound.rate)
    count = max(1, round(len(before) * rate / sound.rate))
    places = np.arange(count) * (sound.rate / rate)
    after = np.interp(places, np.arange(len(before)), before)
    return Clip(as_samples(after.astype(np.float32)), rate)


def _smooth(numbers: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Take away what lies above `share` of half the rate."""
    reach = np.arange(-_TAPS, _TAPS + 1)
    window = np.hamming(len(reach))
    filtered = np.sinc(reach * share * 0.9) * window
    return np.convolve(numbers, filtered / filtered.sum(), 'same')


class Framer:
    """Cuts sound into frames of one length.

    Parameters
    ----------
    rate
        Of the frames, Hz.
    seconds
        Length of a frame, s.
    """

    def __init__(self, rate: int, seconds: float) -> None:
        self.rate = rate
        self._size = 2 * round(rate * seconds)
        self._rest = b''

    def add(self, sound: Clip) -> Iterator[bytes]:
        """Take a piece of any rate; gives the frames that are full."""
        self._rest += at_rate(sound, self.rate).samples
        while len(self._rest) >= self._size:
            frame, self._rest = self._rest[: self._size], self._rest[self._size :]
            yield frame

    def end(self) -> Iterator[bytes]:
        """Give what is left, filled up with silence."""
        rest, self._rest = self._rest, b''
        if rest:
            yield rest + bytes(self._size - len(rest))


def read_wave(data: bytes) -> Clip:
    """Read a WAV file of 16 bit; of several channels the first one counts.

    The length that a stream's header claims may be false: what is there counts.

    Raises
    ------
    ValueError
        If it is none.
    """
    return wave_in(io.BytesIO(data), math.inf)[0]


def wave_in(file: IO[bytes], longest: float) -> tuple[Clip, bool]:
    """Read a WAV file as :func:`read_wave` does, at most `longest` s.

    Returns
    -------
    tuple
        What was read, and whether there is more.

    Raises
    ------
    ValueError
        If it is none, or no sound is in it.
    """
    try:
        with wave.open(file) as told:
            channels, width, rate = told.getnchannels(), told.getsampwidth(), told.getframerate()
            if why := _unfit(channels, width, rate):
                raise ValueError(f'a WAV file {why}')
            most = _MOST_BYTES // (2 * channels)
            frames = told.readframes(round(min(most, longest * rate)))
            more = bool(told.readframes(1))
    except (wave.Error, EOFError) as error:
        raise ValueError(f'no WAV file: {str(error) or "it ends in its header"}') from None
    whole = frames[: len(frames) // (2 * channels) * 2 * channels]
    if not whole:
        raise ValueError('a WAV file without any sound')
    return Clip(np.frombuffer(whole, '<i2')[::channels].tobytes(), rate), more


def _unfit(channels: int, width: int, rate: int) -> str:
    """Say why sound of that form is not read; empty: it is."""
    if width != 2:
        return f'of {8 * width} bit, wanted are 16'
    if not _RATES[0] <= rate <= _RATES[1]:
        return f'of {rate} Hz, wanted are {_RATES[0]} to {_RATES[1]}'
    return (
        f'of {channels} channels, wanted are {_CHANNELS} at most' if channels > _CHANNELS else ''
    )


def write_wave(sound: Clip) -> bytes:
    """Return a sound as a WAV file."""
    target = io.BytesIO()
    with wave.open(target, 'wb') as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sound.rate)
        file.writeframes(sound.samples)
    return target.getvalue()
