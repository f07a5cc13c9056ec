"""Names of feelings to the faces that the device can show."""

from __future__ import annotations

#: Names that are understood -> faces of soul-serial.
FACES = {
    'neutral': 'neutral', 'calm': 'neutral', 'idle': 'neutral',
    'happy': 'happy', 'joy': 'happy', 'excited': 'happy', 'content': 'happy', 'love': 'happy',
    'sad': 'sad', 'lonely': 'sad', 'sorry': 'sad',
    'surprised': 'surprised', 'surprise': 'surprised', 'startled': 'surprised',
    'sleepy': 'sleepy', 'tired': 'sleepy',
    'angry': 'angry', 'annoyed': 'angry',
    'doubt': 'doubt', 'thinking': 'doubt', 'confused': 'doubt', 'embarrassed': 'doubt',
    'curious': 'doubt',
}  # fmt: skip

#: Colours of the lights: red, green, blue, each 0..1.
COLOURS = {
    'neutral': (0.0, 0.0, 0.0), 'happy': (0.5, 0.35, 0.0), 'sad': (0.0, 0.05, 0.4),
    'surprised': (0.4, 0.4, 0.4), 'sleepy': (0.05, 0.0, 0.1), 'angry': (0.5, 0.0, 0.0),
    'doubt': (0.25, 0.0, 0.4),
}  # fmt: skip

_WARM = 0.25
_COLD = -0.25
_CALM = 0.3
_AROUSED = 0.6


def face_for(name: str, valence: float, arousal: float) -> tuple[str, float] | None:
    """Face and strength (0..1) for a name, or for valence -1..1 and arousal 0..1 without one.

    None if the name is unknown.
    """
    if name:
        face = FACES.get(name.casefold())
        return (face, 1.0) if face else None
    strength = min(1.0, max(abs(valence), arousal, 0.0))
    if not strength > 0.0:  # also where the numbers are NaN
        return 'neutral', 1.0
    if valence > _WARM:
        return 'happy', strength
    if valence < _COLD:
        return ('angry' if arousal > _AROUSED else 'sad'), strength
    if arousal > _AROUSED:
        return 'surprised', strength
    return ('sleepy' if arousal < _CALM else 'neutral'), strength
