"""Whether somebody speaks, by Silero's model on onnxruntime."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from soul.voice.engines.port import EngineMissing
from soul.voice.engines.weights import PackagedFile, whole
from soul.voice.sound import EAR_RATE, as_floats

_MODEL = PackagedFile(
    'silero_vad_v6.onnx',
    (('faster_whisper', 'assets/silero_vad_v6.onnx'),),
    '4cbf549b8326f60f80f2536d9eefeb450a9abe83365a098031c89719f1be17d2',
)
#: Samples that are judged at a time; 32 ms.
WINDOW = 512
_WARM_UP = 10  # times the first window is shown
_BEFORE = 64  # samples before them that it is shown, too


class Silero:
    """Judges sound window by window, and remembers what came before.

    Raises
    ------
    EngineMissing
        If it is not installed, or not the one that is meant.
    """

    def __init__(self) -> None:
        model = whole(_MODEL)
        try:
            import onnxruntime
        except ImportError as error:
            raise EngineMissing(
                f'onnxruntime cannot be loaded ({error}): `make up VOICE=1`'
            ) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = False
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(
            str(model), options, providers=['CPUExecutionProvider']
        )
        self.reset()

    def reset(self) -> None:
        """Forget what was heard."""
        self._rest = b''
        self._fresh = True
        self._before = np.zeros(_BEFORE, np.float32)
        self._state = [np.zeros((1, 1, 128), np.float32) for _ in range(2)]

    def judge(self, samples: bytes) -> Iterator[tuple[bytes, float]]:
        """Take samples of 16 kHz; gives each full window and how likely there is speech in it."""
        self._rest += samples
        while len(self._rest) >= 2 * WINDOW:
            window, self._rest = self._rest[: 2 * WINDOW], self._rest[2 * WINDOW :]
            numbers = as_floats(window)
            if self._fresh:  # a sound that begins out of nothing would be taken for speech
                for _ in range(_WARM_UP):
                    self._likelihood(numbers)
                self._fresh = False
            yield window, self._likelihood(numbers)

    def _likelihood(self, numbers: NDArray[np.float32]) -> float:
        shown = np.concatenate([self._before, numbers])[None, :]
        output, *self._state = self._session.run(
            None, {'input': shown, 'h': self._state[0], 'c': self._state[1]}
        )
        self._before = numbers[-_BEFORE:]
        return float(np.asarray(output).ravel()[0])

    @property
    def seconds(self) -> float:
        """Length of a window, s."""
        return WINDOW / EAR_RATE
